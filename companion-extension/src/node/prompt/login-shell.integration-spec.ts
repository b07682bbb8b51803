// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import * as sinon from 'sinon';
import { TestHost } from '../discovery/test/test-host';
import { eventually } from '../test/test-cli';
import { LoginShell } from './login-shell';

describe('The login shell of the user', () => {
    let host: TestHost;
    let shell: LoginShell;

    beforeEach(() => {
        host = new TestHost();
        const container = host.container();
        container.bind(LoginShell).toSelf();
        shell = container.get(LoginShell);
        Object.assign(host.variables, { SHELL: '/bin/bash', PATH: '/usr/bin:/bin', HOME: host.homeFolder });
    });

    afterEach(() => host.remove());

    function settings(name: string, ...lines: string[]): void {
        fs.writeFileSync(path.join(host.homeFolder, name), `${lines.join('\n')}\n`);
    }

    it('has the PATH that its settings give it, also those that only an interactive shell reads, whatever they print', async () => {
        settings('.bash_profile', '. ~/.bashrc', 'echo PATH=/not/this');
        settings('.bashrc', '[ -z "$PS1" ] && return', 'export PATH="$HOME/.nvm/bin:$PATH"', 'echo welcome >&2');
        expect(await shell.searchPath()).to.match(new RegExp(`^${host.homeFolder}/\\.nvm/bin:`));
    });

    it('is asked once, in HOME', async () => {
        settings('.bash_profile', 'pwd >>"$HOME/asked"');
        expect(await shell.searchPath()).to.be.a('string');
        await shell.searchPath();
        expect(fs.readFileSync(path.join(host.homeFolder, 'asked'), 'utf8')).to.equal(`${host.homeFolder}\n`);
    });

    it('that does not end is ended, with what it has started', async () => {
        settings('.bash_profile', 'sleep 1000 & echo $! >"$HOME/pid"', 'read answer', 'exec sleep 1000');
        expect(await shell.searchPath()).to.equal(undefined);
        const pid = fs.readFileSync(path.join(host.homeFolder, 'pid'), 'utf8').trim();
        const isRunning = (): boolean =>
            fs.existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
        await eventually('the end of what it started', () => !isRunning());
    });

    it('that writes endlessly is cut', async () => {
        settings('.bash_profile', 'exec yes');
        expect(await shell.searchPath()).to.equal(undefined);
    });

    it('is not there on some systems, and may not run', async () => {
        host.variables['SHELL'] = path.join(host.homeFolder, 'no-shell');
        expect(await shell.searchPath()).to.equal(undefined);
    });

    it('is not asked where no file descriptor is left, which fails nothing else', async () => {
        const failed = sinon.stub(ChildProcess.prototype as unknown as { spawn(): number }, 'spawn').callsFake(function (
            this: ChildProcess
        ) {
            process.nextTick(() => this.emit('error', new Error('spawn EMFILE')));
            return -24;
        });
        try {
            expect(await shell.searchPath()).to.equal(undefined);
        } finally {
            failed.restore();
        }
    });
});
