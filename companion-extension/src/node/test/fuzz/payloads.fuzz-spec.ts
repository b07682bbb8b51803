// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { backendPreferences } from '../../../common/companion-preferences';
import { ContextSnapshot, ReviewSave, ShownText, WindowSnapshot } from '../../../common/companion-protocol';
import { PROPOSAL } from '../../../common/revision';
import { visibleText } from '../../../common/visible-text';
import { TestBackend, TestConnection } from '../test-backend';
import { TestCli } from '../test-cli';
import { LOAD_ID, saveOf, TestPage, typed } from '../test-page';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

describe('Fuzz: payloads of pages', function () {
    this.timeout(fuzzTimeout());

    let backend: TestBackend;
    let good: TestConnection;
    let page: TestPage;
    let cli: TestCli;

    before(async () => {
        backend = new TestBackend();
        page = new TestPage();
        good = backend.connect(page);
        await good.service.hello(backend.window(page));
        const { port, token } = backend.discovered();
        cli = await TestCli.connect(port, token);
    });

    after(async () => {
        await cli.disconnect();
        await backend.stop();
    });

    const anything = fc.oneof(fc.anything(), fc.jsonValue());

    it('any hello is refused or answered with a state, and creates one window at most', async () => {
        const stranger = new TestPage();
        const { service } = backend.connect(stranger);
        const window = fc.record({
            windowId: fc.oneof(fc.constant('fuzzed'), anything),
            loadId: fc.oneof(fc.constant('load'), anything),
            roots: fc.oneof(fc.array(fc.oneof(fc.webUrl(), fc.string(), fc.constant('file:///tmp'))), anything),
            enabled: fc.oneof(fc.boolean(), anything),
            focused: fc.oneof(fc.boolean(), anything),
            reviewOpen: fc.oneof(fc.constantFrom('reveal', 'never'), anything),
            preferences: fc.oneof(fc.constant(backendPreferences()), anything)
        });
        const property = fc.asyncProperty(fc.oneof(window, anything), async value => {
            const state = await service.hello(value as WindowSnapshot).catch(() => undefined);
            if (state) {
                expect(state.status.state).to.be.oneOf(['ready', 'disabled', 'failed']);
            }
        });
        await fc.assert(property, { ...fuzzBounds() });
        expect(backend.windows.serverFor('window-1')).not.to.equal(undefined);
        expect(await cli.client.ping()).to.deep.equal({});
    });

    it('any context is refused or reaches the CLIs in the form that they accept', async () => {
        const file = fc.record(
            {
                path: fc.oneof(fc.string(), anything),
                timestamp: fc.oneof(fc.double(), anything),
                isActive: fc.oneof(fc.boolean(), anything),
                cursor: fc.oneof(fc.record({ line: fc.integer(), character: fc.integer() }), anything),
                selectedText: fc.oneof(fc.string({ unit: 'binary', maxLength: 20_000 }), anything)
            },
            { requiredKeys: [] }
        );
        const context = fc.record({ workspaceState: fc.record({ openFiles: fc.array(file), isTrusted: anything }, { requiredKeys: [] }) });
        let sequence = 0;
        const property = fc.asyncProperty(fc.oneof(context, anything), async value => {
            await good.service.updateContext({ sequence: ++sequence, context: value } as ContextSnapshot).catch(() => undefined);
            for (const { params } of await cli.settled()) {
                expect(JSON.stringify(params)).not.to.include('null');
                const { workspaceState } = params as { workspaceState?: { openFiles?: unknown[] } };
                expect(workspaceState?.openFiles?.length ?? 0).to.be.at.most(10);
            }
            cli.received.length = 0;
        });
        await fc.assert(property, fuzzBounds());
        expect(cli.errors).to.deep.equal([]);
    });

    it('no outcome is lost or doubled, whatever a page says in between', async () => {
        const ids = fc.oneof(fc.constant('own'), anything);
        const shown = fc.constantFrom({}, { revision: PROPOSAL }, typed('edited'));
        const edit = fc.record({ revision: fc.nat(3), text: fc.string() }).map(({ revision, text }) => saveOf(LOAD_ID, text, revision));
        const value = fc.oneof(anything, shown, edit);
        const call = fc.record({ kind: fc.constantFrom('accept', 'reject', 'closeTab', 'edit', 'read', 'close'), id: ids, value });
        const property = fc.asyncProperty(fc.array(call, { maxLength: 10 }), async calls => {
            const file = backend.host.home('a.txt');
            page.shown.length = 0;
            await cli.openDiff(file, 'proposal');
            const own = page.shown[0].id;
            let closed = 0;
            for (const { kind, id, value } of calls) {
                const reviewId = (id === 'own' ? own : id) as string;
                const { service } = good;
                const acts: Record<string, () => Promise<unknown>> = {
                    accept: () => service.acceptReview(reviewId, value as ShownText),
                    reject: () => service.rejectReview(reviewId),
                    closeTab: () => service.closeReview(reviewId),
                    edit: () => service.saveReview({ ...(value as ReviewSave), about: { reviewId, uri: '', cliName: '' } }),
                    read: () => service.readReview(reviewId),
                    close: async () => (closed += (await cli.closeDiff(file)).isError ? 0 : 1)
                };
                await acts[kind]().catch(() => undefined);
            }
            closed += (await cli.closeDiff(file)).isError ? 0 : 1;
            const outcomes = (await cli.settled()).filter(({ method }) => method !== 'ide/contextUpdate').length;
            cli.received.length = 0;
            expect(outcomes + closed).to.equal(1);
        });
        await fc.assert(property, fuzzBounds());
    });

    it('shown text is one line without anything invisible', () => {
        const invisible = [/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u, /[\u115f\u1160\u2800\u3164\uffa0]|\u034f/];
        const property = fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
            invisible.forEach(characters => expect(visibleText(text)).not.to.match(characters));
        });
        fc.assert(property, fuzzBounds());
    });
});
