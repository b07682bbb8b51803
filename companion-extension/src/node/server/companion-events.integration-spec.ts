// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { TestBackend, TestConnection } from '../test/test-backend';
import { TestCli } from '../test/test-cli';
import { saveOf, TestPage, typed } from '../test/test-page';
import { CompanionEvents } from './companion-events';

describe('The events that a product gets', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let cli: TestCli;
    let heard: Array<[string, object]>;
    let file: string;
    const OWNER = { cliId: 'qwen-code', displayName: 'Qwen Code', windowId: 'window-1' };

    beforeEach(async () => {
        backend = new TestBackend();
        file = backend.host.home('a.txt');
        heard = [];
        const events = backend.container.get<CompanionEvents>(CompanionEvents);
        events.onDidConnect(event => heard.push(['connect', event]));
        events.onDidDisconnect(event => heard.push(['disconnect', event]));
        events.onDidShareContext(event => heard.push(['share', event]));
        events.onDidOpenReview(event => heard.push(['open', event]));
        events.onDidCloseReview(event => heard.push(['close', event]));
        page = new TestPage();
        connection = backend.connect(page);
        await connection.service.hello(backend.window(page));
        const { port, token } = backend.discovered();
        cli = await TestCli.connect(port, token);
    });

    afterEach(async () => {
        await cli.disconnect();
        await backend.stop();
    });

    /** The events after the CLI had connected. */
    function heardSince(): Array<[string, object]> {
        return heard.slice(1);
    }

    async function propose(): Promise<{ reviewId: string; path: string } & typeof OWNER> {
        await cli.openDiff(file, 'proposed');
        return { ...OWNER, reviewId: page.shown[page.shown.length - 1].id, path: file };
    }

    it('a CLI connects, and ends: the same object', async () => {
        expect(heard).to.deep.equal([['connect', OWNER]]);
        await cli.terminate();
        expect(heardSince()).to.deep.equal([['disconnect', OWNER]]);
        expect(heard[1][1]).to.equal(heard[0][1]);
    });

    it('a proposal opens, and is accepted as the user edited it', async () => {
        const review = await propose();
        await connection.service.acceptReview(review.reviewId, typed('edited'));
        expect(heardSince()).to.deep.equal([
            ['open', review],
            ['close', { ...review, outcome: 'accepted', edited: true }]
        ]);
    });

    it('a proposal is answered in the terminal: the event comes at once, and says whether the text was edited', async () => {
        const untouched = await propose();
        await cli.closeDiff(file, true);
        const edited = await propose();
        await connection.service.saveReview(saveOf(edited.reviewId, 'edited'));
        await cli.closeDiff(file, true);
        expect(heardSince()).to.deep.equal([
            ['open', untouched],
            ['close', { ...untouched, outcome: 'terminal', edited: false }],
            ['open', edited],
            ['close', { ...edited, outcome: 'terminal', edited: true }]
        ]);
    });

    it('files are shared: their paths and whether something is selected, no text, and not again for a cursor that moves', async () => {
        const share = (sequence: number, line: number, selectedText?: string): Promise<void> => {
            const cursor = { line, character: 1 };
            const openFiles = [{ path: file, timestamp: 1, isActive: true, cursor, selectedText }];
            return connection.service.updateContext({ sequence, context: { workspaceState: { openFiles } } });
        };
        await share(1, 1);
        await share(2, 2);
        await share(3, 2, 'secret');
        await share(4, 2, 'another');
        await connection.service.updateContext({ sequence: 5, context: { workspaceState: { openFiles: [] } } });
        expect(heardSince()).to.deep.equal([
            ['share', { ...OWNER, files: [{ path: file, selection: false }] }],
            ['share', { ...OWNER, files: [{ path: file, selection: true }] }],
            ['share', { ...OWNER, files: [] }]
        ]);
    });

    it('a proposal is rejected, replaced, or left behind by a CLI that ends', async () => {
        const rejected = await propose();
        await connection.service.rejectReview(rejected.reviewId);
        const replaced = await propose();
        const left = await propose();
        await cli.terminate();
        const untouched = { edited: false };
        expect(heardSince()).to.deep.equal([
            ['open', rejected],
            ['close', { ...rejected, ...untouched, outcome: 'rejected' }],
            ['open', replaced],
            ['close', { ...replaced, ...untouched, outcome: 'closed' }],
            ['open', left],
            ['close', { ...left, ...untouched, outcome: 'orphaned' }],
            ['disconnect', OWNER]
        ]);
    });

    it('a window that is switched off ends what is connected to it', async () => {
        const review = await propose();
        await connection.service.hello(backend.window(page, { enabled: false }));
        expect(heardSince().map(([what]) => what)).to.have.members(['open', 'disconnect', 'close']);
        expect(heardSince()).to.deep.include(['close', { ...review, outcome: 'orphaned', edited: false }]);
    });
});
