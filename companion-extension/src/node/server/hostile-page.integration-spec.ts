// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { createHash } from 'crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ChangedFile } from '../../common/changes/changes-protocol';
import { CompanionLimits } from '../../common/companion-limits';
import { ContextSnapshot, ReviewSave, SeenFile, ShownText, ShowReviewResult, WindowSnapshot } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { FileAccess } from '../host/file-access';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { LOAD_ID, saveOf, TestPage, typed } from '../test/test-page';

async function refused(call: Promise<unknown>): Promise<void> {
    const outcome = await call.then(
        () => 'taken',
        () => 'refused'
    );
    expect(outcome).to.equal('refused');
}

describe('A backend with a hostile page', () => {
    let backend: TestBackend;
    let good: TestPage;
    let goodConnection: TestConnection;
    let page: TestPage;
    let connection: TestConnection;
    let cli: TestCli;

    beforeEach(async () => {
        backend = new TestBackend();
        backend.container.rebind(FileAccess).toConstantValue(new FileAccess(30_000));
        good = new TestPage();
        goodConnection = backend.connect(good);
        await goodConnection.service.hello(backend.window(good));
        const { port, token } = backend.discovered();
        cli = await TestCli.connect(port, token);
        page = new TestPage();
        connection = backend.connect(page);
    });

    afterEach(async () => {
        await cli.disconnect();
        await backend.stop();
    });

    const nonsense: unknown[] = [undefined, null, 0, -1, 1.5, NaN, Infinity, '', 'x', true, [], {}, { toString: 'x' }, 'x'.repeat(200)];

    it('S20: refuses a hello of any other shape, and creates no window for it', async () => {
        const window = backend.window(page, { windowId: 'evil' });
        const bad: unknown[] = [
            ...nonsense,
            ...Object.keys(window).map(key => ({ ...window, [key]: undefined })),
            { ...window, windowId: '' },
            { ...window, windowId: 'x'.repeat(101) },
            { ...window, windowId: { $ne: 1 } },
            { ...window, roots: 'file:///' },
            { ...window, roots: Array.from({ length: CompanionLimits.roots + 1 }, () => 'file:///') },
            { ...window, roots: ['x'.repeat(CompanionLimits.uri + 1)] },
            { ...window, reviewOpen: 'always' },
            { ...window, enabled: 1 }
        ];
        for (const value of bad) {
            await refused(connection.service.hello(value as WindowSnapshot));
        }
        expect(backend.windows.serverFor('evil')).to.equal(undefined);
    });

    it('S20: roots of every length that is taken leave its shells with variables that Linux accepts', async () => {
        const roots = Array.from({ length: CompanionLimits.roots }, (_, index) => `file:///${index}${'/long'.repeat(800)}`);
        await connection.service.hello(backend.window(page, { windowId: 'evil', roots }));
        const server = backend.windows.serverFor('evil');
        const variables = server
            ? backend.container.get(TerminalEnvironment).variables(server, {}, backend.windows.preferencesOf('evil'))
            : {};
        expect(variables).to.have.property('QWEN_CODE_IDE_SERVER_PORT', String(server?.port));
        Object.entries(variables).forEach(([name, value]) => expect(`${name}=${value}`.length, name).to.be.lessThan(128 * 1024));
    });

    it('S20: refuses everything from a page that has not introduced itself', async () => {
        const { service } = connection;
        await refused(service.readReview('x'));
        await refused(service.acceptReview('x', { revision: PROPOSAL }));
        await refused(service.rejectReview('x'));
        await refused(service.closeReview('x'));
        await refused(service.saveReview(saveOf(LOAD_ID, 'x')));
        await refused(service.readEdit('x'));
        await refused(service.markShown('x'));
        await refused(service.markUndone('file:///x'));
        await refused(service.markTyped('qwen-code'));
        await refused(service.discardEdit('x'));
        await refused(service.updateContext({ sequence: 1, context: {} }));
        await refused(service.realPaths([backend.host.homeFolder]));
        await refused(service.focus(0));
        await refused(service.findCliTerminals([1]));
        await refused(service.findCliIn(1));
        await refused(service.makeUploadFolder(1));
        await refused(service.findCommand('qwen-code'));
        await refused(service.readToldContexts());
        mkdirSync(backend.host.home('.gemini'));
        await refused(service.setIdeMode('gemini-cli', true));
        expect(readdirSync(backend.host.home('.gemini'))).to.deep.equal([]);
        // It may be written for a page that has. A busy disk may take longer than a window waits.
        await eventually('it to be written', async () => (await goodConnection.service.setIdeMode('gemini-cli', true)) === undefined);
        expect(readdirSync(backend.host.home('.gemini'))).to.deep.equal(['settings.json']);
    });

    it('services of one page may be called in any order: what comes before the answer to its hello is refused, and counts once said again', async () => {
        const late = backend.connect(page);
        const greeting = late.service.hello(backend.window(page, { windowId: 'window-9' }));
        await refused(late.service.updateContext({ sequence: 1, context: {} }));
        await refused(late.service.readChanges(false));
        await greeting;
        await late.service.updateContext({ sequence: 1, context: {} });
        expect((await late.service.readChanges(false)).files).to.deep.equal([]);
        expect(await late.service.readToldContexts()).to.deep.equal([]);
        late.disconnect();
    });

    it('S20: refuses contexts of any other shape, because they would disconnect CLIs', async () => {
        const { service } = goodConnection;
        const file = { path: '/a', timestamp: 1 };
        const withFile = (changes: object): unknown => ({ workspaceState: { openFiles: [{ ...file, ...changes }] } });
        const contexts = [
            ...nonsense.filter(value => typeof value !== 'object' || value === null),
            { workspaceState: null },
            { workspaceState: { openFiles: {} } },
            { workspaceState: { openFiles: Array.from({ length: 11 }, () => file) } },
            withFile({ path: 7 }),
            withFile({ path: 'x'.repeat(CompanionLimits.path + 1) }),
            withFile({ timestamp: 'now' }),
            withFile({ timestamp: NaN }),
            withFile({ cursor: null }),
            withFile({ cursor: { line: 0, character: 1 } }),
            withFile({ cursor: { line: 1.5, character: 1 } }),
            withFile({ selectedText: 'x'.repeat(16 * 1024 + 1) }),
            withFile({ isActive: 'yes' })
        ];
        for (const [index, context] of contexts.entries()) {
            await refused(service.updateContext({ sequence: index, context } as ContextSnapshot));
        }
        for (const sequence of [-1, 0.5, NaN, '1', null]) {
            await refused(service.updateContext({ sequence, context: {} } as ContextSnapshot));
        }
        expect(await cli.settled()).to.deep.equal([]);
        // What is not known is left out.
        const extra = { workspaceState: { openFiles: [{ ...file, token: 'x' }], more: 1 }, other: 1 };
        await service.updateContext({ sequence: 1, context: extra } as ContextSnapshot);
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { openFiles: [file] } });
    });

    it('S16, S20: says where a link leads, only for paths', async () => {
        const { service } = goodConnection;
        writeFileSync(backend.host.home('.env'), 'SECRET');
        symlinkSync(backend.host.home('.env'), backend.host.home('notes.txt'));
        const paths = ['notes.txt', 'missing', '.env'].map(name => backend.host.home(name));
        expect(await service.realPaths(paths)).to.deep.equal([backend.host.home('.env'), undefined, backend.host.home('.env')]);
        for (const value of [undefined, null, 7, '', {}, 'x'.repeat(CompanionLimits.path + 1)]) {
            await refused(service.realPaths([value as string]));
            await refused(service.realPaths(value as string[]));
        }
        await refused(service.realPaths(Array.from({ length: CompanionLimits.paths + 1 }, () => '/a')));
    });

    it('S20: refuses files and undos of any other shape', async () => {
        const { service } = goodConnection;
        for (const value of [...nonsense.filter(one => !Array.isArray(one)), [null], [{}], [{ uri: 7, version: 1 }]]) {
            await refused(service.undoFiles(value as ChangedFile[]));
        }
        for (const value of [7, {}, 'file:///elsewhere']) {
            await refused(service.putBack('id', value as string));
        }
        await refused(service.clearUndone('1' as unknown as number));
        await refused(service.markUndone('file:///elsewhere'));
        await refused(service.markShown(7 as unknown as string));
        await refused(service.markTyped({} as string));
    });

    it('S20: looks only at processes that are CLIs of the page’s own window', async () => {
        const { service } = goodConnection;
        for (const value of [undefined, null, 7, ['1'], [0], [-1], [1.5], Array.from({ length: CompanionLimits.shells + 1 }, () => 1)]) {
            await refused(service.findCliTerminals(value as number[]));
        }
        for (const value of [undefined, null, '1', 0, 1.5]) {
            await refused(service.findCliIn(value as number));
            await refused(service.makeUploadFolder(value as number));
        }
        // Of no terminal of that page.
        expect(await service.makeUploadFolder(process.pid)).to.equal(undefined);
        expect(await service.findCliTerminals([process.pid, process.ppid, 1])).to.deep.equal([]);
    });

    it('S20: a page reads, answers and edits no review of another workspace', async () => {
        await connection.service.hello(backend.window(page, { windowId: 'evil', roots: [] }));
        await cli.openDiff(backend.host.home('a.txt'), 'precious');
        const [{ id }] = good.shown;
        const { service } = connection;
        expect(await service.readReview(id)).to.equal(undefined);
        const unknown = { result: 'late', how: 'unknown' };
        for (const shown of [typed('evil'), { revision: PROPOSAL }]) {
            expect(await service.acceptReview(id, shown)).to.deep.equal(unknown);
        }
        expect(await service.rejectReview(id)).to.deep.equal(unknown);
        expect(await service.closeReview(id)).to.deep.equal(unknown);
        await service.saveReview(saveOf(id, 'evil'));
        expect((await goodConnection.service.readReview(id))?.text, 'it is only a kept edit').to.equal(undefined);
        expect(page.state?.reviews ?? []).to.deep.equal([]);
        expect(await cli.settled()).to.deep.equal([]);
        expect(await goodConnection.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'precious' });
    });

    it('S20: refuses answers and edits of any other shape, and the review keeps waiting', async () => {
        await cli.openDiff(backend.host.home('a.txt'), 'new');
        const [{ id }] = good.shown;
        const { service } = goodConnection;
        for (const value of nonsense.filter(one => typeof one !== 'string' || one.length > 100 || one === '')) {
            await refused(service.acceptReview(value as string, { revision: PROPOSAL }));
            await refused(service.readReview(value as string));
        }
        for (const text of [0, true, {}, ['x'], 'x'.repeat(CompanionLimits.editText + 1)]) {
            await refused(service.acceptReview(id, typed(text as string)));
            await refused(service.saveReview(saveOf(id, text as string)));
        }
        for (const shown of [
            undefined,
            null,
            'x',
            0,
            true,
            {},
            { text: 'of no revision' },
            { revision: 'yes' },
            { revision: { page: '', n: 1 } },
            { revision: { page: 'no-uuid', n: 1 } }
        ]) {
            await refused(service.acceptReview(id, shown as ShownText));
        }
        for (const file of ['x', 7, { modifiedAt: 'now' }, { size: {} }]) {
            await refused(service.acceptReview(id, { revision: PROPOSAL }, file as SeenFile));
            await refused(service.lookAtFile('file:///x', file as SeenFile));
        }
        await refused(service.lookAtFile(`file:///${'x'.repeat(40_000)}`));
        for (const revision of [-1, 0, 0.5, NaN, '1', null]) {
            await refused(service.saveReview(saveOf(id, 'x', revision as number)));
        }
        for (const base of [
            null,
            {},
            [7],
            [{ page: LOAD_ID, from: -1, to: 1 }],
            Array.from({ length: 1_001 }, () => ({ page: '', from: 0, to: 0 }))
        ]) {
            await refused(service.saveReview({ ...saveOf(id, 'x'), base: base as ReviewSave['base'] }));
        }
        const about = { reviewId: id, uri: '', cliName: '' };
        // They become names of files.
        const ids = ['..', 'backend', 'settled', id.toUpperCase(), `${id}/x`, ''];
        for (const page of ids) {
            await refused(service.saveReview({ ...saveOf(id, 'x'), revision: { page, n: 1 } }));
        }
        for (const changed of [
            undefined,
            null,
            {},
            { ...about, uri: 'x'.repeat(CompanionLimits.uri + 1) },
            ...ids.map(one => ({ ...about, reviewId: one }))
        ]) {
            await refused(service.saveReview({ ...saveOf(id, 'x'), about: changed as ReviewSave['about'] }));
        }
        expect(await service.readReview(id))
            .to.deep.include({ proposal: 'new' })
            .and.not.to.have.property('text');
    });

    it('S20: accepts no answer of another shape from a page that is asked to show or close a diff', async () => {
        for (const answer of [...nonsense, { shown: 'yes' }, { shown: false }, { shown: false, reason: { text: 'x' } }]) {
            good.showReview = async review => {
                good.shown.push(review);
                return answer as ShowReviewResult;
            };
            good.closeReview = async () => saveOf(good.shown.at(-1)?.id ?? '', answer as string);
            expect(await cli.openDiff(backend.host.home('a.txt'), 'new')).to.deep.equal({ content: [] });
            const { content, isError } = await cli.closeDiff(backend.host.home('a.txt'));
            expect(isError).not.to.equal(true);
            const [block] = content;
            const closed = block.type === 'text' ? (JSON.parse(block.text) as { content: unknown }).content : undefined;
            expect(closed).to.equal(typeof answer === 'string' ? answer : 'new');
        }
        for (const answer of [...nonsense, { revision: 'yes', text: 'x' }, saveOf(LOAD_ID, 'of another review')]) {
            good.closeReview = async () => answer as ReviewSave;
            expect(await cli.openDiff(backend.host.home('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect((await cli.closeDiff(backend.host.home('a.txt'))).content).to.deep.equal([{ type: 'text', text: '{"content":"new"}' }]);
        }
    });

    /** The trust model: who may open a page of this backend has a terminal of its user, so all its pages are one trust domain. */
    it('S20: a page that says hello with a workspace’s folders counts as one of the user’s windows, like one on another device; it gets no token', async () => {
        await cli.openDiff(backend.host.home('a.txt'), 'precious');
        const [{ id }] = good.shown;
        const state = await connection.service.hello(backend.window(page, { windowId: 'another-device' }));
        const { service } = connection;
        expect(state.reviews.map(review => review.id)).to.deep.equal([id]);
        expect(await service.readReview(id)).to.include({ proposal: 'precious' });
        expect(await service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'precious' });
        expect(JSON.stringify([state, page.state, page.shown])).not.to.include(backend.discovered().token);
    });

    it('S12: no page, log or tool answer ever holds a token, a content or a selection', async () => {
        const { token } = backend.discovered();
        await goodConnection.service.updateContext({
            sequence: 1,
            context: { workspaceState: { openFiles: [{ path: '/a', timestamp: 1, isActive: true, selectedText: 'SELECTED' }] } }
        });
        await cli.openDiff(backend.host.home('a.txt'), 'PROPOSED');
        await cli.openDiff('relative', 'PROPOSED');
        await goodConnection.service.acceptReview(good.shown[0].id, typed('EDITED'));
        await fetch(`http://127.0.0.1:${backend.discovered().port}/mcp`, { headers: { Authorization: 'Bearer WRONG' } });
        const told = JSON.stringify([good.state, good.shown, await goodConnection.service.hello(backend.window(good))]);
        const log = backend.logger.lines.join('\n');
        expect(log).to.include('is served on port');
        for (const secret of [token, 'SELECTED', 'PROPOSED', 'EDITED', 'WRONG']) {
            expect(log).not.to.include(secret);
        }
        expect(told).not.to.include(token);
    });

    it('S14: nothing of the project is written, whatever is proposed and answered', async () => {
        const { service } = goodConnection;
        for (const name of ['accepted', 'rejected', 'sub']) {
            if (name === 'sub') {
                mkdirSync(backend.host.home(name));
            } else {
                writeFileSync(backend.host.home(name), `old ${name}`);
            }
        }
        const before = tree(backend.host.homeFolder);
        for (const [name, answer] of [
            ['accepted', () => service.acceptReview(good.shown[0].id, typed('edited'))],
            ['rejected', () => service.rejectReview(good.shown[1].id)],
            ['sub/closed', () => cli.closeDiff(backend.host.home('sub/closed'))]
        ] as Array<[string, () => Promise<unknown>]>) {
            await cli.openDiff(backend.host.home(name), 'new');
            await answer();
        }
        expect(good.shown).to.have.length(3);
        expect(tree(backend.host.homeFolder)).to.deep.equal(before);
    });
});

/** Everything below a folder: a file with a hash of what is in it, and when each was written. */
function tree(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .map(entry => {
            const file = join(entry.parentPath, entry.name);
            const { mode, mtimeMs, isFile } = { ...lstatSync(file), isFile: entry.isFile() };
            const hash = isFile ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
            return [file, mode.toString(8), mtimeMs, hash].join(' ');
        })
        .sort();
}
