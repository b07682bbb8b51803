// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as http from 'http';
import { ListenOptions } from 'net';
import { setFlagsFromString } from 'v8';
import { runInNewContext } from 'vm';
import { ShellProcess, ShellProcessFactory, ShellProcessOptions } from '@theia/terminal/lib/node/shell-process';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { readLocks } from '../test/claude-client';
import { FaultyBackend } from '../test/faulty-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

function noPort(this: http.Server): http.Server {
    const error = Object.assign(new Error('listen EADDRINUSE: no port is free'), { code: 'EADDRINUSE' });
    setImmediate(() => this.emit('error', error));
    return this;
}

describe('A backend on a machine with faults, without a port', () => {
    let backend: FaultyBackend;
    let page: TestPage;
    FaultyBackend.forEachTest(made => ([backend, page] = [made, made.page]));

    it('no port: one sentence in the status, and it is tried again by itself', async () => {
        backend.retryAtOnce();
        backend.replace(http.Server.prototype, 'listen', noPort as http.Server['listen']);
        const problems = await backend.hello();
        expect(page.state?.status.state).to.equal('failed');
        expect(problems).to.have.length(1);
        expect(problems[0]).to.include('could not be started').and.to.include('no port is free').and.to.include('tries again');
        backend.mend();
        await backend.expectRecovery();
    });

    it('no port for Claude Code only: the window serves all others, and it is tried again by itself', async () => {
        backend.retryAtOnce();
        const { listen } = http.Server.prototype;
        let listening = 0;
        backend.replace(http.Server.prototype, 'listen', function (this: http.Server, ...args: unknown[]): http.Server {
            const isFree = (args[0] as ListenOptions).path !== undefined || ++listening === 1;
            return isFree ? (listen as (...all: unknown[]) => http.Server).apply(this, args) : noPort.call(this);
        } as http.Server['listen']);
        const problems = await backend.hello();
        expect(page.state?.status.state).to.equal('ready');
        expect(problems).to.have.length(1);
        expect(backend.discovered().port).to.be.greaterThan(0);
        backend.mend();
        await backend.expectRecovery();
        expect(readLocks(backend.host.homeFolder)).to.have.length(1);
    });

    it('no port: Qwen Code asks before it edits in new terminals all the same, unless the user has switched the companion off', async () => {
        const { container } = backend;
        let env: ShellProcessOptions['env'];
        container.bind(ShellProcessFactory).toFactory(() => (options: ShellProcessOptions) => {
            env = options.env;
            return {} as ShellProcess;
        });
        const start = (): unknown => container.get<ShellProcessFactory>(ShellProcessFactory)({ env: { [WINDOW_ID_VARIABLE]: 'window-1' } });
        await container.get(TerminalEnvironment).prepare();
        backend.replace(http.Server.prototype, 'listen', noPort as http.Server['listen']);
        await backend.hello();
        start();
        expect(env)
            .to.have.property('QWEN_CODE_SYSTEM_DEFAULTS_PATH')
            .which.matches(/qwen-defaults-ask\.json$/);
        await backend.connect(page).service.hello(backend.window(page, { enabled: false }));
        start();
        expect(env).not.to.have.property('QWEN_CODE_SYSTEM_DEFAULTS_PATH');
    });

    it('no port: a failed start leaves nothing behind, however often it is tried', async () => {
        const made: Array<WeakRef<http.Server>> = [];
        backend.replace(http.Server.prototype, 'listen', function (this: http.Server): http.Server {
            made.push(new WeakRef(this));
            return noPort.call(this);
        } as http.Server['listen']);
        for (let count = 0; count < 3; count++) {
            await backend.hello();
        }
        expect(made).to.have.length(3);
        setFlagsFromString('--expose-gc');
        const collectGarbage = runInNewContext('gc') as () => void;
        await eventually('nobody to hold them', () => {
            collectGarbage();
            return made.every(server => server.deref() === undefined);
        });
    });

    it('no port: is in the log once, however often it is tried', async () => {
        backend.replace(http.Server.prototype, 'listen', noPort as http.Server['listen']);
        await backend.hello();
        await backend.hello();
        expect(backend.logged('no port is free').filter(line => !line.startsWith('Starting a server failed'))).to.have.length(1);
    });
});
