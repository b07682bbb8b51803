// SPDX-License-Identifier: Apache-2.0

import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ClaudeClient, readLocks } from '../claude-client';
import { CopilotClient, readCopilotLocks } from '../copilot-client';
import { ReceivedNotification, TestCli } from '../test-cli';
import { SoakServer } from './soak-messages';

/** How a proposal ended; what is written, where the CLI is told. */
export interface SoakOutcome {
    readonly file: string;
    readonly how: 'accepted' | 'rejected' | 'closed';
    readonly content?: string;
}

/** A CLI of one dialect, as the soak needs it. */
export interface SoakCli {
    /** Resolves with the answer if the CLI waits for it in this call. */
    propose(file: string, text: string): Promise<SoakOutcome | undefined>;
    /** The user has answered in the terminal. */
    closeInTerminal(file: string): Promise<SoakOutcome | undefined>;
    /** What has come since it was asked last. */
    take(): ReceivedNotification[];
    takeErrors(): Error[];
}

/** Qwen Code and Gemini CLI. */
class HttpSoakCli implements SoakCli {
    constructor(protected readonly cli: TestCli) {}

    async propose(file: string, text: string): Promise<undefined> {
        const result = await this.cli.openDiff(file, text);
        if (result.isError) {
            throw new Error(textOf(result));
        }
    }

    async closeInTerminal(file: string): Promise<SoakOutcome | undefined> {
        const result = await this.cli.closeDiff(file, true);
        return result.isError ? undefined : { file, how: 'closed', content: (JSON.parse(textOf(result)) as { content: string }).content };
    }

    take(): ReceivedNotification[] {
        return this.cli.received.splice(0);
    }

    takeErrors(): Error[] {
        return this.cli.errors.splice(0);
    }
}

/** Those that wait for the answer in the call that opens the diff. */
abstract class WaitingSoakCli implements SoakCli {
    protected readonly closed = new Set<string>();

    protected abstract ask(file: string, text: string): Promise<SoakOutcome>;
    protected abstract close(file: string): Promise<unknown>;
    abstract take(): ReceivedNotification[];

    async propose(file: string, text: string): Promise<SoakOutcome> {
        const outcome = await this.ask(file, text);
        // A call that was given up ends as a rejection, which the CLI does not hear.
        return outcome.how === 'rejected' && this.closed.has(file) ? { file, how: 'closed' } : outcome;
    }

    async closeInTerminal(file: string): Promise<undefined> {
        this.closed.add(file);
        await this.close(file);
    }

    takeErrors(): Error[] {
        return [];
    }
}

/** Claude Code, OpenCode and Kilo CLI. */
class ClaudeSoakCli extends WaitingSoakCli {
    constructor(protected readonly cli: ClaudeClient) {
        super();
    }

    protected async ask(file: string, text: string): Promise<SoakOutcome> {
        const [answer, content] = await this.cli.openDiff(file, text, file);
        if (answer !== 'FILE_SAVED' && answer !== 'DIFF_REJECTED') {
            throw new Error(`${answer} ${content}`);
        }
        return answer === 'FILE_SAVED' ? { file, how: 'accepted', content } : { file, how: 'rejected' };
    }

    protected close(file: string): Promise<unknown> {
        return this.cli.closeTab(file);
    }

    override takeErrors(): Error[] {
        const { closed, reason } = this.cli;
        return closed ? [new Error(`The connection was closed: ${reason}`)] : [];
    }

    take(): ReceivedNotification[] {
        return this.cli.received.splice(0);
    }
}

class CopilotSoakCli extends WaitingSoakCli {
    constructor(protected readonly cli: CopilotClient) {
        super();
    }

    protected async ask(file: string, text: string): Promise<SoakOutcome> {
        const answer = await this.cli.openDiff(file, text, file);
        if (!answer.success) {
            throw new Error(JSON.stringify(answer));
        }
        return { file, how: answer.result === 'SAVED' ? 'accepted' : 'rejected' };
    }

    protected close(file: string): Promise<unknown> {
        return this.cli.call('close_diff', { tab_name: file });
    }

    take(): ReceivedNotification[] {
        return this.cli.received.splice(0);
    }
}

/** @param number of the client, which decides what it is */
export async function connectSoakCli(number: number, { home, port, tokens }: SoakServer): Promise<SoakCli> {
    const kinds = ['qwen-code', 'gemini-cli', 'claude-code', 'opencode', 'kilo', 'copilot'];
    const kind = kinds[number % kinds.length];
    if (kind === 'copilot') {
        return new CopilotSoakCli(await CopilotClient.connect(readCopilotLocks(home)[0]));
    }
    if (kind in tokens) {
        return new HttpSoakCli(await TestCli.connect(port, tokens[kind]));
    }
    // By its process alone Kilo CLI is told from OpenCode.
    process.title = kind;
    return new ClaudeSoakCli(await ClaudeClient.connect(readLocks(home)[0], kind === 'kilo' ? 'opencode' : kind, home));
}

function textOf({ content: [block] }: CallToolResult): string {
    return block.type === 'text' ? block.text : '';
}
