// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CuttingProxy } from '../support/cutting-proxy';
import { eventually } from '../support/eventually';
import { ExternalDaemon } from '../support/external-daemon';
import { ENABLED, numbers, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../support/qwen-chat';
import { PageScan } from '../support/page-scan';
import { agentProcesses } from '../support/qwen-daemons';
import { Workbench } from '../support/workbench';

const URL_PREFERENCE = 'qwen-code.experimentalDaemon.url';
const TOKEN_FILE = 'qwen-code.experimentalDaemon.tokenFile';

/** A real `qwen serve` that the IDE is told of, behind a bad network, and with another client. */
describe('Qwen in the chat, over a daemon that somebody else started', () => {
    let workbench: Workbench;
    let chat: QwenChat;
    let daemon: ExternalDaemon;
    let proxy: CuttingProxy;
    let scan: PageScan;
    /** Of all daemons, also of those that ended. */
    const tokens: string[] = [];

    before(async function () {
        this.timeout(120_000);
        workbench = await Workbench.start({
            model: true,
            prepare: async ide => {
                daemon = await ExternalDaemon.start(ide);
                tokens.push(daemon.token);
                proxy = await CuttingProxy.start(daemon.url);
                await setPreferences(ide, {
                    ...SHORT_NOTIFICATIONS,
                    [ENABLED]: true,
                    [URL_PREFERENCE]: proxy.url,
                    [TOKEN_FILE]: await daemon.writeToken(ide)
                });
            },
            prepareTab: async tab => (scan = new PageScan(tab))
        });
        chat = new QwenChat(workbench.page);
        await chat.show();
    });
    after(async () => {
        await workbench?.dispose();
        proxy?.dispose();
        await daemon?.dispose();
    });

    const write = (name: string): Promise<string> =>
        workbench.model.script({ name: 'write_file', args: { file_path: workbench.ide.file(name), content: name } });

    it('shows that the daemon is external, and where', async () => {
        await chat.askAndWait(say({ text: 'Hello from there.' }));
        expect(await chat.statusBar.getAttribute('aria-label'))
            .to.contain(new URL(proxy.url).host)
            .and.to.contain('external')
            .and.to.contain(workbench.ide.workspace);
    });

    it('loses and doubles nothing where the stream is cut every 250 ms', async () => {
        proxy.cutStreamsAfter(250);
        await chat.ask(say({ count: 400, pause: 10 }));
        await chat.waitForAnswer('399 400');
        await chat.waitUntilDone();
        expect(await chat.spoken()).to.equal(numbers(400));
        expect(proxy.cuts).to.be.greaterThan(3);
        proxy.cutStreamsAfter(undefined);
    });

    it('closes a question that another client answers first', async () => {
        await chat.ask(await write('theirs.txt'));
        await chat.waitForQuestion();
        const other = await daemon.join();
        const [{ requestId }] = (await other.status()).pendingInteractions ?? [];
        expect(await other.respondToPermission(requestId, { outcome: { outcome: 'selected', optionId: 'proceed_once' } })).to.equal(true);
        await chat.waitForAnswer('Another client answered first: Allow');
        await chat.waitUntilDone();
        expect(await workbench.ide.read('theirs.txt')).to.equal('theirs.txt');
        expect(await chat.options.count()).to.equal(0);
    });

    it('shows the turn of another client', async () => {
        const other = await daemon.join();
        await other.submitPrompt({ prompt: [{ type: 'text', text: say({ count: 60, pause: 30 }) }] });
        await chat.waitForAnswer('1 2 3');
        await chat.waitForAnswer('Asked by another client');
        await chat.waitForAnswer('59 60');
        await chat.waitForAnswer('This turn has ended.');
    });

    it('goes on to show a turn that runs while the backend ends and starts again', async () => {
        await chat.ask(say({ count: 500, pause: 20 }));
        await chat.waitForAnswer('1 2 3');
        await workbench.ide.end('SIGKILL');
        await workbench.ide.restart(true);
        await workbench.page.reload();
        await chat.waitForAnswer('499 500');
        await chat.waitUntilDone();
        expect(await chat.spoken()).to.equal(numbers(500));
    });

    it('says once when the session died with its process, and goes on after Reconnect, with all that was said', async () => {
        await chat.ask(say({ count: 2_000, pause: 20 }));
        await chat.waitForAnswer('1 2 3');
        agentProcesses(daemon.pid).forEach(pid => process.kill(pid, 'SIGKILL'));
        await chat.answer.locator('.qwen-daemon-problem[data-code="session-died"]').waitFor({ timeout: 60_000 });
        await chat.reconnectButton.waitFor();
        // Theia renders an answer anew when it ends, and its Markdown a moment later.
        const said = await eventually('what was said', async () => (await chat.spoken()) || undefined);
        await chat.waitUntilNoNotification();
        await chat.reconnectButton.click();
        // Before the next message, which would reconnect by itself.
        await chat.reconnectButton.waitFor({ state: 'detached' });
        expect(said).to.match(/^1 2 3/);
        await eventually('the same text', async () => (await chat.spoken()) === said);
        expect(await chat.view.locator('.qwen-daemon-problem').count()).to.equal(1);
        expect(await chat.askAndWait(say({ text: 'Alive again.' }))).to.contain('Alive again.');
    });

    it('says that the token is wrong of a daemon that was started again, and Reconnect reads the new one', async () => {
        const { port } = new URL(daemon.url);
        await daemon.dispose();
        daemon = await ExternalDaemon.start(workbench.ide, workbench.ide.workspace, port);
        tokens.push(daemon.token);
        expect(new URL(daemon.url).port).to.equal(port);
        await chat.ask('Anybody there?');
        await chat.answer.locator('.qwen-daemon-problem[data-code="wrong-token"]').waitFor();
        await chat.reconnectButton.waitFor();
        expect(await chat.answer.locator('.qwen-daemon-problem').count(), 'problems in the answer').to.equal(1);
        expect(await workbench.page.page.locator('.theia-notification-list-item').count(), 'messages over the input').to.equal(0);
        await daemon.writeToken(workbench.ide);
        await chat.execute('Qwen Daemon: Reconnect');
        await chat.reconnectButton.waitFor({ state: 'detached' });
        expect(await chat.askAndWait(say({ text: 'Now with the new token.' }))).to.contain('Now with the new token.');
    });

    it('refuses a daemon of another workspace, with both paths', async () => {
        const elsewhere = await ExternalDaemon.start(workbench.ide, workbench.ide.home);
        tokens.push(elsewhere.token);
        try {
            const file = await elsewhere.writeToken(workbench.ide);
            await setPreferences(workbench.ide, { [URL_PREFERENCE]: elsewhere.url, [TOKEN_FILE]: file });
            await eventually('the new address', async () => (await chat.statusBar.innerText()).includes('not connected yet'));
            await chat.execute('Qwen Daemon: Reconnect');
            await eventually('both paths', async () => {
                const text = (await chat.statusBar.getAttribute('aria-label')) ?? '';
                return text.includes(workbench.ide.workspace) && text.includes(workbench.ide.home);
            });
        } finally {
            await elsewhere.dispose();
        }
    });

    it('never gave a token to the page', async () => {
        expect(await scan.placesOf('Now with the new token.'), 'what the page was told').to.include('wire');
        for (const token of tokens) {
            expect(await scan.placesOf(token)).to.deep.equal([]);
        }
    });
});
