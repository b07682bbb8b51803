// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { eventually } from '../test/test-cli';
import { TestBackend } from '../test/test-backend';
import { TestPage } from '../test/test-page';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What CLIs report themselves', () => {
    let ide: ChangesHost;

    beforeEach(async () => {
        ide = await new ChangesHost().start();
        fs.writeFileSync(ide.file('a.txt'), TEN_LINES);
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    /** As the CLI's settings have it. */
    function hook(file = ide.defaults): { url: string; headers: Record<string, string> } {
        const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as {
            hooks: { PostToolUse: Array<{ hooks: Array<{ url: string; headers: Record<string, string> }> }> };
        };
        return settings.hooks.PostToolUse[0].hooks[0];
    }

    /** As Qwen Code does. */
    function report(name: string, originalContent?: string, headers = hook().headers): Promise<number> {
        const returnDisplay = { filePath: ide.file(name), originalContent };
        return post({ tool_name: 'edit', permission_mode: 'yolo', tool_response: { returnDisplay } }, headers);
    }

    async function post(payload: object, headers: Record<string, string>): Promise<number> {
        const body = JSON.stringify(payload);
        const response = await fetch(hook().url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
        return response.status;
    }

    it('is listed under the name of the CLI, with the text before, also without git', async () => {
        await ide.startAgent();
        ide.write('a.txt', TEN_LINES.replace('b\n', 'B\n'));
        expect(await report('a.txt', TEN_LINES)).to.equal(200);
        await ide.lists('modified a.txt +1 -1 Qwen Code');
        await eventually('the mode', () =>
            ide.page.state?.changes.unasked?.some(({ cliName, mode }) => cliName === 'Qwen Code' && mode === 'yolo')
        );
    });

    it('is listed under the name of Claude Code, where Run has started it', async () => {
        await ide.startAgent();
        const settings = path.join(path.dirname(ide.defaults), 'claude-settings.json');
        await eventually('its settings', () => fs.existsSync(settings));
        ide.write('a.txt', TEN_LINES.replace('b\n', 'B\n'));
        ide.write('new.txt', 'one\n');
        const { headers } = hook(settings);
        const edited = { filePath: ide.file('a.txt'), originalFile: TEN_LINES };
        const created = { type: 'create', filePath: ide.file('new.txt'), originalFile: null };
        expect(await post({ tool_name: 'Edit', permission_mode: 'acceptEdits', tool_response: edited }, headers)).to.equal(200);
        expect(await post({ tool_name: 'Write', permission_mode: 'acceptEdits', tool_response: created }, headers)).to.equal(200);
        await ide.lists('modified a.txt +1 -1 Claude Code', 'added new.txt +1 -0 Claude Code');
    });

    it('is no news where the user has accepted it, and the CLI asks again', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'unasked\n');
        await report('a.txt', TEN_LINES);
        await eventually('the mode', () => ide.page.state?.changes.unasked?.length === 1);
        await ide.cli?.openDiff(ide.file('b.txt'), 'accepted\n');
        await ide.service.acceptReview(ide.page.shown[0].id, { revision: { page: '', n: 0 } });
        fs.writeFileSync(ide.file('b.txt'), 'accepted\n');
        await report('b.txt', '');
        expect(await ide.list(true)).to.deep.equal(['modified a.txt +1 -10 Qwen Code']);
        await eventually('no mode', () => ide.page.state?.changes.unasked === undefined);
    });

    it('is heard with its own token alone, which opens nothing else', async () => {
        const { port, token } = ide.backend.discovered();
        expect(await report('a.txt', '', { Authorization: `Bearer ${token}` })).to.equal(401);
        expect(await report('a.txt', '', {})).to.equal(401);
        const mcp = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: hook().headers });
        expect(mcp.status).to.equal(401);
        expect(await report('../../outside.txt', 'x')).to.equal(200);
        expect(await ide.list(true)).to.deep.equal([]);
    });

    it('is no longer sent once the backend has ended, and what else stands in the file stays', async () => {
        expect(hook().url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/changed$/);
        const file = ide.defaults;
        await ide.stop();
        const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
        expect(settings).to.deep.equal({ $version: 4, ide: { enabled: true }, tools: { approvalMode: 'default' } });
    });

    it('is no longer sent once the next backend has started after one was killed; that of one that lives is', async () => {
        const living = fs.readFileSync(ide.defaults, 'utf8');
        const killed = path.join(path.dirname(path.dirname(ide.defaults)), 'killed');
        fs.mkdirSync(killed);
        fs.writeFileSync(path.join(killed, 'qwen-defaults-ask.json'), living);
        const marker = JSON.parse(fs.readFileSync(path.join(path.dirname(ide.defaults), 'backend.json'), 'utf8')) as {
            theiaCompanion: object;
        };
        fs.writeFileSync(
            path.join(killed, 'backend.json'),
            JSON.stringify({ theiaCompanion: { ...marker.theiaCompanion, pid: 2 ** 22 + 1 } })
        );
        const other = new TestBackend(ide.host);
        await other.connect(new TestPage()).service.hello(other.window(new TestPage(), { windowId: 'window-2' }));
        await eventually('the hook to go', () => !fs.readFileSync(path.join(killed, 'qwen-defaults-ask.json'), 'utf8').includes('hooks'));
        expect(fs.readFileSync(ide.defaults, 'utf8')).to.equal(living);
        await other.servers.stop();
    });
});

describe('What was changed in a workspace that is not trusted', () => {
    it('is listed by name, without a program of git', async () => {
        const ide = new ChangesHost();
        ide.git('init', '-q', '-b', 'main');
        fs.writeFileSync(ide.file('a.txt'), TEN_LINES);
        ide.commit();
        await ide.start(false);
        try {
            await ide.startAgent();
            ide.git('config', 'core.fsmonitor', `touch ${ide.file('was-run')}`);
            ide.write('a.txt', 'changed\n');
            await ide.lists('unknown a.txt');
            expect(fs.existsSync(ide.file('was-run'))).to.equal(false);
        } finally {
            await ide.stop();
            ide.host.remove();
        }
    });
});
