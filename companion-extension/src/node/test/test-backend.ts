// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'fs';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { ConnectionHandler } from '@theia/core/lib/common/messaging/handler';
import { RpcConnectionHandler, RpcProxy } from '@theia/core/lib/common/messaging/proxy-factory';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { Container, interfaces } from '@theia/core/shared/inversify';
import { backendPreferences } from '../../common/companion-preferences';
import { AgentsBackend } from '../../common/agents-protocol';
import { ChangesBackend } from '../../common/changes/changes-protocol';
import { CommentsBackend } from '../../common/comments-protocol';
import { CompanionBackend, WindowSnapshot } from '../../common/companion-protocol';
import { ContextBackend } from '../../common/context-protocol';
import { DoctorBackend } from '../../common/doctor-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { bindBackend } from '../companion-backend-module';
import { IdeIdentity } from '../discovery/ide-identity';
import { TestHost } from '../discovery/test/test-host';
import { HostEnvironment } from '../host/host-environment';
import { ProcessTable } from '../host/process-table';
import { PortTimings } from '../http/port-keeper';
import { Windows } from '../server/windows';
import { WindowServers } from '../server/window-servers';
import { DisconnectedCli, DisconnectedClis } from '../agents/disconnected-clis';
import { OwnProcesses } from './own-processes';
import { RecordingLogger } from './recording-logger';
import { TestPage } from './test-page';

// No test waits longer, and none leaves a keeper behind.
PortTimings.keptMs = 2_000;

/** All that a page may call, over one connection. */
export type TestService = CompanionBackend &
    AgentsBackend &
    ChangesBackend &
    CommentsBackend &
    ContextBackend &
    DoctorBackend &
    PromptBackend &
    ReviewBackend;

/** A page's connection: what the page calls, and its end. */
export interface TestConnection {
    readonly service: TestService;
    disconnect(): void;
}

/** Names none: the machine may run CLIs. */
class NoDisconnectedClis extends DisconnectedClis {
    protected override async disconnectedAmong(): Promise<DisconnectedCli[]> {
        return [];
    }
}

/** The backend's part with everything real but Theia: servers on real ports, discovery files in its own HOME and TMPDIR. */
export class TestBackend {
    readonly logger = new RecordingLogger();
    readonly container = new Container();

    constructor(readonly host = new TestHost()) {
        const bind = this.container.bind.bind(this.container) as interfaces.Bind;
        bind(ILogger).toConstantValue(this.logger);
        bindBackend(bind, new ContributionGuard(), this.container.onActivation.bind(this.container));
        this.container.rebind(DisconnectedClis).to(NoDisconnectedClis).inSingletonScope();
        this.container.rebind<HostEnvironment>(HostEnvironment).toConstantValue(host);
        this.container.rebind<ProcessTable>(ProcessTable).toConstantValue(new OwnProcesses());
        this.container.rebind<IdeIdentity>(IdeIdentity).toConstantValue({ name: 'theia', displayName: 'Test IDE' });
        bind(EnvVariablesServer).toConstantValue({
            getConfigDirUri: async () => FileUri.create(host.configurationFolder).toString()
        } as Partial<EnvVariablesServer> as EnvVariablesServer);
    }

    get servers(): WindowServers {
        return this.container.get(WindowServers);
    }

    get windows(): Windows {
        return this.container.get(Windows);
    }

    connect(page: TestPage): TestConnection {
        // As Theia does with each connection.
        const child = this.container.createChild();
        child.load(...this.container.getAll<interfaces.ContainerModule>(ConnectionContainerModule));
        const handlers = child.getAll<RpcConnectionHandler<TestPage>>(ConnectionHandler);
        const called = handlers.map(handler => handler.targetFactory(page as RpcProxy<TestPage>) as object);
        const service = new Proxy({} as TestService, {
            get: (_, name) => {
                const owner = called.find(candidate => name in candidate) as Record<string | symbol, () => unknown> | undefined;
                return owner?.[name].bind(owner);
            }
        });
        return { service, disconnect: () => child.unbindAll() };
    }

    window(page: TestPage, changes: Partial<WindowSnapshot> = {}): WindowSnapshot {
        const roots = [FileUri.create(this.host.homeFolder).toString()];
        return {
            windowId: 'window-1',
            loadId: page.loadId,
            roots,
            enabled: true,
            focused: true,
            reviewOpen: 'reveal',
            preferences: backendPreferences(),
            excludes: [],
            ...changes
        };
    }

    /** What Qwen Code reads of its lock file. */
    discovered(windowId = 'window-1'): { port: number; token: string } {
        const port = this.windows.serverFor(windowId)?.port ?? 0;
        const { authToken } = JSON.parse(readFileSync(this.host.home('.qwen', 'ide', `${port}.lock`), 'utf8')) as { authToken: string };
        return { port, token: authToken };
    }

    async stop(): Promise<void> {
        await this.servers.stop();
        this.host.remove();
    }
}
