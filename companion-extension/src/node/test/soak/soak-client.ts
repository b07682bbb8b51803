// SPDX-License-Identifier: Apache-2.0
// One CLI of a soak: started by soak.ts as a process of its own, so that it can be killed.

import { randomUUID } from 'crypto';
import * as path from 'path';
import { connectSoakCli, SoakCli, SoakOutcome } from './soak-cli';
import { ClientMessage, editedFor, proposalFor, SoakServer } from './soak-messages';

/** In milliseconds: ten clients make one diff a second. */
const DIFF_PERIOD = 10_000;

function tell(message: ClientMessage): void {
    if (process.connected) {
        process.send?.(message);
    }
}

function report(outcome: SoakOutcome | undefined): void {
    if (outcome) {
        const { file, how, content } = outcome;
        const wrong = content !== undefined && content !== proposalFor(file) && content !== editedFor(file);
        tell({ kind: 'outcome', file, how, wrong });
    }
}

function takeNotifications(cli: SoakCli): void {
    let updates = 0;
    let newest = 0;
    for (const { method, params } of cli.take()) {
        const file = String(params?.filePath);
        if (method === 'ide/diffAccepted') {
            report({ file, how: 'accepted', content: String(params?.content) });
        } else if (method === 'ide/diffRejected') {
            report({ file, how: 'rejected' });
        } else if (method === 'ide/contextUpdate') {
            updates++;
            const { openFiles } = params?.workspaceState as { openFiles: Array<{ timestamp: number }> };
            newest = openFiles[0].timestamp;
        }
    }
    if (updates > 0) {
        tell({ kind: 'context', updates, newest });
    }
    cli.takeErrors().forEach(fail);
}

async function propose(cli: SoakCli, home: string): Promise<void> {
    const file = path.join(home, `${randomUUID()}.txt`);
    tell({ kind: 'opened', file });
    // In the terminal the user answers what they did not answer in the editor, or at the same time.
    const delay = Math.random() < 0.3 ? Math.random() * 3_000 : 5_000;
    setTimeout(() => void cli.closeInTerminal(file).then(report).catch(fail), delay);
    report(await cli.propose(file, proposalFor(file)));
}

function fail({ message }: Error): void {
    tell({ kind: 'error', message });
}

async function main(): Promise<void> {
    const [number, server] = process.argv.slice(2);
    const place = JSON.parse(server) as SoakServer;
    const cli = await connectSoakCli(Number(number), place);
    tell({ kind: 'connected' });
    setInterval(() => takeNotifications(cli), 200);
    const proposing = (): void => void propose(cli, place.home).catch(fail);
    setTimeout(() => {
        proposing();
        setInterval(proposing, DIFF_PERIOD);
    }, Math.random() * DIFF_PERIOD);
    process.on('disconnect', () => process.exit(0));
}

void main().catch(fail);
