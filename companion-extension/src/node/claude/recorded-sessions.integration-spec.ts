// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { once } from 'events';
import { readdirSync } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { WebSocket } from '@theia/core/shared/ws';
import { readLocks } from '../test/claude-client';
import { essence, readRecording, RecordedLine } from '../test/recorded-frames';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage, typed } from '../test/test-page';

/** Made with `npm run record-frames`. */
const FRAMES = path.join(__dirname, '..', '..', '..', '..', 'configs', 'conformance', 'frames');

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

    for (const file of readdirSync(FRAMES).sort()) {
        it(`${path.basename(file, '.jsonl')} is answered as it was then`, async () => {
            const recording = readRecording(path.join(FRAMES, file), { workspace: backend.host.homeFolder, pid: process.pid });
            const received: unknown[] = [];
            for (const line of recording.lines) {
                if (!socket && line.from !== 'user') {
                    socket = await open(recording.headers);
                    socket.on('message', data => received.push(essence(JSON.parse(String(data)) as Record<string, unknown>)));
                }
                await play(line, received);
            }
            expect(received, 'what was not said then').to.deep.equal([]);
        });
    }

    async function open({
        'sec-websocket-protocol': protocol,
        'user-agent': agent = ''
    }: Readonly<Record<string, string>>): Promise<WebSocket> {
        const [{ port, authToken }] = readLocks(backend.host.homeFolder);
        const headers = { 'X-Claude-Code-Ide-Authorization': authToken, 'User-Agent': agent };
        const opened = new WebSocket(`ws://127.0.0.1:${port}`, protocol ? [protocol] : [], { headers });
        await once(opened, 'open');
        return opened;
    }

    /** @param received what is expected is removed from it; answers of several calls may come in another order */
    async function play(line: RecordedLine, received: unknown[]): Promise<void> {
        if (line.from === 'cli') {
            socket?.send(JSON.stringify(line.message));
        } else if (line.from === 'ide') {
            const expected = JSON.stringify(line.message);
            const state = (): string => received.map(message => JSON.stringify(message)).join('\n');
            const index = await eventually(`${expected}\nThere:\n${state()}`, () => {
                const found = received.findIndex(message => same(message, line.message));
                return found === -1 ? undefined : { found };
            });
            received.splice(index.found, 1);
        } else if ('sees' in line) {
            await connection.service.updateContext({ sequence: 1, context: line.sees });
        } else {
            const id = await eventually('the diff', () => page.state?.reviews[0]?.id);
            await ('accepts' in line ? connection.service.acceptReview(id, typed(line.accepts)) : connection.service.rejectReview(id));
        }
    }
});

function same(one: unknown, other: unknown): boolean {
    try {
        expect(one).to.deep.equal(other);
        return true;
    } catch {
        return false;
    }
}
