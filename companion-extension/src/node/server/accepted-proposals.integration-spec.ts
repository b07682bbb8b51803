// SPDX-License-Identifier: Apache-2.0

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { AcceptedProposal } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

describe('What pages are told of a proposal that was accepted', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let qwen: TestCli;
    let elsewhere: string;

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
        elsewhere = realpathSync(mkdtempSync(path.join(tmpdir(), 'companion-elsewhere-')));
        const { preferences } = backend.window(page);
        // There is no git, and nothing is tracked.
        await connection.service.hello(backend.window(page, { preferences: { ...preferences, 'companion.changes.track': 'off' } }));
        const { port, token } = backend.discovered();
        qwen = await TestCli.connect(port, token);
    });

    afterEach(async () => {
        await qwen.disconnect();
        await backend.stop();
        rmSync(elsewhere, { recursive: true });
    });

    /** The user accepts, and the CLI writes. @returns what the page is told */
    async function accept(file: string, text: string, written = text): Promise<AcceptedProposal> {
        await qwen.openDiff(file, text);
        const { id } = page.shown[page.shown.length - 1];
        expect(await connection.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'done' });
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, written);
        return eventually('a verdict', () => page.state?.accepted.find(proposal => proposal.id === id));
    }

    it('is its verdict, with an undo, wherever the file lies', async () => {
        const [inside, outside] = [backend.host.home('a.txt'), path.join(elsewhere, 'new.txt')];
        writeFileSync(inside, 'before\n');
        const { id, judged: _, acceptedAt, ...first } = await accept(inside, 'accepted\n');
        expect(first).to.deep.equal({
            path: inside,
            uri: FileUri.create(inside).toString(),
            cliName: 'Qwen Code',
            verdict: 'written',
            isHere: true
        });
        expect(acceptedAt).to.be.closeTo(Date.now(), 60_000);
        expect(await connection.service.readAccepted(id)).to.deep.equal({ before: 'before\n', after: 'accepted\n' });
        const second = await accept(outside, "x = 'a'\n", 'x = "a"\n');
        expect(second).to.deep.include({ path: outside, verdict: 'formatted', isNew: true, isHere: true });
        expect(await connection.service.readAccepted(second.id)).to.deep.equal({ after: 'x = "a"\n' });
        expect(
            page.state?.accepted.map(proposal => proposal.id),
            'the newest first'
        ).to.deep.equal([second.id, id]);
        await connection.service.forgetAccepted(second.id);
        await eventually('it to go', () => page.state?.accepted.length === 1);
        expect(readFileSync(outside, 'utf8'), 'the page undoes it').to.equal('x = "a"\n');
    });

    it('has no text of a file that is never shared, in the workspace or not, and says so', async () => {
        await connection.service.hello(
            backend.window(page, { excludes: [{ scope: 1, value: ['**/mine/**'] }], preferences: backend.window(page).preferences })
        );
        for (const file of [backend.host.home('.env'), path.join(elsewhere, '.env'), path.join(elsewhere, 'mine', 'a.txt')]) {
            const { id, verdict, noUndo } = await accept(file, 'TOKEN=2\n');
            expect({ verdict, noUndo }, file).to.deep.equal({ verdict: 'written', noUndo: 'private' });
            expect(await connection.service.readAccepted(id)).to.equal(undefined);
        }
    });

    it('is for the windows of the workspace: another one gets neither row nor texts, and can forget nothing', async () => {
        const file = backend.host.home('a.txt');
        const { id } = await accept(file, 'accepted\n');
        const other = new TestPage();
        const { service } = backend.connect(other);
        const state = await service.hello(backend.window(other, { windowId: 'window-2' }));
        expect(state.accepted.map(({ isHere, verdict }) => ({ isHere, verdict }))).to.deep.equal([
            { isHere: undefined, verdict: 'written' }
        ]);
        await service.hello(backend.window(other, { windowId: 'window-2', roots: [FileUri.create(elsewhere).toString()] }));
        expect(await service.readAccepted(id)).to.equal(undefined);
        await service.forgetAccepted(id);
        expect(page.state?.accepted).to.have.length(1);
    });
});
