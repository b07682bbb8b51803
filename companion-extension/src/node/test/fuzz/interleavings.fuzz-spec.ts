// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { CliSession } from '../../server/cli-session';
import { Windows } from '../../server/windows';
import { TestBackend, TestConnection } from '../test-backend';
import { eventually, ReceivedNotification, TestCli } from '../test-cli';
import { PROPOSAL } from '../../../common/revision';
import { saveOf, TestPage } from '../test-page';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

type Step = 'open' | 'accept' | 'reject' | 'edit' | 'close' | 'cut' | 'dead' | 'reload' | 'again' | 'away' | 'back';

/** What became of a proposal, kept as simply as can be. */
interface Expected {
    readonly filePath: string;
    readonly id: string;
    /** The session that it belongs to. */
    cli: TestCli;
    text: string;
    end?: 'accepted' | 'rejected' | 'closed';
    /** The load of the page that accepted or rejected it. */
    answeredBy?: string;
}

/** One CLI that connects, is cut and connects again, and one window, against a backend with real sockets. */
class World {
    private page = new TestPage();
    private connection: TestConnection;
    private readonly clis: TestCli[] = [];
    private readonly live: TestCli[] = [];
    private readonly proposals: Expected[] = [];
    private revision = 0;

    constructor(private readonly backend: TestBackend) {}

    async start(): Promise<void> {
        await this.reload();
        await this.again();
    }

    /** @param choice which of the proposals, the newest being 0 */
    async apply(step: Step, choice: number): Promise<void> {
        const proposal = this.proposals[this.proposals.length - 1 - choice];
        switch (step) {
            case 'open':
                return this.open();
            case 'accept':
            case 'reject':
                return proposal && this.answer(proposal, step);
            case 'edit':
                return proposal && this.edit(proposal);
            case 'close':
                return proposal && this.close(proposal);
            case 'cut':
                return this.cut();
            case 'dead':
                return proposal && this.answerOnDeadStream(proposal);
            case 'reload':
                return this.reload();
            case 'again':
                return this.again();
            case 'away':
                return this.leave();
            case 'back':
                return this.live.length === 0 ? this.again() : undefined;
        }
    }

    /** Every answer has reached the CLI once, in one of its sessions, and nothing else has. */
    async check(): Promise<void> {
        if (this.live.length === 0) {
            await this.again();
        }
        await this.arrived();
        await this.cut();
        await Promise.all(this.live.map(cli => cli.client.ping()));
        const outcomes = this.outcomes().map(({ method, params }) => ({ method, ...params }));
        expect(outcomes).to.have.deep.members(this.answered().map(one => this.outcomeOf(one)));
        const { reviews } = await this.connection.service.hello(this.backend.window(this.page));
        expect(reviews.map(({ id }) => id)).to.have.members(this.proposals.filter(({ end }) => !end).map(({ id }) => id));
    }

    async stop(): Promise<void> {
        for (const cli of this.live) {
            await cli.terminate();
        }
        await Promise.all(this.clis.map(cli => cli.disconnect()));
        this.sessions().forEach(session => void session.close());
        this.connection.disconnect();
    }

    private async open(): Promise<void> {
        const cli = this.live[this.live.length - 1];
        if (cli) {
            const filePath = this.backend.host.home(`${this.proposals.length}.txt`);
            expect(await cli.openDiff(filePath, 'proposal')).to.deep.equal({ content: [] });
            const { reviews } = await this.connection.service.hello(this.backend.window(this.page));
            this.proposals.push({ filePath, id: reviews.find(({ path }) => path === filePath)?.id ?? '', cli, text: 'proposal' });
        }
    }

    private async answer(proposal: Expected, step: 'accept' | 'reject'): Promise<void> {
        const { service } = this.connection;
        // Another load of the page may have typed last.
        const { revision = PROPOSAL } = (await service.readReview(proposal.id))?.review ?? {};
        const { result } = await (step === 'accept' ? service.acceptReview(proposal.id, { revision }) : service.rejectReview(proposal.id));
        const end = step === 'accept' ? 'accepted' : 'rejected';
        // A page that asks again was not late: the answer to its first call may have been lost.
        const isAgain = proposal.end === end && proposal.answeredBy === this.page.loadId;
        expect(result).to.equal(proposal.end && !isAgain ? 'late' : 'done');
        if (!proposal.end) {
            proposal.end = end;
            proposal.answeredBy = this.page.loadId;
        }
    }

    private async edit(proposal: Expected): Promise<void> {
        const { service } = this.connection;
        const { revision = PROPOSAL } = (await service.readReview(proposal.id))?.review ?? {};
        await service.saveReview(saveOf(proposal.id, `edited ${++this.revision}`, this.revision, this.page.loadId, [revision]));
        proposal.text = proposal.end ? proposal.text : `edited ${this.revision}`;
    }

