// SPDX-License-Identifier: Apache-2.0
// One CLI of a soak: started by soak.ts as a process of its own, so that it can be killed.

import { randomUUID } from 'crypto';
import { homedir } from 'os';
import * as path from 'path';
import { TestCli } from '../test-cli';
import { ClientMessage, editedFor, proposalFor } from './soak-messages';

/** In milliseconds: ten clients make one diff a second. */
const DIFF_PERIOD = 10_000;

function tell(message: ClientMessage): void {
    if (process.connected) {
        process.send?.(message);
    }
}

function report(file: string, how: 'accepted' | 'rejected' | 'closed', content?: string): void {
    const wrong = content !== undefined && content !== proposalFor(file) && content !== editedFor(file);
    tell({ kind: 'outcome', file, how, wrong });
}

async function closeInTerminal(cli: TestCli, file: string): Promise<void> {
    const { isError, content } = await cli.closeDiff(file, true);
    const [block] = content;
    if (!isError && block.type === 'text') {
        report(file, 'closed', (JSON.parse(block.text) as { content: string }).content);
    }
}

function takeNotifications(cli: TestCli): void {
    let updates = 0;
    let newest = 0;
    for (const { method, params } of cli.received.splice(0)) {
        const file = String(params?.filePath);
        if (method === 'ide/diffAccepted') {
            report(file, 'accepted', String(params?.content));
        } else if (method === 'ide/diffRejected') {
            report(file, 'rejected');
        } else if (method === 'ide/contextUpdate') {
            updates++;
            const { openFiles } = params?.workspaceState as { openFiles: Array<{ timestamp: number }> };
            newest = openFiles[0].timestamp;
        }
    }
    if (updates > 0) {
        tell({ kind: 'context', updates, newest });
    }
    cli.errors.splice(0).forEach(error => tell({ kind: 'error', message: error.message }));
}

async function propose(cli: TestCli): Promise<void> {
    const file = path.join(homedir(), `${randomUUID()}.txt`);
    tell({ kind: 'opened', file });
    const result = await cli.openDiff(file, proposalFor(file));
    if (result.isError) {
        tell({ kind: 'error', message: JSON.stringify(result.content) });
    }
    // In the terminal the user answers what they did not answer in the editor, or at the same time.
    const delay = Math.random() < 0.3 ? Math.random() * 3_000 : 5_000;
    setTimeout(() => void closeInTerminal(cli, file).catch(fail), delay);
}

function fail(error: Error): void {
    tell({ kind: 'error', message: error.message });
}

async function main(): Promise<void> {
    const [port, token] = process.argv.slice(2);
    const cli = await TestCli.connect(Number(port), token);
    tell({ kind: 'connected' });
    setInterval(() => takeNotifications(cli), 200);
    setTimeout(() => {
        void propose(cli).catch(fail);
        setInterval(() => void propose(cli).catch(fail), DIFF_PERIOD);
    }, Math.random() * DIFF_PERIOD);
    process.on('disconnect', () => process.exit(0));
}

void main().catch(fail);
