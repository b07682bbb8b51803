// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CliProcess } from '../test/cli-process';
import { eventually, TestCli } from '../test/test-cli';
import { saveOf, typed } from '../test/test-page';
import { TestServer } from '../test/test-server';
import { closedContent, failureText } from '../test/tool-results';

describe('IdeServer with the official MCP client, asked for diffs', () => {
    let test: TestServer;
    let cli: TestCli;
    TestServer.forEachTest((started, connected) => ([test, cli] = [started, connected]));

    /** As if a process were looked for that just has opened its stream. @returns ends that */
    function holdProcesses(): () => void {
        const looking = new Deferred<void>();
        test.server.sessions.identified = looking.promise;
        return () => looking.resolve();
    }

    describe('diffs', () => {
        it('O3 O4: openDiff answers with empty content while the user still thinks', async () => {
            expect(await cli.openDiff(test.file('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect(test.shown.map(review => review.state)).to.deep.equal(['waiting']);
        });

        it('openDiff answers with empty content if there is no page, and the review waits', async () => {
            test.showResult = undefined;
            expect(await cli.openDiff(test.file('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect(test.reviews.waiting()).to.have.length(1);
        });

        it('O5: openDiff fails with the reason if the page cannot show it', async () => {
            test.showResult = { shown: false, reason: 'No room' };
            expect(failureText(await cli.openDiff(test.file('a.txt'), 'new'))).to.equal('No room');
            expect(test.reviews.waiting()).to.have.length(0);
        });

        it('N1 N2: an unedited accept returns the proposal byte for byte, under the path as received', async () => {
            const odd = `${test.workspace}/./x/../a.txt`;
            const proposal = '\uFEFFone\r\ntwo\rthree\u2028\0\n';
            await cli.openDiff(odd, proposal);
            expect(test.accept(test.shown[0])).to.deep.equal({ result: 'done' });
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: odd, content: proposal });
        });

        it('N3: an accept carries what the user made of it', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.accept(test.shown[0], typed('edited'));
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'edited' });
        });

        it('N4 N6 N7: one outcome leaves, whatever follows', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            const [review] = test.shown;
            test.reject(review);
            expect(test.accept(review).result).to.equal('late');
            expect(test.reviews.reject(review, 'another load').result).to.equal('late');
            expect((await cli.next('ide/diffRejected')).params).to.deep.equal({ filePath: test.file('a.txt') });
            expect(await cli.settled()).to.deep.equal([]);
        });

        it('a newer question ends the older one at once, also while processes are looked for: an answer to that comes late', async () => {
            await cli.openDiff(test.file('a.txt'), 'first');
            const goOn = holdProcesses();
            const second = cli.openDiff(test.file('a.txt'), 'second');
            await cli.settled();
            expect(test.accept(test.shown[0]).result).to.equal('late');
            goOn();
            await second;
            test.accept(test.shown[1]);
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'second' });
            expect(await cli.settled()).to.deep.equal([]);
        });

        it('a diff that the CLI closes takes no answer any more, also while processes are looked for', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            const goOn = holdProcesses();
            const closing = cli.closeDiff(test.file('a.txt'));
            await cli.settled();
            expect(test.accept(test.shown[0]).result).to.equal('late');
            goOn();
            expect(closedContent(await closing)).to.equal('new');
            expect(await cli.settled()).to.deep.equal([]);
        });

        it('an emptied proposal is refused, one that was empty is not', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            expect(() => test.accept(test.shown[0], typed(''))).to.throw('A CLI cannot empty a file');
            await cli.openDiff(test.file('b.txt'), '');
            expect(test.accept(test.shown[1])).to.deep.equal({ result: 'done' });
        });

        it('X3 K2 K3: closeDiff returns the mirrored edits as JSON and sends no notification', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            await test.reviews.save(saveOf(test.shown[0].id, 'edited'), test.shown[0].place);
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
            test.unsent = review => saveOf(review.id, 'typed a moment ago');
            expect(closedContent(await cli.closeDiff(test.file('a.txt')))).to.equal('typed a moment ago');
            expect(test.closed).to.have.length(1);
        });

        it('a closeDiff that overtakes its openDiff leaves no diff behind', async () => {
            const [session] = test.server.sessions.all();
            const opening = test.window.diffs.open(session, test.file('a.txt'), 'new');
            expect(await test.window.diffs.close(session, test.file('a.txt'), true)).to.equal('new');
            expect(await opening).to.equal(undefined);
            expect(test.reviews.waiting()).to.deep.equal([]);
        });

        it('a diff whose session closes while its path is checked does not wait: nothing would ever end it', async () => {
            const [session] = test.server.sessions.all();
            const opening = test.window.diffs.open(session, test.file('a.txt'), 'new');
            await session.close();
            await opening;
            expect(test.reviews.waiting()).to.deep.equal([]);
            expect(test.shown).to.deep.equal([]);
        });

        it('X5: closeDiff of a path without a diff fails and names the path', async () => {
            expect(failureText(await cli.closeDiff('/no/such.txt'))).to.equal('No open diff for /no/such.txt');
        });

        it('S8: the outcome goes to the session that asked; one of another process can neither read nor close the diff', async () => {
            const other = await CliProcess.open({ port: test.server.port, token: test.token() }, test.file('a.txt'), 'secret');
            try {
                await waitForProcesses();
                expect(failureText(await cli.closeDiff(test.file('a.txt')))).to.include('No open diff');
                await cli.openDiff(test.file('a.txt'), 'another');
                expect(test.shown.map(({ state }) => state)).to.deep.equal(['waiting', 'waiting']);
                test.accept(test.shown[0]);
                expect((await other.next('ide/diffAccepted')).params).to.include({ content: 'secret' });
                expect(await cli.settled()).to.deep.equal([]);
            } finally {
                await other.end();
            }
        });

        it('a second openDiff for the same file replaces the first without a notification', async () => {
            await cli.openDiff(test.file('a.txt'), 'first');
            await cli.openDiff(test.file('a.txt'), 'second');
            expect(test.shown.map(review => review.state)).to.deep.equal(['replaced', 'waiting']);
            expect(await cli.settled()).to.deep.equal([]);
        });
    });

    async function waitForProcesses(): Promise<void> {
        await eventually('the processes to be found', () => test.server.sessions.all().every(({ peer }) => peer !== undefined));
    }
});