    /** The answer in the terminal. */
    private async close(proposal: Expected): Promise<void> {
        if (this.live.length > 0) {
            const { isError } = await proposal.cli.closeDiff(proposal.filePath);
            expect(isError === true).to.equal(proposal.end !== undefined);
            proposal.end ??= 'closed';
        }
    }

    private async cut(): Promise<void> {
        const cli = this.live[this.live.length - 1];
        const session = cli && this.sessionOf(cli);
        if (session) {
            const states: string[] = [];
            const listening = session.onDidChangeState(state => states.push(state));
            cli.cutStream();
            await eventually('the stream to be back', () => states.includes('lost') && session.state === 'streaming');
            listening.dispose();
        }
    }

    /** The stream is dead and the server does not know when it writes the outcome; then the client notices and opens another. */
    private async answerOnDeadStream(proposal: Expected): Promise<void> {
        const cli = this.live[this.live.length - 1];
        if (cli) {
            await this.arrived();
            cli.muteStream();
            await this.answer(proposal, 'accept');
            await cli.client.ping();
            await this.cut();
        }
    }

    private async reload(): Promise<void> {
        const old = this.connection as TestConnection | undefined;
        this.page = new TestPage();
        this.connection = this.backend.connect(this.page);
        old?.disconnect();
        await this.connection.service.hello(this.backend.window(this.page));
    }

    /** `/ide enable`: another session beside the old one. */
    private async again(): Promise<void> {
        const { port, token } = this.backend.discovered();
        const cli = await TestCli.connect(port, token, 10);
        this.clis.push(cli);
        if (this.live.length === 0) {
            this.proposals.forEach(proposal => (proposal.cli = cli));
        }
        this.live.push(cli);
        this.connection.service
            .updateContext({ sequence: ++this.revision, context: { workspaceState: { openFiles: [] } } })
            .catch(() => undefined);
        await eventually('the session', () => {
            const session = this.sessionOf(cli);
            return session?.state === 'streaming' && session.peer !== undefined;
        });
        // The number of its first notification is what a client comes back with.
        await eventually('the context', () => cli.received.some(({ method }) => method === 'ide/contextUpdate'));
    }

    /** All its connections go, as they do when a laptop sleeps. */
    private async leave(): Promise<void> {
        await this.arrived();
        // What has arrived at a CLI that says nothing more may come again: the backend has to know of it.
        await this.cut();
        await Promise.all(this.live.map(cli => cli.client.ping()));
        const sessions = this.live.map(cli => this.sessionOf(cli));
        await Promise.all(this.live.splice(0).map(cli => cli.disconnect()));
        await eventually('the lost streams to be noticed', () => sessions.every(session => session?.state !== 'streaming'));
    }

    private async arrived(): Promise<void> {
        if (this.live.length > 0) {
            await eventually(`${this.answered().length} outcomes`, () => this.outcomes().length >= this.answered().length);
        }
    }

    private answered(): Expected[] {
        return this.proposals.filter(({ end }) => end === 'accepted' || end === 'rejected');
    }

    private outcomeOf({ filePath, text, end }: Expected): object {
        return end === 'accepted' ? { method: 'ide/diffAccepted', filePath, content: text } : { method: 'ide/diffRejected', filePath };
    }

    private outcomes(): ReceivedNotification[] {
        return this.clis.flatMap(cli => cli.received.filter(({ method }) => method !== 'ide/contextUpdate'));
    }

    private sessionOf(cli: TestCli): CliSession | undefined {
        return this.sessions().find(({ id }) => id === cli.sessionId);
    }

    private sessions(): CliSession[] {
        return this.backend.container.get(Windows).sessions();
    }
}

describe('Fuzz: interleavings of answers and connections', function () {
    this.timeout(2 * fuzzTimeout());

    it('N7: over real connections no outcome is lost or doubled, whatever is cut, reloaded, closed or connected again', async () => {
        const kinds: Step[] = ['open', 'open', 'accept', 'reject', 'edit', 'close', 'cut', 'dead', 'reload', 'again', 'away', 'back'];
        const step = fc.record({ kind: fc.constantFrom(...kinds), choice: fc.nat(2) });
        const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async steps => {
            const backend = new TestBackend();
            const world = new World(backend);
            try {
                await world.start();
                await world.apply('open', 0);
                for (const { kind, choice } of steps) {
                    await world.apply(kind, choice);
                }
                await world.check();
                await world.stop();
            } finally {
                await backend.stop();
            }
        });
        const bounds = fuzzBounds();
        // Each run starts a backend and connects CLIs.
        await fc.assert(property, { ...bounds, numRuns: Math.ceil((bounds.numRuns ?? 0) / 5) });
    });
});
