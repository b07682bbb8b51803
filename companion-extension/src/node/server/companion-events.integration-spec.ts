// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { symlinkSync, writeFileSync } from 'fs';
import { expect } from 'chai';
import { PROPOSAL } from '../../common/revision';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { saveOf, TestPage, typed } from '../test/test-page';
import { CompanionEventOptions, CompanionEvents, CompanionRecord, SharedFiles } from './companion-events';

describe('The events that a product gets', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let cli: TestCli;
    let records: CompanionRecord[];
    let shared: SharedFiles[];
    let file: string;
    const OWNER = { cliId: 'qwen-code', windowId: 'window-1' };

    beforeEach(async () => {
        backend = new TestBackend();
        await listen();
    });

    /** A product that listens from the start; then a page, and a CLI. */
    async function listen(): Promise<void> {
        file = backend.host.home('a.txt');
        [records, shared] = [[], []];
        const events = backend.container.get<CompanionEvents>(CompanionEvents);
        events.onDidRecord(record => records.push(record));
        events.onDidShareContext(event => shared.push(event));
        page = new TestPage();
        connection = backend.connect(page);
        await connection.service.hello(backend.window(page));
        cli = await connect();
    }

    afterEach(async () => {
        await cli.disconnect();
        await backend.stop();
        expect(new Set(records.map(({ id }) => id)).size).to.equal(records.length);
        expect(records.filter(({ at }) => new Date(at).toISOString() !== at)).to.deep.equal([]);
    });

    function connect(): Promise<TestCli> {
        const { port, token } = backend.discovered();
        return TestCli.connect(port, token);
    }

    /** @returns what was recorded since the last call, without ids and times */
    function recorded(): object[] {
        return records.slice(taken, (taken = records.length)).map(({ id: _, at: __, ...event }) => event);
    }
    let taken = 0;
    beforeEach(() => (taken = 0));

    function hashOf(path: string): string {
        return createHash('sha256').update(path).digest('hex');
    }

    /** @returns makes what is recorded of the proposal */
    async function propose(): Promise<{ id: string; of: (kind: string) => object }> {
        await cli.openDiff(file, 'the secret text');
        const { id } = page.shown[page.shown.length - 1];
        return { id, of: kind => ({ ...OWNER, kind, reviewId: id, file: hashOf(file) }) };
    }

    it('a CLI connects, ends, and comes back', async () => {
        expect(recorded()).to.deep.equal([{ ...OWNER, kind: 'connected' }]);
        await cli.terminate();
        expect(recorded()).to.deep.equal([{ ...OWNER, kind: 'disconnected' }]);
        cli = await connect();
        expect(recorded()).to.deep.equal([{ ...OWNER, kind: 'connected' }]);
    });

    it('a proposal is shown, and accepted as the user edited it: no text, and no path', async () => {
        recorded();
        const { id, of } = await propose();
        expect(recorded(), 'a page may open it behind another tab').to.deep.equal([of('proposed')]);
        await connection.service.markShown(id);
        await connection.service.saveReview(saveOf(id, 'edited by hand'));
        await connection.service.acceptReview(id, typed('edited by hand'));
        await connection.service.acceptReview(id, typed('edited by hand'));
        expect(recorded()).to.deep.equal([of('shown'), of('edited'), of('accepted')]);
        expect(JSON.stringify(records)).not.to.match(/secret|by hand|a\.txt/);
    });

    it('two windows show a proposal, and both answer: each is told once', async () => {
        recorded();
        const second = new TestPage();
        const { service } = backend.connect(second);
        await service.hello(backend.window(second, { windowId: 'window-2' }));
        const { id, of } = await propose();
        await eventually('the other window', () => second.state?.reviews.length === 1);
        await connection.service.markShown(id);
        await service.markShown(id);
        await connection.service.markShown(id);
        await service.acceptReview(id, { revision: PROPOSAL });
        await connection.service.rejectReview(id);
        await service.markShown(id);
        expect(recorded()).to.deep.equal([of('proposed'), of('shown'), of('accepted')]);
    });

    it('an accept is undone, once, also after its CLI has ended', async () => {
        writeFileSync(file, 'before');
        recorded();
        const { id, of } = await propose();
        await connection.service.acceptReview(id, { revision: PROPOSAL });
        writeFileSync(file, 'the secret text');
        await eventually('a verdict', () => page.state?.accepted.length === 1);
        await cli.terminate();
        await connection.service.forgetAccepted(id);
        await connection.service.forgetAccepted(id);
        expect(recorded()).to.deep.equal([of('proposed'), of('accepted'), { ...OWNER, kind: 'disconnected' }, of('acceptUndone')]);
    });

    it('a proposal is answered in the terminal: the record comes at once, and says whether the text was edited', async () => {
        recorded();
        const untouched = await propose();
        await cli.closeDiff(file, true);
        expect(recorded()).to.deep.equal([untouched.of('proposed'), untouched.of('terminal')]);
        const edited = await propose();
        await connection.service.saveReview(saveOf(edited.id, 'edited'));
        await cli.closeDiff(file, true);
        expect(recorded()).to.deep.equal([edited.of('proposed'), edited.of('edited'), edited.of('terminal')]);
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
        const owner = { ...OWNER, displayName: 'Qwen Code' };
        expect(shared).to.deep.equal([
            { ...owner, files: [{ path: file, selection: false }] },
            { ...owner, files: [{ path: file, selection: true }] },
            { ...owner, files: [] }
        ]);
    });

    it('a proposal is rejected, replaced, or left behind by a CLI that ends', async () => {
        recorded();
        const rejected = await propose();
        await connection.service.rejectReview(rejected.id);
        await connection.service.rejectReview(rejected.id);
        const replaced = await propose();
        const left = await propose();
        await cli.terminate();
        expect(recorded()).to.deep.equal([
            rejected.of('proposed'),
            rejected.of('rejected'),
            replaced.of('proposed'),
            replaced.of('closed'),
            left.of('proposed'),
            left.of('orphaned'),
            { ...OWNER, kind: 'disconnected' }
        ]);
    });

    it('a window that is switched off ends what is connected to it', async () => {
        recorded();
        const { of } = await propose();
        await connection.service.hello(backend.window(page, { enabled: false }));
        expect(recorded()).to.have.deep.members([of('proposed'), { ...OWNER, kind: 'disconnected' }, of('orphaned')]);
    });

    it('something is typed into the prompt of a CLI', async () => {
        recorded();
        await connection.service.markTyped('qwen-code');
        await connection.service.markTyped('unknown');
        expect(recorded()).to.deep.equal([{ ...OWNER, kind: 'promptTyped' }]);
    });

    it('a file has one name, and its path if the product asks for that', async () => {
        await cli.disconnect();
        await backend.stop();
        backend = new TestBackend();
        backend.container.bind<CompanionEventOptions>(CompanionEventOptions).toConstantValue({ paths: true });
        await listen();
        writeFileSync(file, 'text');
        const link = backend.host.home('link.txt');
        symlinkSync(file, link);
        await cli.openDiff(link, 'proposed');
        await cli.openDiff(file, 'proposed');
        expect(records.flatMap(record => ('file' in record ? record.file : []))).to.deep.equal([file, file]);
    });
});
