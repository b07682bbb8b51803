// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawnSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { EnvironmentUtils } from '@theia/core/lib/node/environment-utils';
import { Container, ContainerModule } from '@theia/core/shared/inversify';
import { ShellProcess, ShellProcessFactory, ShellProcessOptions } from '@theia/terminal/lib/node/shell-process';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { GeminiCli } from '../discovery/gemini-cli';
import { QwenCodeCli } from '../discovery/qwen-code-cli';
import { ServerPlace, SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { eventually } from '../test/test-cli';
import { ShellObserver } from './shell-observer';
import { bindTerminals } from './terminal-module';
import { TerminalEnvironment, TerminalServers } from './terminal-environment';

type Environment = Record<string, string | null | undefined>;

describe('A new shell, started by Theia’s ShellProcessFactory', () => {
    let host: TestHost;
    let container: Container;
    let started: ShellProcessOptions[];
    let preferences: TestHost['preferences'];
    let servers: Map<string, ServerPlace>;
    let clis: SupportedCli[];
    let followed: unknown[];

    beforeEach(async () => {
        host = new TestHost();
        host.platform = 'linux';
        started = [];
        preferences = host.preferences;
        servers = new Map([['window-1', { port: 4711, roots: ['/a'] }]]);
        container = host.container();
        clis = [container.get(GeminiCli), container.get(QwenCodeCli)];
        const contributions: ContributionProvider<SupportedCli> = { getContributions: () => clis };
        container.bind(ContributionProvider).toConstantValue(contributions).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        followed = [];
        container.bind<ShellObserver>(ShellObserver).toConstantValue({ follow: shell => void followed.push(shell) });
        container
            .bind<TerminalServers>(TerminalServers)
            .toConstantValue({ serverFor: id => servers.get(id), isOff: id => id === 'off', preferencesOf: () => preferences });
        // As in Theia's own module, and loaded before ours, as in an application.
        container.load(
            new ContainerModule(bind => {
                bind(ShellProcessFactory).toFactory(() => (options: ShellProcessOptions) => {
                    started.push(options);
                    return {} as ShellProcess;
                });
            }),
            new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) =>
                bindTerminals(bind, new ContributionGuard(), onActivation)
            )
        );
        await container.get(TerminalEnvironment).prepare();
    });

    afterEach(async () => {
        // What the last shell has set off is over with this.
        await container.get(TerminalEnvironment).prepare();
        host.remove();
    });

    /** @returns what the shell sees, computed by Theia */
    function start(env: Record<string, string | null>, options: ShellProcessOptions = {}): Environment {
        container.get<ShellProcessFactory>(ShellProcessFactory)({ ...options, env });
        const last = started[started.length - 1].env ?? {};
        return options.strictEnv ? last : new EnvironmentUtils().mergeProcessEnv(last);
    }

    function nulls(variables: Record<string, string>): Record<string, null> {
        return Object.fromEntries(Object.keys(variables).map(name => [name, null]));
    }

    it('A5: has the variables of its window instead of the window’s id', () => {
        const env = start({ [WINDOW_ID_VARIABLE]: 'window-1', OTHER: 'kept' });
        expect(env).to.include({
            OTHER: 'kept',
            QWEN_CODE_IDE_SERVER_PORT: '4711',
            QWEN_CODE_IDE_WORKSPACE_PATH: '/a',
            GEMINI_CLI_IDE_SERVER_PORT: '4711',
            GEMINI_CLI_IDE_WORKSPACE_PATH: '/a',
            GEMINI_CLI_IDE_PID: String(host.pid)
        });
        expect(env).not.to.have.property(WINDOW_ID_VARIABLE);
    });

    it('A5: is not redirected by what its environment already contains: another IDE, a plugin’s collection', () => {
        const env = start({
            [WINDOW_ID_VARIABLE]: 'window-1',
            GEMINI_CLI_IDE_SERVER_PORT: '1',
            GEMINI_CLI_IDE_AUTH_TOKEN: 'theirs',
            GEMINI_CLI_IDE_SERVER_STDIO_COMMAND: 'theirs',
            QWEN_CODE_IDE_SERVER_PORT: '1',
            QWEN_CODE_IDE_SERVER_STDIO_COMMAND: 'theirs'
        });
        expect(env).to.include({ GEMINI_CLI_IDE_SERVER_PORT: '4711', QWEN_CODE_IDE_SERVER_PORT: '4711' });
        expect(Object.values(env)).not.to.include('theirs');
    });

    it('starts with many long roots: a variable over 64 KiB is left out', () => {
        const roots = Array.from({ length: 100 }, (_, index) => `/${index}${'/long'.repeat(280)}`);
        servers.set('window-1', { port: 4711, roots });
        const env = start({ [WINDOW_ID_VARIABLE]: 'window-1', QWEN_CODE_IDE_WORKSPACE_PATH: '/old' });
        expect(env).to.include({ QWEN_CODE_IDE_SERVER_PORT: '4711' });
        expect(env).not.to.have.any.keys('QWEN_CODE_IDE_WORKSPACE_PATH', 'GEMINI_CLI_IDE_WORKSPACE_PATH');
        const shell = spawnSync('/bin/sh', ['-c', 'echo started'], { env: env as NodeJS.ProcessEnv });
        expect(shell.error).to.equal(undefined);
        expect(String(shell.stdout)).to.equal('started\n');
    });

    it('has no workspace of another IDE if no folder is open', () => {
        servers.set('window-1', { port: 4711, roots: [] });
        const env = start({
            [WINDOW_ID_VARIABLE]: 'window-1',
            QWEN_CODE_IDE_WORKSPACE_PATH: '/old',
            GEMINI_CLI_IDE_WORKSPACE_PATH: '/old'
        });
        expect(env).not.to.have.any.keys('QWEN_CODE_IDE_WORKSPACE_PATH', 'GEMINI_CLI_IDE_WORKSPACE_PATH');
    });

    it('A5: in an unknown window, or in one without a server, is not led to the IDE whose terminal this backend was started from', () => {
        host.files.add('/.dockerenv');
        const inherited = { QWEN_CODE_IDE_SERVER_PORT: '1', GEMINI_CLI_IDE_AUTH_TOKEN: 'theirs' };
        Object.assign(process.env, inherited);
        try {
            const cleared = new EnvironmentUtils().mergeProcessEnv({ A: 'b', ...nulls(inherited) });
            expect(start({ [WINDOW_ID_VARIABLE]: 'off', A: 'b' })).to.deep.equal(cleared);
            for (const window of [{ [WINDOW_ID_VARIABLE]: 'unknown' }, {} as Record<string, string>]) {
                expect(start({ ...window, A: 'b' }))
                    .to.include(cleared)
                    .and.not.to.have.any.keys(...Object.keys(inherited));
            }
            // A plugin that is a companion itself, say where ours is switched off.
            expect(start({ QWEN_CODE_IDE_SERVER_PORT: '2' })).to.include({ QWEN_CODE_IDE_SERVER_PORT: '2' });
            container.get<ShellProcessFactory>(ShellProcessFactory)({});
            expect(started.at(-1)?.env).to.include({ QWEN_CODE_IDE_SERVER_PORT: null, [WINDOW_ID_VARIABLE]: null });
        } finally {
            Object.keys(inherited).forEach(name => delete process.env[name]);
        }
    });

    it('never has the id of a window from our own environment', () => {
        process.env[WINDOW_ID_VARIABLE] = 'inherited';
        try {
            expect(start({})).not.to.have.property(WINDOW_ID_VARIABLE);
        } finally {
            delete process.env[WINDOW_ID_VARIABLE];
        }
    });

    it('with a strict environment, or without a process, only loses the window’s id', () => {
        expect(start({ [WINDOW_ID_VARIABLE]: 'window-1', A: 'b' }, { strictEnv: true })).to.deep.equal({ A: 'b' });
        start({ [WINDOW_ID_VARIABLE]: 'window-1', A: 'b' }, { isPseudo: true });
        expect(started[1].env).to.deep.equal({ A: 'b' });
        expect(followed, 'those with a process').to.have.length(1);
    });

    it('starts although it cannot be followed', () => {
        container.rebind<ShellObserver>(ShellObserver).toConstantValue({
            follow: () => {
                throw new Error('pty process did not start correctly');
            }
        });
        expect(start({ A: 'b' })).to.include({ A: 'b' });
    });

    it('starts although a CLI or the window fails', () => {
        const broken: SupportedCli = {
            ...clis[0],
            terminalVariables: () => {
                throw new Error('broken');
            }
        } as SupportedCli;
        clis.unshift(broken);
        expect(start({ [WINDOW_ID_VARIABLE]: 'window-1' })).to.include({ QWEN_CODE_IDE_SERVER_PORT: '4711' });
        servers.get = () => {
            throw new Error('broken');
        };
        expect(start({ [WINDOW_ID_VARIABLE]: 'window-1', A: 'b' })).to.include({ A: 'b' });
    });

    it('starts although our own services are bound wrongly', () => {
        container.unbind(TerminalServers);
        expect(start({ A: 'c' })).to.include({ A: 'c' });
    });

    it('makes Qwen Code ask, unless the user does not want that', () => {
        expect(start({ [WINDOW_ID_VARIABLE]: 'window-1' })['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.match(/qwen-defaults-ask\.json$/);
        preferences['companion.qwen.askBeforeEdits'] = false;
        expect(start({ [WINDOW_ID_VARIABLE]: 'window-1' })['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.match(/qwen-defaults\.json$/);
        expect(start({})['QWEN_CODE_SYSTEM_DEFAULTS_PATH'], 'of no page').to.match(/qwen-defaults\.json$/);
        expect(start({ [WINDOW_ID_VARIABLE]: 'failed' })['QWEN_CODE_SYSTEM_DEFAULTS_PATH'], 'not served').to.match(/qwen-defaults\.json$/);
        expect(start({ [WINDOW_ID_VARIABLE]: 'off' })).not.to.have.property('QWEN_CODE_SYSTEM_DEFAULTS_PATH');
        const own = start({ [WINDOW_ID_VARIABLE]: 'window-1', QWEN_CODE_SYSTEM_DEFAULTS_PATH: '/own.json' });
        expect(own['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.equal('/own.json');
    });

    it('has Qwen Code’s defaults even if they were removed while the backend runs', async () => {
        const file = start({ [WINDOW_ID_VARIABLE]: 'window-1' })['QWEN_CODE_SYSTEM_DEFAULTS_PATH'];
        // Without a file it would be the folder that the tests run in.
        if (!file) {
            throw new Error('There are no defaults');
        }
        fs.rmSync(path.dirname(file), { recursive: true });
        expect(start({ [WINDOW_ID_VARIABLE]: 'window-1' })['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.equal(file);
        await eventually('the defaults to be written again', () => fs.existsSync(file));
    });

    describe('in a container', () => {
        function loopback(env: Record<string, string | null> = {}): unknown {
            start({ [WINDOW_ID_VARIABLE]: 'window-1', ...env });
            return started[started.length - 1].env?.['REMOTE_CONTAINERS'];
        }

        for (const file of ['/.dockerenv', '/run/.containerenv']) {
            it(`makes Gemini CLI use the loopback address if there is ${file}`, () => {
                expect(loopback()).to.equal(undefined);
                host.files.add(file);
                expect(loopback()).to.equal('true');
            });
        }

        it('does nothing if something else makes it do so', () => {
            host.files.add('/.dockerenv');
            expect(loopback({ SSH_CONNECTION: '1.2.3.4' })).to.equal(undefined);
            expect(loopback({ VSCODE_REMOTE_CONTAINERS_SESSION: 'x' })).to.equal(undefined);
            expect(loopback({ REMOTE_CONTAINERS: 'yes' })).to.equal('yes');
            host.variables['SSH_CONNECTION'] = '1.2.3.4';
            expect(loopback()).to.equal(undefined);
            expect(loopback({ SSH_CONNECTION: null })).to.equal('true');
        });

        it('does as the preference says', () => {
            preferences['companion.container.loopback'] = 'always';
            expect(loopback()).to.equal('true');
            preferences['companion.container.loopback'] = 'never';
            host.files.add('/.dockerenv');
            expect(loopback()).to.equal(undefined);
        });
    });
});
