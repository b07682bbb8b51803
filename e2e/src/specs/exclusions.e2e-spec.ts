// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

const EXCLUDE = 'companion.context.exclude';
const SHARE = 'companion.context.share';
const WORKSPACE_SETTINGS = '.theia/settings.json';

describe('Exclusions, seen by an MCP client', () => {
    let workbench: Workbench;
    let client: ProtocolClient;
    let markers = 0;

    before(async () => {
        workbench = await Workbench.start({
            files: {
                '.env': 'SECRET\n',
                '.env.example': 'SECRET=\n',
                'key.pem': 'SECRET\n',
                'server.log': 'log\n',
                'private/a.txt': 'private\n',
                'plain.txt': 'plain\n',
                // As a hostile repository would bring it, with one pattern that it may add.
                [WORKSPACE_SETTINGS]: JSON.stringify({ [EXCLUDE]: ['!**/.env', '!**', 'private/**'], [SHARE]: true })
            },
            prepare: ide => ide.changeSettings({ [EXCLUDE]: ['**/*.log', '!**/.env.example'] })
        });
        client = await ProtocolClient.connect(workbench.ide);
    });
    after(async () => {
        await client?.disconnect();
        await workbench?.dispose();
    });

    it("S16: patterns are added to the built-in list, and only the user's own settings can override one", async () => {
        expect(await told('.env', '.env.example', 'key.pem', 'server.log', 'private/a.txt', 'plain.txt')).to.deep.equal([
            '.env.example',
            'plain.txt'
        ]);
    });

    it('S16: an entry that is ignored is a problem in the status, with the settings that have it', async () => {
        const rows = (await statusRows()).join('\n');
        expect(rows).to.include('Ignored in .theia/settings.json: "!**/.env", "!**".');
        expect(rows).to.include('works in your user settings only. Correct these entries.');
        expect(await workbench.page.statusDetails()).to.include('Ignored in .theia/settings.json: "!**/.env", "!**".');
    });

    it('S16: a single string is a list of one, also in a folder that is already open', async () => {
        await workbench.ide.write(WORKSPACE_SETTINGS, JSON.stringify({ [EXCLUDE]: '**/plain.txt' }));
        await client.waitForContext('the file to be gone', files => !files.some(file => file.path === at('plain.txt')));
        expect(await told('plain.txt', 'private/a.txt', '.env')).to.deep.equal(['private/a.txt']);
    });

    it('S16: while an entry is not understood nothing is shared, which is a problem', async () => {
        for (const [value, quoted] of [
            [{ '**/.env': false }, '{"**/.env":false}'],
            [['**/*.log', 'data['], '"data["']
        ]) {
            await workbench.ide.changeSettings({ [EXCLUDE]: value });
            await client.waitForContext('nothing to be told', files => files.length === 0);
            await problem(`entries that are not glob patterns: ${quoted}.`);
            await workbench.ide.changeSettings({ [EXCLUDE]: ['**/*.log'] });
            await client.waitForContext('files again', files => files.length > 0);
        }
        expect(await told('.env', '.env.example', 'key.pem', 'server.log', 'private/a.txt')).to.deep.equal(['private/a.txt']);
    });

    it('S16: a line of an ignore file that is no pattern is a problem, and the others count', async () => {
        await workbench.ide.write('.geminiignore', 'data[/\nprivate\n');
        await client.waitForContext('the folder to be gone', files => !files.some(file => file.path === at('private/a.txt')));
        await problem('In .geminiignore, these lines are not valid patterns: 1.');
        await workbench.ide.write('.geminiignore', '');
        await client.waitForContext('the folder again', files => files.some(file => file.path === at('private/a.txt')));
    });

    it('S18: a workspace cannot switch the companion on', async () => {
        const { ide } = workbench;
        await ide.write(WORKSPACE_SETTINGS, JSON.stringify({ 'companion.enabled': true }));
        await ide.changeSettings({ 'companion.enabled': false });
        await eventually('the companion to be off', async () => (await statusRows()).join('\n').includes('Turn On the Companion'));
        await ide.changeSettings({ 'companion.enabled': true });
        await eventually('the companion to be on', async () => !(await statusRows()).join('\n').includes('Turn On the Companion'));
        await client.disconnect();
        client = await ProtocolClient.connect(ide);
    });

    it('S16: sharing is on only for true, and anything else is a problem', async () => {
        await workbench.ide.write(WORKSPACE_SETTINGS, JSON.stringify({ [SHARE]: 'false' }));
        await client.waitForContext('nothing to be told', files => files.length === 0);
        expect((await statusRows()).join('\n')).to.include('In .theia/settings.json, companion.context.share is "false"');
        await workbench.ide.write(WORKSPACE_SETTINGS, JSON.stringify({ [SHARE]: true }));
        await client.waitForContext('files again', files => files.length > 0);
        expect((await statusRows()).join('\n')).not.to.include('companion.context.share is');
    });

    it('S16: a relative pattern holds below a root that is a symbolic link, by every name of a file', async () => {
        const { ide } = workbench;
        await ide.changeSettings({ [EXCLUDE]: ['private/**'] });
        await ide.write('../real/private/secret.txt', 'SECRET\n');
        await ide.write('../real/plain.txt', 'plain\n');
        await fs.symlink('private/secret.txt', at('../real/notes.txt'));
        await fs.symlink('real', at('../linked'));
        await openFolder('../linked', at('../real'));
        expect(
            await told('../linked/notes.txt', '../real/private/secret.txt', '../linked/private/secret.txt', '../linked/plain.txt')
        ).to.deep.equal(['../linked/plain.txt']);
    });

    it('S16: the settings of each of several folders apply to its files, and cannot share any again', async () => {
        const { ide } = workbench;
        const settings = (folder: string, content: object): Promise<void> =>
            ide.write(`../${folder}/${WORKSPACE_SETTINGS}`, JSON.stringify(content));
        await settings('one', { [EXCLUDE]: ['!**/.env', 'own/**', '**/*.secret'] });
        await settings('two', { [SHARE]: false });
        await settings('three', { [SHARE]: true });
        const files = [
            'one/.env',
            'one/own/a.txt',
            'one/plain.txt',
            'two/plain.txt',
            'three/own/a.txt',
            'three/a.secret',
            'three/by-workspace'
        ];
        for (const file of [...files, 'outside.secret']) {
            await ide.write(`../${file}`, 'text\n');
        }
        await fs.symlink('../outside.secret', at('../one/link.txt'));
        await ide.write(
            '../three-folders.theia-workspace',
            JSON.stringify({
                folders: [{ path: 'one' }, { path: 'two' }, { path: 'three' }],
                settings: { [EXCLUDE]: ['!**', '**/by-workspace'], [SHARE]: true }
            })
        );
        await openFolder('../three-folders.theia-workspace', [at('../one'), at('../two'), at('../three')].join(path.delimiter));
        expect(await told(...[...files, 'one/link.txt'].map(file => `../${file}`))).to.deep.equal([
            '../one/plain.txt',
            '../three/own/a.txt',
            '../three/a.secret'
        ]);
        const details = await workbench.page.statusDetails();
        expect(details).to.include('Ignored in one/.theia/settings.json: "!**/.env".');
        expect(details).to.include('three-folders.theia-workspace: "!**".');
    });

    /** Opens the files, and then one that was never open. @returns those of them that the client was told of by then */
    async function told(...files: string[]): Promise<string[]> {
        const marker = `../marker-${++markers}.txt`;
        await workbench.ide.write(marker, 'marker\n');
        for (const file of [...files, marker]) {
            await workbench.page.page.evaluate(name => window.companionProbe.openFile(name, false), at(file));
        }
        const newest = await client.waitForContext('the last file', ([first]) => first?.path === at(marker) && first.isActive === true);
        return files.filter(file => newest.some(({ path: name }) => name === at(file)));
    }

    /** The context may arrive before the status bar shows why. */
    async function problem(text: string): Promise<void> {
        await eventually(`the problem ${text}`, async () => (await workbench.page.statusDetails()).includes(text));
    }

    /** Opens a folder or a workspace in the same window, and connects to it as a CLI that is started there. @param roots their real paths */
    async function openFolder(name: string, roots: string): Promise<void> {
        workbench.page = await workbench.page.openFolder(at(name));
        const server = await workbench.discovery.serverWith(name, ({ content }) => content.workspacePath === roots);
        await client.disconnect();
        client = await ProtocolClient.connectTo(server);
    }

    /** What screen readers are told of the rows of the status list. */
    async function statusRows(): Promise<string[]> {
        const pick = await StatusPick.open(workbench.page.page);
        const labels = await eventually('the list to be filled', async () => {
            const found = await pick.labels();
            return found.length > 0 && found;
        });
        await pick.close();
        return labels;
    }

    /** @param file relative to the workspace of the start */
    function at(file: string): string {
        return path.join(workbench.ide.workspace, file);
    }
});
