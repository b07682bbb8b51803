// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CuttingProxy } from '../support/cutting-proxy';
import { ExternalDaemon } from '../support/external-daemon';
import { ENABLED, numbers, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../support/qwen-chat';
import { PageScan } from '../support/page-scan';
import { Workbench } from '../support/workbench';

const URL_PREFERENCE = 'qwen-code.experimentalDaemon.url';
const TOKEN_FILE = 'qwen-code.experimentalDaemon.tokenFile';

/** A real `qwen serve` that the IDE is told of, behind a bad network. */
describe('Qwen in the chat, over a daemon that somebody else started', () => {
    let workbench: Workbench;
    let chat: QwenChat;
    let daemon: ExternalDaemon;
    let proxy: CuttingProxy;
    let scan: PageScan;

    before(async function () {
        this.timeout(120_000);
        workbench = await Workbench.start({
            model: true,
            prepare: async ide => {
                daemon = await ExternalDaemon.start(ide);
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

    it('never gave its token to the page', async () => {
        // The stream may be cut within any of them.
        const told = await Promise.all(['496', '497', '498', '499'].map(text => scan.placesOf(text)));
        expect(told.flat(), 'what the page was told').to.include('wire');
        expect(await scan.placesOf(daemon.token)).to.deep.equal([]);
    });
});
