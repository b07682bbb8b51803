// SPDX-License-Identifier: Apache-2.0
// A backend as a process of its own, for what cannot be done to the process of the tests: ends, signals, limits, a blocked loop.

import 'reflect-metadata';
import { ChildProcess } from 'child_process';
import { closeSync, openSync } from 'fs';
import { timeout } from '@theia/core/lib/common/promise-util';
import { ProcessUtils } from '@theia/core/lib/node/process-utils';
import { Diagnosis } from '../../common/diagnosis';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { CompanionBackendContribution } from '../companion-backend-contribution';
import { BackendCommand, BackendReply } from './backend-process';
import { TestBackend, TestConnection } from './test-backend';
import { TestPage } from './test-page';

/** Looks at the files once: a descriptor that a look has taken would be free a moment later. */
class UnwatchedDiscoveryFiles extends DiscoveryFiles {
    protected override readonly periodMs = 600_000;
}

const backend = new TestBackend();
backend.container.rebind(DiscoveryFiles).to(UnwatchedDiscoveryFiles).inSingletonScope();
const contribution = backend.container.get(CompanionBackendContribution);
const windows = new Map<string, { page: TestPage; connection: TestConnection }>();
const descriptors: number[] = [];
const uncaught: string[] = [];
let hangUps = 0;

// As Theia 1.74 ends (BackendApplication).
process.on('exit', () => {
    void contribution.onStop();
    new ProcessUtils().terminateProcessTree(process.pid);
});
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => process.exit(0));
// Theia logs these and goes on.
process.on('uncaughtException', error => uncaught.push(error.message));

/** Takes also those that the backend still has open for a moment, such as for a look at `/proc`. */
async function occupyDescriptors(): Promise<void> {
    for (let quiet = 0; quiet < 10; quiet++) {
        try {
            for (;;) {
                descriptors.push(openSync('/dev/null', 'r'));
                quiet = 0;
            }
        } catch {
            // None is left now.
        }
        await timeout(50);
    }
}

async function run(command: BackendCommand): Promise<BackendReply> {
    const window = windows.get(command.windowId ?? 'window-1');
    let diagnosis: Diagnosis | undefined;
    switch (command.do) {
        case 'hello': {
            const page = new TestPage();
            const connection = backend.connect(page);
            windows.set(command.windowId, { page, connection });
            page.state = await connection.service.hello(backend.window(page, { windowId: command.windowId }));
            break;
        }
        case 'block':
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.ms);
            break;
        case 'occupy':
            await occupyDescriptors();
            break;
        case 'release':
            descriptors.splice(0).forEach(closeSync);
            break;
        case 'diagnose':
            await window?.connection.service.focus(0);
            await window?.connection.service.findCommand('qwen-code');
            diagnosis = await window?.connection.service.diagnose();
            break;
        case 'listenToHangUps':
            process.on('SIGHUP', () => hangUps++);
            break;
        case 'refuseSpawn':
            // As Node reports what it does not report by an event.
            (ChildProcess.prototype as unknown as { spawn(): void }).spawn = () => {
                throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM', syscall: 'spawn' });
            };
            break;
        case 'exit':
            process.exit(0);
    }
    const state = windows.get(command.windowId ?? 'window-1')?.page.state;
    const ready = command.do === 'hello' && state?.status.state === 'ready' && state.status.problems.length === 0;
    const discovered = ready ? backend.discovered(state.windowId) : undefined;
    return { folder: backend.host.folder, state, uncaught, hangUps, discovered, diagnosis };
}

void contribution.initialize();
process.on('message', (command: BackendCommand) => void run(command).then(reply => process.send?.(reply)));
