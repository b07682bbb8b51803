// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { pathToFileURL } from 'url';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { StatusPick } from '../support/status-pick';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

describe('Windows of one backend', () => {
    let workbench: Workbench;
    let file: DiscoveryFile;
    let client: ProtocolClient;

    before(async () => {
        workbench = await Workbench.start({ files: { 'main.txt': 'main\n', 'nested/inner.txt': 'inner\n' } });
        [file] = await workbench.discovery.published();
        client = await ProtocolClient.connect(workbench.ide);
    });
    after(async () => {
        await client?.disconnect();
        await workbench?.dispose();
    });

    it('a duplicated tab is a separate window', async () => {
        const { page } = workbench.page;
        const [copy] = await Promise.all([
            page.waitForEvent('popup'),
            // Without `noopener` the new tab begins with a copy of the session storage, as a duplicated one does.
            page.evaluate(() => void window.open(location.href))
        ]);
        const duplicate = await IdePage.of(copy, workbench.ide.workspace);
        const theirs = await serverBeside('the duplicate');
        await (await expectReviewsApart(workbench.page, client, duplicate, theirs)).disconnect();
        expect(await idOf(duplicate)).not.to.equal(await idOf(workbench.page));
        await duplicate.reload();
        expect(await workbench.discovery.ports()).to.deep.equal(new Set([file.port, theirs.port]));
        await duplicate.close();
    });

    it("a window on a subfolder of another window's folder is separate, in reviews and in context", async () => {
        const nested = await workbench.openPage(workbench.ide.file('nested'));
        const theirs = await workbench.discovery.serverWith('the nested folder', ({ content }) =>
            content.workspacePath.endsWith('/nested')
        );
        const inner = await expectReviewsApart(workbench.page, client, nested, theirs);
        await workbench.page.openFile('main.txt');
        await client.waitForContext('main.txt', ([first]) => first?.path.endsWith('main.txt'));
        await nested.openFile('inner.txt');
        await inner.waitForContext('inner.txt', ([first]) => first?.path.endsWith('inner.txt'));
        expect(client.newestContext?.map(({ path: name }) => name)).not.to.include(workbench.ide.file('nested/inner.txt'));
        await inner.disconnect();
        await nested.close();
    });

    it('D10: a window on several folders gives each CLI those it understands, names the others, and follows what comes and goes', async () => {
        const folders = ['first root', 'hundred%', 'with:colon', 'second root'].map(name => path.join(workbench.ide.root, name));
        await Promise.all(folders.map(folder => fs.mkdir(folder)));
        const [first, percent, colon, second] = folders;
        const workspaceFile = path.join(workbench.ide.root, 'several.theia-workspace');
        await writeRoots(workspaceFile, first, percent, colon);
        const page = await workbench.openPage(workspaceFile);
        const theirs = await workbench.discovery.serverWith(
            'the folders that each CLI understands',
            ({ kind, content }) => content.workspacePath === (kind === 'gemini' ? first : `${first}:${percent}`)
        );
        await eventually('a notice of what is left out', async () => {
            const details = await page.statusDetails();
            return details.includes(percent) && details.includes(colon);
        });
        const inside = await ProtocolClient.connectTo(theirs);
        await writeRoots(workspaceFile, first, second);
        const both = await workbench.discovery.serverWith('both roots', ({ content }) => content.workspacePath === `${first}:${second}`);
        expect(both.port).to.equal(theirs.port);
        await eventually('the notice to go', async () => !(await page.statusDetails()).includes('%'));
        await inside.openDiff(path.join(second, 'new.txt'), 'proposed\n');
        await (await page.waitForDiff(path.join(second, 'new.txt'))).accept();
        await inside.waitForOutcome(path.join(second, 'new.txt'));

        await inside.openDiff(path.join(first, 'waits.txt'), 'proposed\n');
        const waiting = await page.waitForDiff(path.join(first, 'waits.txt'));
        await writeRoots(workspaceFile, second);
        const one = await workbench.discovery.serverWith('the root that is left', ({ content }) => content.workspacePath === second);
        expect(one.port).to.equal(theirs.port);
        await inside.openDiff(path.join(first, 'late.txt'), 'proposed\n');
        const late = await page.waitForDiff(path.join(first, 'late.txt'));
        await late.waitForNotice('outside this workspace');
        await late.accept();
        await inside.waitForOutcome(path.join(first, 'late.txt'));
        await waiting.accept();
        await inside.waitForOutcome(path.join(first, 'waits.txt'));
        expect(inside.errors).to.deep.equal([]);
        await inside.disconnect();
        await page.close();
    });

    it('a window without a folder has a server that names none', async () => {
        const page = await workbench.openEmptyPage();
        const theirs = await workbench.discovery.serverWith('no folder', ({ content }) => content.workspacePath === '');
        const outside = await ProtocolClient.connectTo(theirs);
        await outside.openDiff(path.join(workbench.ide.root, 'loose.txt'), 'proposed\n');
        await (await page.waitForDiff(path.join(workbench.ide.root, 'loose.txt'))).accept();
        await outside.waitForOutcome(path.join(workbench.ide.root, 'loose.txt'));
        await outside.disconnect();
        await page.close();
    });

    it('A5: an environment variable collection of a plugin does not redirect new terminals', async () => {
        const theirs = { QWEN_CODE_IDE_SERVER_PORT: '1', GEMINI_CLI_IDE_SERVER_PORT: '1', OF_THE_PLUGIN: 'there' };
        await workbench.page.page.evaluate(
            variables => window.companionProbe.setCollection('google.gemini-cli-vscode-ide-companion', variables),
            theirs
        );
        const terminal = await workbench.page.openTerminal();
        expect(await printed(terminal, '$OF_THE_PLUGIN $QWEN_CODE_IDE_SERVER_PORT $GEMINI_CLI_IDE_SERVER_PORT')).to.equal(
            `there ${file.port} ${file.port}`
        );
    });

    it('companion.enabled = false closes the server and removes its files at once; the list turns it on, and a new one is made', async () => {
        const before = await workbench.discovery.ports();
        await workbench.ide.changeSettings({ 'companion.enabled': false });
        await workbench.page.waitForStatus('Companion off');
        await eventually('the files to go', async () => !(await workbench.discovery.ports()).has(file.port));
        await client.disconnect();
        await (await StatusPick.open(workbench.page.page)).choose('Turn On the Companion');
        const again = await workbench.discovery.serverWith('the new server', ({ port }) => !before.has(port));
        client = await ProtocolClient.connectTo(again);
        await workbench.page.waitForStatus('connected');
        expect(await printed(await workbench.page.openTerminal(), '$GEMINI_CLI_IDE_SERVER_PORT')).to.equal(String(again.port));
    });

    it('C8: trust that is refused when Theia asks is reported as refused', async () => {
        await workbench.ide.changeSettings({
            'security.workspace.trust.enabled': true,
            'security.workspace.trust.startupPrompt': 'always'
        });
        const before = await workbench.discovery.ports();
        const page = await workbench.openElsewhere();
        const theirs = await workbench.discovery.serverWith('the new window', ({ port }) => !before.has(port));
        const refused = await ProtocolClient.connectTo(theirs);
        const answer = page.page.getByRole('button', { name: "No, I don't trust the authors" });
        await answer.waitFor();
        expect(refused.trusted, 'while the question is open').to.equal(undefined);
        await answer.click();
        await eventually('the trust that was refused', () => refused.trusted === false);
        const later = await ProtocolClient.connectTo(theirs);
        await eventually('the same for a CLI that comes later', () => later.trusted === false);
        await later.disconnect();
        await refused.disconnect();
    });

    it('two backends of one user do not disturb each other', async () => {
        await workbench.ide.changeSettings({ 'security.workspace.trust.enabled': false });
        const mine = (await workbench.discovery.all()).filter(({ port }) => port === client.port).map(({ file: name }) => name);
        const before = await workbench.discovery.ports();
        const other = await workbench.ide.startBeside();
        try {
            const page = await workbench.openElsewhere(undefined, other.url);
            const theirs = await workbench.discovery.serverWith('the other backend', ({ port }) => !before.has(port));
            const stranger = await expectReviewsApart(workbench.page, client, page, theirs);
            await stranger.disconnect();
            await page.close();
            await other.end('SIGKILL');
            expect((await workbench.discovery.all()).map(({ file: name }) => name)).to.include.members(mine);
            await other.restart();
            await eventually(
                'the files of the killed backend to be swept',
                async () => !(await workbench.discovery.ports()).has(theirs.port)
            );
        } finally {
            await other.dispose();
        }
        expect((await workbench.discovery.all()).map(({ file: name }) => name)).to.include.members(mine);
        expect(client.errors).to.deep.equal([]);
    });

    /** The server of the only other window. */
    function serverBeside(name: string): Promise<DiscoveryFile> {
        return workbench.discovery.serverWith(name, ({ port }) => port !== file.port);
    }

    /** A review shows in the window of the server that it came from, and nowhere else. */
    async function expectReviewsApart(
        ours: IdePage,
        ourClient: ProtocolClient,
        theirPage: IdePage,
        theirs: DiscoveryFile
    ): Promise<ProtocolClient> {
        const theirClient = await ProtocolClient.connectTo(theirs);
        const name = workbench.ide.file('nested/apart.txt');
        await theirClient.openDiff(name, 'theirs\n');
        await ourClient.openDiff(name, 'ours\n');
        for (const [page, text] of [
            [theirPage, 'theirs\n'],
            [ours, 'ours\n']
        ] as const) {
            const diff = await page.waitForDiff(name);
            // It opens behind where an editor has the keyboard.
            await diff.activate();
            expect(await diff.right()).to.equal(text);
        }
        await ourClient.closeDiff(name, true);
        await ours.waitUntilNoDiff();
        await (await theirPage.waitForDiff(name)).accept();
        expect((await theirClient.waitForOutcome(name)).params.content).to.equal('theirs\n');
        expect(await ourClient.settledOutcomes(name)).to.deep.equal([]);
        return theirClient;
    }

    function idOf({ page }: IdePage): Promise<string | null> {
        return page.evaluate(() => sessionStorage.getItem('companion.windowId'));
    }

    async function printed(terminal: Terminal, words: string): Promise<string> {
        const target = path.join(workbench.ide.root, `printed-${Math.random()}`);
        await terminal.submit(`echo ${words} > '${target}.part' && mv '${target}.part' '${target}'`);
        return (await eventually('what the terminal prints', () => fs.readFile(target, 'utf8'), { state: () => terminal.text() })).trim();
    }

    async function writeRoots(target: string, ...roots: string[]): Promise<void> {
        await fs.writeFile(target, JSON.stringify({ folders: roots.map(root => ({ path: pathToFileURL(root).toString() })) }));
    }
});
