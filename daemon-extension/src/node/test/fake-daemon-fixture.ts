// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { expect } from 'chai';
import { SessionPrompt } from '../../common/qwen-daemon-protocol';
import { FakeDaemon, FakeSession, requestIdOf } from './fake-daemon';
import { TestBackend, TestPage, value } from './test-workspaces';

/** A backend, a fake daemon that it is connected to, and a page that shows one session. */
export class FakeDaemonFixture {
    private constructor(
        readonly backend: TestBackend,
        readonly daemon: FakeDaemon,
        public page: TestPage,
        readonly sessionId: string
    ) {}

    static async create(): Promise<FakeDaemonFixture> {
        const backend = await TestBackend.create();
        const daemon = new FakeDaemon(backend.workspace);
        await daemon.start();
        await backend.useDaemon(daemon.url, daemon.token);
        const page = await backend.page();
        const { sessionId } = (await page.open({ chatSessionId: 'chat-1' })).session;
        await page.until('a stream', () => daemon.session.streams.size > 0);
        return new FakeDaemonFixture(backend, daemon, page, sessionId);
    }

    /** Creates one before each test of a suite, and disposes of it after the test. */
    static forEachTest(take: (fixture: FakeDaemonFixture) => void): void {
        let fixture: FakeDaemonFixture;
        beforeEach(async () => take((fixture = await FakeDaemonFixture.create())));
        afterEach(() => fixture.dispose());
    }

    get session(): FakeSession {
        return this.daemon.session;
    }

    /** Ends when the daemon has the prompt. */
    async prompt(text = 'hello', how: Partial<SessionPrompt> = {}, sessionId = this.sessionId): Promise<string> {
        const requestId = how.requestId ?? randomUUID();
        value(await this.page.service.sendPrompt(sessionId, { ...how, requestId, text }));
        await this.page.until('the prompt', () => this.daemon.requestsTo('/prompt').some(({ body }) => requestIdOf(body) === requestId));
        return requestId;
    }

    /** Also looks for what no page may ever get. */
    async dispose(): Promise<void> {
        const wire = this.backend.everyPage.map(({ wire: messages, statuses }) => JSON.stringify([messages, statuses])).join('\n');
        await this.backend.dispose();
        await this.daemon.stop();
        expect(wire).not.to.contain(this.daemon.token);
        expect(wire).not.to.contain('client_');
    }
}
