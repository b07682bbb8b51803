// SPDX-License-Identifier: Apache-2.0

import { once } from 'events';
import * as http from 'http';
import { CopilotLock, readCopilotLocks } from '../test/copilot-client';
import { readRecording, RecordedSession, recordingsOf } from '../test/recorded-frames';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

describe('P15: Sessions as the published versions of Copilot CLI had them', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    const requests = new Set<http.ClientRequest>();

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
        await connection.service.hello(backend.window(page));
    });

    afterEach(async () => {
        requests.forEach(request => request.destroy());
        requests.clear();
        await backend.stop();
    });

    for (const name of recordingsOf('copilot')) {
        it(`${name} is answered as it was then`, async () => {
            const recording = readRecording(name, { workspace: backend.host.homeFolder, pid: process.pid });
            let sessionId: string | undefined;
            const ask = async (method: 'POST' | 'GET', body?: string): Promise<void> => {
                const lock = await lockOfTrusted();
                const headers = { ...recording.headers, ...lock.headers, ...(sessionId && { 'Mcp-Session-Id': sessionId }) };
                const request = http.request({ socketPath: lock.socketPath, path: '/mcp', method, headers });
                requests.add(request.on('error', () => undefined));
                request.end(body);
                const [response] = (await once(request, 'response')) as [http.IncomingMessage];
                sessionId = String(response.headers['mcp-session-id'] ?? sessionId ?? '') || undefined;
                read(response, text => session.hear(text));
            };
            const session = new RecordedSession(page, connection, async message => {
                if (message['method'] === 'server/discover') {
                    // Before each session.
                    sessionId = undefined;
                }
                await ask('POST', JSON.stringify(message));
                if (message['method'] === 'notifications/initialized') {
                    await ask('GET');
                }
            });
            await session.play(recording);
        });
    }

    /** The folder was trusted before the CLI was started. */
    function lockOfTrusted(): Promise<CopilotLock> {
        return eventually('a lock that says trust', () => readCopilotLocks(backend.host.homeFolder).find(({ isTrusted }) => isTrusted));
    }
});

/** One message, or a stream of events that have one each. */
function read(response: http.IncomingMessage, hear: (text: string) => void): void {
    let text = '';
    response.on('data', (piece: Buffer) => {
        text += piece.toString();
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        events.forEach(event => {
            const [, data] = /^data: (.+)$/m.exec(event) ?? [];
            if (data) {
                hear(data);
            }
        });
    });
    response.on('end', () => text.startsWith('{') && hear(text));
}
