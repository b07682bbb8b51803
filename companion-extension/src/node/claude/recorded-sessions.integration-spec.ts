// SPDX-License-Identifier: Apache-2.0

import { once } from 'events';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { WebSocket } from '@theia/core/shared/ws';
import { readLocks } from '../test/claude-client';
import { readRecording, RecordedSession, recordingsOf } from '../test/recorded-frames';
import { TestBackend, TestConnection } from '../test/test-backend';
import { TestPage } from '../test/test-page';

describe('W17: Sessions as the published CLIs of Claude Code’s family had them', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let socket: WebSocket | undefined;

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
        const roots = [backend.host.homeFolder, process.cwd()].map(folder => FileUri.create(folder).toString());
        await connection.service.hello(backend.window(page, { roots }));
    });

    afterEach(async () => {
        socket?.terminate();
        socket = undefined;
        await backend.stop();
    });

    for (const name of recordingsOf('claude-code', 'opencode')) {
        it(`${name} is answered as it was then`, async () => {
            const recording = readRecording(name, { workspace: backend.host.homeFolder, pid: process.pid });
            const session = new RecordedSession(page, connection, async message => {
                socket ??= await open(recording.headers, text => session.hear(text));
                socket.send(JSON.stringify(message));
            });
            await session.play(recording);
        });
    }

    async function open(
        { 'sec-websocket-protocol': protocol, 'user-agent': agent = '' }: Readonly<Record<string, string>>,
        hear: (text: string) => void
    ): Promise<WebSocket> {
        const [{ port, authToken }] = readLocks(backend.host.homeFolder);
        const headers = { 'X-Claude-Code-Ide-Authorization': authToken, 'User-Agent': agent };
        const opened = new WebSocket(`ws://127.0.0.1:${port}`, protocol ? [protocol] : [], { headers });
        opened.on('message', data => hear(String(data)));
        await once(opened, 'open');
        return opened;
    }
});
