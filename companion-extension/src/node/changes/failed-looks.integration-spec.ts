// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { timeout } from '@theia/core/lib/common/promise-util';
import { FileAccess } from '../host/file-access';
import { FolderChanges } from './folder-changes';

describe('A look that fails', () => {
    it('has seen nothing: a folder that an agent removed before is still its work', async () => {
        const top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'companion-look-')));
        const root = path.join(top, 'root');
        fs.mkdirSync(path.join(root, 'old'), { recursive: true });
        fs.writeFileSync(path.join(root, 'old', 'a.txt'), 'a\n');
        const agent = { name: 'Claude Code', activeAt: Infinity };
        const changes = new FolderChanges(root, {
            fileAccess: new FileAccess(5_000),
            home: path.join(top, 'home'),
            logger: { warn: async () => undefined },
            agents: () => [agent],
            moveToTrash: async () => undefined,
            takeAccepted: async () => undefined,
            onDidChange: () => undefined
        });
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
});
