// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { EventEmitter } from 'events';
import type { Server } from 'http';
import * as path from 'path';
import { expect } from 'chai';
import { bindRootContributionProvider, ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { Container, ContainerModule, interfaces } from '@theia/core/shared/inversify';
import { ApplicationPackage } from '@theia/core/shared/@theia/application-package';
import { ShellProcess, ShellProcessFactory } from '@theia/terminal/lib/node/shell-process';
import { backendPreferences } from '../common/companion-preferences';
import { WindowSnapshot } from '../common/companion-protocol';
import companionBackendModule from './companion-backend-module';
import { TestHost } from './discovery/test/test-host';
import { HostEnvironment } from './host/host-environment';
import { WindowServers } from './server/window-servers';
import { TheiaRelease } from './host/theia-release';
import { CompanionBackendContribution } from './companion-backend-contribution';
import { CompanionShellProcessFactory } from './terminal/companion-shell-process-factory';
import { RecordingLogger } from './test/recording-logger';
import { TestPage } from './test/test-page';

const THEIRS = new Set<unknown>([BackendApplicationContribution, ConnectionContainerModule, ContributionProvider]);

/** All that our module binds and that is not one of Theia's kinds of contributions. */
function ownServices(): Array<interfaces.ServiceIdentifier<unknown>> {
    const bound = new Set<interfaces.ServiceIdentifier<unknown>>();
    const container = new Container();
    const bind = ((id: interfaces.ServiceIdentifier<unknown>) => {
        bound.add(id);
        return container.bind(id);
    }) as interfaces.Bind;
    const ignore = (() => undefined) as never;
    companionBackendModule.registry(bind, ignore, ignore, ignore, ignore, ignore, ignore);
    return [...bound].filter(id => !THEIRS.has(id));
}

describe('The backend module', () => {
    let host: TestHost;
    let logger: RecordingLogger;
    let calls: string[];
    const theirs: BackendApplicationContribution = {
        initialize: () => void calls.push('initialize'),
        onStop: () => void calls.push('onStop')
    };

    beforeEach(() => {
        host = new TestHost();
        logger = new RecordingLogger();
        calls = [];
    });

    afterEach(() => {
        process.removeAllListeners('SIGHUP');
        host.remove();
    });

    /** An application with a contribution of its own and our module, as Theia makes it. */
    function application(): Container {
        const container = new Container();
        container.load(
            new ContainerModule(bind => {
                bind(ILogger).toConstantValue(logger);
                bind(EnvVariablesServer).toConstantValue({
                    getConfigDirUri: async () => FileUri.create(host.configurationFolder).toString()
                } as Partial<EnvVariablesServer> as EnvVariablesServer);
                bind(ApplicationPackage).toConstantValue({} as ApplicationPackage);
                bindRootContributionProvider(bind, BackendApplicationContribution);
                bindRootContributionProvider(bind, ConnectionContainerModule);
                bind(BackendApplicationContribution).toConstantValue(theirs);
                bind(ShellProcessFactory).toFactory(() => () => ({ theirs: true }) as unknown as ShellProcess);
            }),
            companionBackendModule
        );
        container.rebind<HostEnvironment>(HostEnvironment).toConstantValue(host);
        return container;
    }

    /** What Theia does with contributions. */
    async function start(container: Container): Promise<readonly BackendApplicationContribution[]> {
        const contributions = container
            .getNamed<ContributionProvider<BackendApplicationContribution>>(ContributionProvider, BackendApplicationContribution)
            .getContributions();
        for (const contribution of contributions) {
            await contribution.initialize?.();
        }
        return contributions;
    }

    function snapshot({ loadId }: TestPage): WindowSnapshot {
        return {
            windowId: 'w',
            loadId,
            roots: [],
            enabled: true,
            focused: true,
            reviewOpen: 'reveal',
            excludes: [],
            preferences: backendPreferences()
        };
    }

    function failures(): string[] {
        return logger.lines.filter(line => line.includes('does not work'));
    }

    /** Everything but the connection that a page has open. */
    async function expectToLive(container: Container): Promise<void> {
        const contributions = await start(container);
        expect(container.get<ShellProcessFactory>(ShellProcessFactory)({ env: {} }), 'a new terminal').to.have.property('theirs');
        for (const contribution of contributions) {
            await contribution.onStop?.();
        }
        expect(calls).to.deep.equal(['initialize', 'onStop']);
    }

    function breakIn(container: Container, service: interfaces.ServiceIdentifier<unknown>): void {
        container.onActivation(service, () => {
            throw new Error('Broken on purpose');
        });
    }

    it('loads no MCP SDK and no zod before a page or a CLI needs them', () => {
        const script = `
            require('reflect-metadata');
            require(${JSON.stringify(path.join(__dirname, 'companion-backend-module'))});
            console.log(JSON.stringify(Object.keys(require.cache).filter(file => /[\\\\/](zod|@modelcontextprotocol)[\\\\/]/.test(file))));`;
        expect(JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }))).to.deep.equal([]);
    });

    it('needs no preference service: Theia’s starts a process that watches files', async () => {
        const container = application();
        container.bind(PreferenceService).toDynamicValue(() => expect.fail('It was asked for'));
        const contributions = await start(container);
        const server = new EventEmitter();
        contributions.forEach(contribution => contribution.onStart?.(server as Server));
        server.emit('upgrade');
        const page = new TestPage();
        await container.get(WindowServers).hello(page.connection(), snapshot(page));
        for (const contribution of contributions) {
            await contribution.onStop?.();
        }
    });

    it('starts and stops without a failure', async () => {
        await expectToLive(application());
        expect(failures()).to.deep.equal([]);
    });

    it('says in the log that nobody has tried this Theia', async () => {
        const container = application();
        await start(container);
        expect(logger.lines.filter(line => line.includes('Theia'))).to.deep.equal([]);
        Object.assign(container.get(TheiaRelease), { version: '1.78.0' });
        await start(container);
        const says = 'The companion was tried with Theia up to 1.76.0-next.10. This one is newer: 1.78.0';
        expect(logger.lines.filter(line => line.includes('Theia'))).to.deep.equal([says]);
    });

    for (const service of ownServices()) {
        it(`a ${nameOf(service)} that cannot be made costs the application no contribution and no terminal`, async () => {
            const container = application();
            breakIn(container, service);
            await expectToLive(container);
        });
    }

    it('what cannot be made is logged with its cause, and is one problem in the status of every window', async () => {
        const container = application();
        breakIn(container, CompanionShellProcessFactory);
        breakIn(container, CompanionBackendContribution);
        await start(container);
        container.get<ShellProcessFactory>(ShellProcessFactory)({ env: {} });
        container.get<ShellProcessFactory>(ShellProcessFactory)({ env: {} });
        expect(failures()).to.have.length(2);
        expect(failures()[0]).to.include('Broken on purpose');
        const page = new TestPage();
        const servers = container.get(WindowServers);
        const { status } = await servers.hello(page.connection(), snapshot(page));
        await servers.stop();
        expect(status.problems).to.deep.equal([{ code: 'part-failed', cause: 'Broken on purpose' }]);
    });
});

function nameOf(service: interfaces.ServiceIdentifier<unknown>): string {
    return typeof service === 'function' ? service.name : String(service);
}
