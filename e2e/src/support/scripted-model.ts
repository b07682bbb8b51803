// SPDX-License-Identifier: Apache-2.0

import { nodeForClis } from '../../../browser-app/launch/prepare-sample.mjs';
import { eventually } from './eventually';
import { OwnedProcess } from './owned-process';
import { APP_FOLDER } from './project-paths';

export interface ToolCall {
    readonly name: string;
    readonly args: Record<string, unknown>;
}

/** A request as the scripted model recorded it (`browser-app/scripted-model/request-log.mts`). */
export interface ModelRequest {
    readonly number: number;
    readonly api: 'openai' | 'gemini' | 'messages';
    /** That was asked for. */
    readonly model?: string;
    /** The text of the last turn: what the CLI put in front, and the prompt. */
    readonly prompt: string;
    /** The tool calls of the last turn, each with what the CLI says came of it. */
    readonly calls: ReadonlyArray<ToolCall & { result?: string }>;
    readonly answer: { text?: string; call?: ToolCall };
}

/** The model that the CLIs talk to, in its own process, and the requests that it got. */
export class ScriptedModel {
    private constructor(
        private readonly process: OwnedProcess,
        private readonly url: string
    ) {}

    static async start(): Promise<ScriptedModel> {
        const process = new OwnedProcess('The scripted model', nodeForClis(), ['scripted-model/main.mts', '--port', '0'], {
            cwd: APP_FOLDER,
            env: {}
        });
        const [, url] = await process.waitForLog(/answers on (http:\S+)/);
        return new ScriptedModel(process, url);
    }

    get port(): number {
        return Number(new URL(this.url).port);
    }

    /** A prompt that makes the model call these tools one after the other. */
    async script(...calls: ToolCall[]): Promise<string> {
        const response = await fetch(`${this.url}/scripts`, { method: 'POST', body: JSON.stringify(calls) });
        return ((await response.json()) as { prompt: string }).prompt;
    }

    /** Those that are newer than `after`. */
    async requests(after = 0): Promise<ModelRequest[]> {
        return (await (await fetch(`${this.url}/requests?after=${after}`)).json()) as ModelRequest[];
    }

    /** All that a request of the newest ones carried, as JSON text. */
    async body({ number }: ModelRequest): Promise<string> {
        return (await fetch(`${this.url}/body?number=${number}`)).text();
    }

    /** The number of the newest request; 0 before the first. */
    async newest(): Promise<number> {
        return (await this.requests()).at(-1)?.number ?? 0;
    }

    /** Waits for a request that is newer than `after`. */
    async waitForRequest(what: string, after: number, isWanted: (request: ModelRequest) => boolean): Promise<ModelRequest> {
        return eventually(`the model to be asked ${what}`, async () => (await this.requests(after)).find(isWanted), {
            state: async () => this.describe(after)
        });
    }

    /** What was asked and answered, without the CLIs' long instructions. */
    async describe(after = 0): Promise<string> {
        return (await this.requests(after))
            .map(({ number, api, prompt, calls, answer }) => JSON.stringify({ number, api, prompt, calls, answer }, undefined, 1))
            .join('\n');
    }

    async dispose(): Promise<void> {
        await this.process.end('SIGTERM');
    }
}
