// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { readdirSync, readFileSync } from 'fs';
import * as path from 'path';
import { IdeContext } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { TestConnection } from './test-backend';
import { eventually } from './test-cli';
import { TestPage, typed } from './test-page';

/** Made with `npm run record-frames`. */
const FRAMES = path.join(__dirname, '..', '..', '..', '..', 'configs', 'conformance', 'frames');

type Message = Readonly<Record<string, unknown>>;

/** A message of the protocol, or what the user did meanwhile. */
export type RecordedLine =
    | { readonly from: 'cli' | 'ide'; readonly message: Message }
    | { readonly from: 'user'; readonly sees: IdeContext }
    | { readonly from: 'user'; readonly accepts: string }
    | { readonly from: 'user'; readonly rejects: true };

/** One session of one version of a CLI. */
export interface Recording {
    readonly cli: string;
    /** Of the request for the upgrade, without the token. */
    readonly headers: Readonly<Record<string, string>>;
    readonly lines: readonly RecordedLine[];
}

/** What differs between machines, by the name that replaces it in a recording. */
export interface RecordingPlace {
    readonly workspace: string;
    readonly pid: number;
}

/** The message without what the companion says of itself: other tests have it. */
export function essence(message: Message): Message {
    const { serverInfo, tools, ...rest } = (message['result'] ?? {}) as { serverInfo?: object; tools?: Array<{ name: string }> };
    return serverInfo || tools ? { ...message, result: { ...rest, ...(tools && { tools: tools.map(({ name }) => name) }) } } : message;
}

/** In lines of JSON: the head, and what happened. */
export function formatRecording({ lines, ...head }: Recording, { workspace, pid }: RecordingPlace): string {
    const text = [head, ...lines].map(line => `${JSON.stringify(line)}\n`).join('');
    return text.replaceAll(workspace, '$WORKSPACE').replaceAll(`"pid":${pid}`, '"pid":"$PID"');
}

/** The names of the recordings of these CLIs. */
export function recordingsOf(...clis: string[]): string[] {
    const names = readdirSync(FRAMES).map(file => path.basename(file, '.jsonl'));
    return names.filter(name => clis.includes(name.split('@')[0])).sort();
}

export function readRecording(name: string, { workspace, pid }: RecordingPlace): Recording {
    const text = readFileSync(path.join(FRAMES, `${name}.jsonl`), 'utf8')
        .replaceAll('$WORKSPACE', workspace)
        .replaceAll('"$PID"', String(pid));
    const [head, ...lines] = text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as unknown);
    return { ...(head as Omit<Recording, 'lines'>), lines: lines as RecordedLine[] };
}

/** Plays a recording against a backend: the CLI's part, and what the user did. Expects what the IDE said. */
export class RecordedSession {
    protected readonly received: unknown[] = [];
    /** How many diffs the user has answered. */
    protected answered = 0;

    constructor(
        protected readonly page: TestPage,
        protected readonly connection: Pick<TestConnection, 'service'>,
        protected readonly say: (message: Message) => Promise<void>
    ) {}

    hear(text: string): void {
        this.received.push(essence(JSON.parse(text) as Message));
    }

    async play({ lines }: Recording): Promise<void> {
        for (const line of lines) {
            if ('message' in line) {
                await (line.from === 'cli' ? this.say(line.message) : this.expect(line.message));
            } else {
                await this.act(line);
            }
        }
        expect(this.received, 'what was not said then').to.deep.equal([]);
    }

    /** Answers of several calls may come in another order. */
    protected async expect(message: Message): Promise<void> {
        const { received } = this;
        const state = (): string => received.map(one => JSON.stringify(one)).join('\n');
        const index = await eventually(`${JSON.stringify(message)}\nThere:\n${state()}`, () => {
            const found = received.findIndex(one => same(one, message));
            return found === -1 ? undefined : { found };
        });
        received.splice(index.found, 1);
    }

    protected async act(line: Extract<RecordedLine, { from: 'user' }>): Promise<void> {
        const { service } = this.connection;
        if ('sees' in line) {
            await service.updateContext({ sequence: 1, context: line.sees });
            return;
        }
        const { id, traits } = await eventually('the diff', () => this.page.shown.at(this.answered));
        this.answered++;
        await ('rejects' in line
            ? service.rejectReview(id)
            : service.acceptReview(id, traits.writesOwnText ? { revision: PROPOSAL } : typed(line.accepts)));
    }
}

function same(one: unknown, other: unknown): boolean {
    try {
        expect(one).to.deep.equal(other);
        return true;
    } catch {
        return false;
    }
}
