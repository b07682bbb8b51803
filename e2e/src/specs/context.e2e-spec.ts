// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { ContextFile, ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

const MAX_SELECTION = 16 * 1024;
const EXCLUDE = 'companion.context.exclude';
const SHARE = 'companion.context.share';

describe('Context, seen by an MCP client', () => {
    let workbench: Workbench;
    let client: ProtocolClient;

    before(async () => {
        const files: Record<string, string> = {
            'letters.txt': 'alpha\nbravo\ncharlie\n',
            'long.txt': 'ä'.repeat(MAX_SELECTION),
            'many/file-1.txt': '1\n'
        };
        workbench = await Workbench.start({ files });
        client = await ProtocolClient.connect(workbench.ide);
    });
    after(async () => {
        await client?.disconnect();
        await workbench?.dispose();
    });

    it('C1, C2, C9: reports an opened file by its absolute path', async () => {
        const opened = Date.now();
        await workbench.page.openFile('README.md');
        const [file] = await client.waitForContext(
            'the opened file',
            ([first]) => first?.path === at('README.md') && first.isActive === true
        );
        expect(path.isAbsolute(file.path)).to.equal(true);
        expect(file.timestamp, 'C11: the time when it got the focus').to.be.within(opened, Date.now());
    });

    it('C4, C11, C12: the file with the focus is the active one, the only one, and the newest', async () => {
        await workbench.page.openFile('letters.txt');
        const both = await client.waitForContext(
            'the second file',
            ([first]) => first?.path === at('letters.txt') && first.isActive === true
        );
        expect(both.map(file => file.path)).to.deep.equal([at('letters.txt'), at('README.md')]);
        expect(both.filter(file => file.isActive)).to.have.length(1);
        expect(both[0].timestamp).to.be.greaterThan(both[1].timestamp);

        await workbench.page.openFile('README.md');
        const back = await client.waitForContext(
            'the first file again',
            ([first]) => first?.path === at('README.md') && first.isActive === true
        );
        expect(back.map(file => file.path)).to.deep.equal([at('README.md'), at('letters.txt')]);
        expect(back.filter(file => file.isActive)).to.have.length(1);
        expect(back[0].timestamp).to.be.greaterThan(back[1].timestamp);
    });

    it('C5, C14: reports the cursor, counted from 1', async () => {
        const editor = await workbench.page.openFile('letters.txt');
        await editor.placeCursorInLineWithLineNumber(2);
        await workbench.page.press('Home');
        await client.waitForContext('the start of line 2', ([first]) => isAt(first, 2, 1));
        await workbench.page.press('ArrowRight', 'ArrowRight');
        await client.waitForContext('the third character of line 2', ([first]) => isAt(first, 2, 3));
    });

    it('C6: reports the selection, and when it is gone', async () => {
        await workbench.page.press('Home', 'Shift+End');
        await client.waitForContext('the selected line', ([first]) => first?.selectedText === 'bravo');
        await workbench.page.press('Home');
        await client.waitForContext('no selection', ([first]) => isAt(first, 2, 1) && first.selectedText === undefined);
    });

    it('C6: reports what is selected backwards, also upwards', async () => {
        await workbench.page.press('End', 'Shift+Home');
        await client.waitForContext('the selected line', ([first]) => first?.selectedText === 'bravo');
        await workbench.page.press('Home', 'Shift+ArrowUp');
        await client.waitForContext('the line above', ([first]) => first?.selectedText === 'alpha\n' && isAt(first, 1, 1));
        await workbench.page.press('Control+a');
        await client.waitForContext('all of it', ([first]) => first?.selectedText === 'alpha\nbravo\ncharlie\n');
        await workbench.page.press('ArrowRight');
        await client.waitForContext('no selection', ([first]) => first?.path === at('letters.txt') && first.selectedText === undefined);
    });

    it('C7: a burst of changes gives few notifications', async () => {
        const before = client.contexts.length;
        await workbench.page.moveCursorOften(at('letters.txt'), 100);
        await client.waitForContext('the end of the burst', ([first]) => isAt(first, 3, 2));
        expect(client.contexts.length - before).to.be.within(1, 10);
    });

    it('keeps the active file while the terminal has the focus', async () => {
        const terminal = await workbench.page.openTerminal();
        const before = client.contexts.length;
        await terminal.submit('touch typed-in-terminal');
        await eventually('the command to run', () => workbench.ide.exists('typed-in-terminal'));
        expect(client.contexts.slice(before).every(([first]) => first?.path === at('letters.txt') && first.isActive === true)).to.equal(
            true
        );
        expect(client.newestContext?.[0]).to.include({ path: at('letters.txt'), isActive: true });
    });

    it('C16: cuts a long selection', async () => {
        await workbench.page.openFile('long.txt');
        await workbench.page.press('Control+a');
        const [file] = await client.waitForContext(
            'the selection',
            ([first]) => first?.path === at('long.txt') && first.selectedText !== undefined
        );
        expect(Buffer.byteLength(file.selectedText ?? '')).to.be.within(MAX_SELECTION - 1, MAX_SELECTION);
        expect(file.selectedText).to.match(/^ä+$/);
    });

    it('C3: reports a closed file', async () => {
        const editor = await workbench.page.openFile('long.txt');
        await editor.close();
        await client.waitForContext(
            'the closed file to be gone',
            files => files.length > 0 && !files.some(file => file.path === at('long.txt'))
        );
    });

    it('C10: leaves out untitled files', async () => {
        await workbench.page.newUntitledFile('nowhere on disk');
        // A change that comes later shows that the untitled file would have been told of by then.
        await workbench.page.openFile('package.json');
        const files = await client.waitForContext('a later change', ([first]) => first?.path === at('package.json'));
        expect(files.every(file => file.path.startsWith(workbench.ide.workspace))).to.equal(true);
    });

    it('C6: does not report a selection whose text has changed on disk behind another tab', async () => {
        const editor = await workbench.page.openFile('letters.txt');
        await editor.placeCursorInLineWithLineNumber(2);
        await workbench.page.press('Home', 'Shift+End');
        await client.waitForContext('the selected line', ([first]) => first?.selectedText === 'bravo');
        await workbench.page.newUntitledFile('in front');
        await fs.writeFile(at('letters.txt'), 'alpha\nBRAVO\ncharlie\n');
        await client.waitForContext('no selection', ([first]) => first?.path === at('letters.txt') && first.selectedText !== 'bravo');
    });

    it('C10: leaves out a file that is deleted from the disk', async () => {
        await workbench.page.openFile('letters.txt');
        await client.waitForContext('the file', ([first]) => first?.path === at('letters.txt'));
        await fs.rm(at('letters.txt'));
        await client.waitForContext('the deleted file to be gone', files => !files.some(file => file.path === at('letters.txt')));
    });

    it('S16: a link that now leads to a withheld file is no longer shared once the window gets the focus', async () => {
        // Outside the workspace, where nobody watches.
        const way = path.join(workbench.ide.tmpdir, 'way');
        await fs.writeFile(path.join(workbench.ide.tmpdir, 'plain.txt'), 'plain\n');
        await fs.writeFile(path.join(workbench.ide.tmpdir, '.env'), 'SECRET\n');
        await fs.symlink('plain.txt', way);
        await fs.symlink(way, at('notes.txt'));
        await workbench.page.openFile('notes.txt');
        await client.waitForContext('the link', ([first]) => first?.path === at('notes.txt'));
        await fs.rm(way);
        await fs.symlink('.env', way);
        await workbench.page.page.evaluate(() => window.dispatchEvent(new Event('focus')));
        await client.waitForContext('the link to be gone', files => files.every(file => file.path !== at('notes.txt')));
    });

    it('S16: .geminiignore and .qwenignore count for every CLI, as they are now', async () => {
        const { ide, page } = workbench;
        const tells = (what: string, ...names: string[]): Promise<ContextFile[]> =>
            client.waitForContext(what, files => {
                const paths = files.map(file => file.path);
                return (
                    paths.includes(at('README.md')) &&
                    ['many/file-1.txt', 'package.json'].every(n => paths.includes(at(n)) === names.includes(n))
                );
            });
        for (const name of ['README.md', 'many/file-1.txt', 'package.json']) {
            await page.openFile(name);
        }
        await tells('all three files', 'many/file-1.txt', 'package.json');
        await ide.write('.geminiignore', 'many/\n');
        await tells('no file of the folder', 'package.json');
        await ide.write('.qwenignore', '/Package.json\n');
        await tells('neither');
        await ide.write('.geminiignore', '# nothing\n');
        await tells('the file of the folder again', 'many/file-1.txt');
        await ide.remove('.qwenignore');
        await tells('all three files again', 'many/file-1.txt', 'package.json');
    });

    it('shows exactly what was shared with whom, and stays up to date', async () => {
        const { page } = workbench;
        await page.execute('companion.context.show');
        const told = async (): Promise<unknown> => (await page.toldAsJson()).clis[0].told.workspaceState.openFiles;
        await eventually('what was told', async () => JSON.stringify(await told()) === JSON.stringify(client.newestContext));
        await page.openFile('README.md');
        await client.waitForContext('the other file', ([first]) => first?.path === at('README.md'));
        await page.execute('companion.context.show');
        await eventually('the newest to be shown', async () => JSON.stringify(await told()) === JSON.stringify(client.newestContext));
    });

    it('C8, C12, C13: every context so far was well-formed', () => {
        expect(client.errors).to.deep.equal([]);
        expect(client.contexts.length).to.be.greaterThan(10);
        for (const files of client.contexts) {
            expect(files.filter(file => file.isActive).length).to.be.at.most(1);
            files.forEach(expectWellFormed);
        }
    });

    it('S16: the settings of each of several folders apply to its files, and cannot share any again', async () => {
        const { ide } = workbench;
        const settings = (folder: string, content: object): Promise<void> =>
            ide.write(`../${folder}/.theia/settings.json`, JSON.stringify(content));
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
        for (const file of [...files, 'outside.secret', 'last.txt']) {
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
        const before = workbench.page;
        workbench.page = await workbench.openPage(at('../three-folders.theia-workspace'));
        await before.close();
        const roots = [at('../one'), at('../two'), at('../three')].join(path.delimiter);
        const server = await workbench.discovery.serverWith('the folders', ({ content }) => content.workspacePath === roots);
        await client.disconnect();
        client = await ProtocolClient.connectTo(server);
        const opened = [...files, 'one/link.txt'].map(file => at(`../${file}`));
        for (const file of [...opened, at('../last.txt')]) {
            await workbench.page.page.evaluate(name => window.companionProbe.openFile(name, false), file);
        }
        const told = await client.waitForContext(
            'the last file',
            ([first]) => first?.path === at('../last.txt') && first.isActive === true
        );
        expect(opened.filter(file => told.some(({ path: name }) => name === file))).to.deep.equal(
            ['../one/plain.txt', '../three/own/a.txt', '../three/a.secret'].map(at)
        );
        const details = await workbench.page.statusDetails();
        expect(details).to.include('Ignored in one/.theia/settings.json: "!**/.env".');
        expect(details).to.include('three-folders.theia-workspace: "!**".');
    });

    function expectWellFormed(file: ContextFile): void {
        expect(file.path).to.be.a('string');
        expect(file.timestamp).to.be.a('number');
        expect(file.isActive ?? false).to.be.a('boolean');
        if (!file.isActive) {
            expect(file).not.to.have.any.keys('cursor', 'selectedText');
        }
        if (file.cursor) {
            expect(file.cursor.line).to.be.at.least(1);
            expect(file.cursor.character).to.be.at.least(1);
        }
        expect(file.selectedText ?? '').to.be.a('string');
    }

    function isAt(file: ContextFile | undefined, line: number, character: number): boolean {
        return file?.cursor?.line === line && file.cursor.character === character;
    }

    function at(name: string): string {
        return workbench.ide.file(name);
    }
});
