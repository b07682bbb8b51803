// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { ContextFile, ProtocolClient } from '../support/protocol-client';
import { ReviewFixture } from '../support/review-fixture';
import { Workbench } from '../support/workbench';

const EXCLUDE = 'companion.context.exclude';
const SHARE = 'companion.context.share';

describe('Context, seen by an MCP client', () => {
    let workbench: Workbench;
    let client: ProtocolClient;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
    });

    it('C2, C3, C4, C5, C6, C7, C9, C10, C11: follows what a user does in the editors, and keeps the active file while the terminal has the focus', async () => {
        const { page, ide } = workbench;
        const opened = Date.now();
        await page.openFile('README.md');
        const [file] = await client.waitForContext('the opened file', ([first]) => isActive(first, 'README.md'));
        expect(path.isAbsolute(file.path)).to.equal(true);
        expect(file.timestamp, 'the time when it got the focus').to.be.within(opened, Date.now());
        const editor = await page.openFile('letters.txt');
        const both = await client.waitForContext('the second file', ([first]) => isActive(first, 'letters.txt'));
        expect(both.map(({ path }) => path)).to.deep.equal([at('letters.txt'), at('README.md')]);
        await editor.placeCursorInLineWithLineNumber(2);
        await page.press('Home', 'ArrowRight', 'ArrowRight');
        await client.waitForContext('the third character of line 2', ([first]) => isAt(first, 2, 3));
        await page.press('End', 'Shift+Home');
        await client.waitForContext('what is selected backwards', ([first]) => first?.selectedText === 'bravo');
        await page.press('Home', 'Shift+ArrowUp');
        await client.waitForContext('the line above', ([first]) => first?.selectedText === 'alpha\n' && isAt(first, 1, 1));
        const before = client.contexts.length;
        await page.moveCursorOften(at('letters.txt'), 100);
        await client.waitForContext('the end of the burst', ([first]) => isAt(first, 3, 2) && first?.selectedText === undefined);
        expect(client.contexts.length - before, 'notifications of a burst').to.be.within(1, 10);
        const terminal = await page.openTerminal();
        await terminal.submit('touch typed-in-terminal');
        await eventually('the command to run', () => ide.exists('typed-in-terminal'));
        expect(client.newestContext?.[0]).to.include({ path: at('letters.txt'), isActive: true });
        await fs.rm(at('letters.txt'));
        await client.waitForContext('the deleted file to be gone', files => !files.some(({ path }) => path === at('letters.txt')));
        await (await page.openFile('README.md')).close();
        await client.waitForContext('the closed file to be gone', files => files.length === 0);
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
        const page = await workbench.openPage(at('../three-folders.theia-workspace'));
        const roots = [at('../one'), at('../two'), at('../three')].join(path.delimiter);
        const server = await workbench.discovery.serverWith('the folders', ({ content }) => content.workspacePath === roots);
        const theirs = await ProtocolClient.connectTo(server);
        const opened = [...files, 'one/link.txt'].map(file => at(`../${file}`));
        for (const file of [...opened, at('../last.txt')]) {
            await page.page.evaluate(name => window.companionProbe.openFile(name, false), file);
        }
        const told = await theirs.waitForContext(
            'the last file',
            ([first]) => first?.path === at('../last.txt') && first.isActive === true
        );
        expect(opened.filter(file => told.some(({ path: name }) => name === file))).to.deep.equal(
            ['../one/plain.txt', '../three/own/a.txt', '../three/a.secret'].map(at)
        );
        const details = await page.statusDetails();
        expect(details).to.include('Ignored in one/.theia/settings.json: "!**/.env".');
        expect(details).to.include('three-folders.theia-workspace: "!**".');
        await theirs.disconnect();
        await page.close();
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

    function isActive(file: ContextFile | undefined, name: string): boolean {
        return file?.path === at(name) && file.isActive === true;
    }

    function isAt(file: ContextFile | undefined, line: number, character: number): boolean {
        return file?.cursor?.line === line && file.cursor.character === character;
    }

    function at(name: string): string {
        return workbench.ide.file(name);
    }
});
