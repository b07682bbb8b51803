// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { timeout } from '@theia/core/lib/common/promise-util';
import { FileAccess } from '../host/file-access';
import { ActiveAgent } from './active-agent-contribution';
import { FolderChanges } from './folder-changes';

/** Longer than a folder whose start failed waits for the next try. */
const NEXT_TRY_MS = 11_000;

function follow(top: string, agent: ActiveAgent): FolderChanges {
    return new FolderChanges(path.join(top, 'root'), {
        fileAccess: new FileAccess(5_000),
        home: path.join(top, 'home'),
        logger: { warn: async () => undefined },
        agents: () => [agent],
        moveToTrash: async () => undefined,
        takeAccepted: async () => undefined,
        onDidChange: () => undefined
    });
}

describe('A look that fails', () => {
    it('has seen nothing: a folder that an agent removed before is still its work', async () => {
        const top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'companion-look-')));
        const root = path.join(top, 'root');
        fs.mkdirSync(path.join(root, 'old'), { recursive: true });
        fs.writeFileSync(path.join(root, 'old', 'a.txt'), 'a\n');
        const agent = { name: 'Claude Code', activeAt: Infinity };
        const changes = follow(top, agent);
        const { PATH } = process.env;
        try {
            changes.setAgent(true);
            while (!changes.tracking) {
                await timeout(20);
            }
            // Until the look of the start is over.
            await timeout(1_500);
            await changes.look();
            fs.rmSync(path.join(root, 'old'), { recursive: true });
            agent.activeAt = performance.now();
            process.env.PATH = root;
            await changes.look();
            process.env.PATH = PATH;
            // For longer than an agent that rests counts for what changes.
            await timeout(6_000);
            await changes.look();
            expect(changes.files.map(({ uri, authors, group }) => [path.basename(uri), authors, group])).to.deep.equal([
                ['a.txt', ['Claude Code'], undefined]
            ]);
        } finally {
            process.env.PATH = PATH;
            await changes.stop(true);
            fs.rmSync(top, { recursive: true, force: true });
        }
    });

    it('has no next try once its folder is followed no longer: nothing is stored where the user has switched it off', async () => {
        const top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'companion-look-')));
        fs.mkdirSync(path.join(top, 'root'));
        const changes = follow(top, { name: 'Claude Code', activeAt: Infinity });
        const { PATH } = process.env;
        try {
            process.env.PATH = top;
            changes.setAgent(true);
            while (!changes.trouble) {
                await timeout(20);
            }
            await changes.stop(true);
            process.env.PATH = PATH;
            await timeout(NEXT_TRY_MS);
            expect([changes.tracking, fs.readdirSync(path.join(top, 'home'))]).to.deep.equal([false, []]);
        } finally {
            process.env.PATH = PATH;
            await changes.stop(true);
            fs.rmSync(top, { recursive: true, force: true });
        }
    });
});
