// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess, spawn } from 'child_process';
import { Event } from '@theia/core/lib/common/event';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { TestHost } from '../discovery/test/test-host';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessTable } from '../host/process-table';
import { GeminiCli } from '../discovery/gemini-cli';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { AutoApprovingClis } from './auto-approving-clis';

describe('AutoApprovingClis', () => {
    let host: TestHost;
    let cli: ChildProcess;

    beforeEach(() => {
        host = new TestHost();
        cli = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'x', '--yolo'], {
            argv0: 'gemini',
            cwd: host.homeFolder
        });
    });

    afterEach(() => {
        cli.kill('SIGKILL');
        host.remove();
    });

    function writers(processes: ProcessTable): AutoApprovingClis {
        const container = host.container();
        container.bind(ProcessTable).toConstantValue(processes);
        const clis: ContributionProvider<SupportedCli> = { getContributions: () => [container.get(GeminiCli)] };
        container.bind(ContributionProvider).toConstantValue(clis).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        container.bind(AutoApprovingClis).toSelf();
        return container.get(AutoApprovingClis);
    }

    it('finds out how a process was started, and says so when it has', async () => {
        const peer = { pid: cli.pid!, startTime: '1' };
        const found = writers(new LinuxProcessTable());
        const told = Event.toPromise(found.onDidFind);
        expect(found.modeOf({ cliId: 'gemini-cli', peer })).to.equal(undefined);
        await told;
        expect(found.modeOf({ cliId: 'gemini-cli', peer })).to.equal('yolo');
        expect(found.modeOf({ cliId: 'gemini-cli' }), 'no process is known').to.equal(undefined);
    });

    it('knows nothing if the system does not report processes', async () => {
        const peer = { pid: cli.pid!, startTime: '1' };
        const found = writers(new LinuxProcessTable('/no/proc'));
        found.modeOf({ cliId: 'gemini-cli', peer });
        await new Promise(resolve => setImmediate(resolve));
        expect(found.modeOf({ cliId: 'gemini-cli', peer })).to.equal(undefined);
    });
});
