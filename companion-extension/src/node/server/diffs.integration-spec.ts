// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { PROPOSAL_VERSION } from '../../common/companion-protocol';
import { CliProcess } from '../test/cli-process';
import { eventually, TestCli } from '../test/test-cli';
import { TestServer } from '../test/test-server';
import { closedContent, failureText } from '../test/tool-results';

describe('IdeServer with the official MCP client, asked for diffs', () => {
    let test: TestServer;
    let cli: TestCli;

    beforeEach(async () => {
        test = await TestServer.start();
        cli = await test.connect();
    });

    afterEach(() => test.stop());

    describe('diffs', () => {
        it('O3 O4: openDiff answers with empty content while the user still thinks', async () => {
            expect(await cli.openDiff(test.file('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect(test.shown.map(review => review.state)).to.deep.equal(['pending']);
        });

        it('openDiff answers with empty content where no page is there, and the review waits', async () => {
            test.showResult = undefined;
            expect(await cli.openDiff(test.file('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect(test.server.reviews.waiting()).to.have.length(1);
        });

        it('O5: openDiff fails with the reason where the page cannot show it', async () => {
            test.showResult = { shown: false, reason: 'No room' };
            expect(failureText(await cli.openDiff(test.file('a.txt'), 'new'))).to.equal('No room');
            expect(test.server.reviews.waiting()).to.have.length(0);
        });

        it('N1 N2: an unedited accept returns the proposal byte for byte, under the path as received', async () => {
            const odd = `${test.workspace}/./x/../a.txt`;
            const proposal = '\uFEFFone\r\ntwo\rthree\u2028\0\n';
            await cli.openDiff(odd, proposal);
            expect(test.server.reviews.accept(test.shown[0].id, { unedited: true })).to.deep.equal({ result: 'done' });
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: odd, content: proposal });
        });

        it('N3: an accept carries what the user made of it', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.server.reviews.accept(test.shown[0].id, { text: 'edited' });
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'edited' });
        });

        it('N4 N6 N7: one outcome leaves, whatever follows', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            const { id } = test.shown[0];
            test.server.reviews.reject(id);
            expect(test.server.reviews.accept(id, { unedited: true }).result).to.equal('late');
            expect(test.server.reviews.reject(id).result).to.equal('late');
            expect((await cli.next('ide/diffRejected')).params).to.deep.equal({ filePath: test.file('a.txt') });
            expect(await cli.settled()).to.deep.equal([]);
        });

        it('an emptied proposal is refused, one that was empty is not', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            expect(test.server.reviews.accept(test.shown[0].id, { text: '' })).to.deep.equal({ result: 'emptied' });
            await cli.openDiff(test.file('b.txt'), '');
            expect(test.server.reviews.accept(test.shown[1].id, { unedited: true })).to.deep.equal({ result: 'done' });
        });

        it('X3 K2 K3: closeDiff returns the mirrored edits as JSON and sends no notification', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.server.reviews.edit(test.shown[0].id, 'page', { revision: 1, text: 'edited', base: PROPOSAL_VERSION });
            expect(closedContent(await cli.closeDiff(test.file('a.txt'), true))).to.equal('edited');
            expect(closedContent(await closeAnother(cli))).to.equal('proposal');
            expect(await cli.settled()).to.deep.equal([]);

            async function closeAnother(session: TestCli): Promise<CallToolResult> {
                await session.openDiff(test.file('b.txt'), 'proposal');
                return session.closeDiff(test.file('b.txt'));
            }
        });

        it("X4: closeDiff prefers the page's newest text to the mirrored one", async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.closeResult = { text: 'typed a moment ago' };
            expect(closedContent(await cli.closeDiff(test.file('a.txt')))).to.equal('typed a moment ago');
            expect(test.closed).to.have.length(1);
        });

        it('a closeDiff that overtakes its openDiff leaves no diff behind', async () => {
            const [session] = test.server.sessions.all();
            const opening = test.server.openDiff(session, test.file('a.txt'), 'new');
            expect(await test.server.closeDiff(session, test.file('a.txt'), true)).to.equal('new');
            expect(await opening).to.equal(undefined);
            expect(test.server.reviews.waiting()).to.deep.equal([]);
        });

        it('a diff whose session closes while its path is checked does not begin to wait: nobody would ever end it', async () => {
            const [session] = test.server.sessions.all();
            const opening = test.server.openDiff(session, test.file('a.txt'), 'new');
            await session.close();
            await opening;
            expect(test.server.reviews.waiting()).to.deep.equal([]);
            expect(test.shown).to.deep.equal([]);
        });

        it('X5: closeDiff of a path without a diff fails and names the path', async () => {
            expect(failureText(await cli.closeDiff('/no/such.txt'))).to.equal('No open diff for /no/such.txt');
        });

        it('S8: the outcome goes to the session that asked; one of another process can neither read nor close the diff', async () => {
            const other = await CliProcess.open({ port: test.server.port, token: test.token() }, test.file('a.txt'), 'secret');
            try {
                await processesKnown();
                expect(failureText(await cli.closeDiff(test.file('a.txt')))).to.include('No open diff');
                await cli.openDiff(test.file('a.txt'), 'another');
                expect(test.shown.map(({ state }) => state)).to.deep.equal(['pending', 'pending']);
                test.server.reviews.accept(test.shown[0].id, { unedited: true });
                expect((await other.next('ide/diffAccepted')).params).to.include({ content: 'secret' });
                expect(await cli.settled()).to.deep.equal([]);
            } finally {
                await other.end();
            }
        });

        it('a second openDiff for the same file takes the place of the first without a notification', async () => {
            await cli.openDiff(test.file('a.txt'), 'first');
            await cli.openDiff(test.file('a.txt'), 'second');
            expect(test.shown.map(review => review.state)).to.deep.equal(['closed', 'pending']);
            expect(await cli.settled()).to.deep.equal([]);
        });
    });

    async function processesKnown(): Promise<void> {
        await eventually('the processes to be found', () => test.server.sessions.all().every(({ peer }) => peer !== undefined));
    }
});
