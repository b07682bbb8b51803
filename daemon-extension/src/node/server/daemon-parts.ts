// SPDX-License-Identifier: Apache-2.0

import { Emitter, Event } from '@theia/core/lib/common/event';
import { RpcProxy } from '@theia/core/lib/common/messaging/proxy-factory';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { ActiveAgent, ActiveAgentContribution } from 'theia-cli-companion/lib/node';
import { QwenDaemonBackend, QwenDaemonPage } from '../../common/qwen-daemon-protocol';
import type { DaemonWorkspaces } from './daemon-workspaces';

/**
 * Everything that runs daemons and talks to them, with the client library, tied to the life of the backend process. It is loaded with the
 * first page that connects, and pages connect only while the daemon is switched on: to other backends it would be a third of their start.
 */
export class DaemonParts implements BackendApplicationContribution, ActiveAgentContribution {
    protected workspaces: DaemonWorkspaces | undefined;
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange: Event<void> = this.onDidChangeEmitter.event;

    /** @param container the backend's: what is made must outlive the connections of pages */
    constructor(protected readonly container: interfaces.Container) {}

    /** On `process.exit` only what runs before the first `await` happens (Theia 1.74). */
    async onStop(): Promise<void> {
        await this.workspaces?.stop();
    }

    agentsIn(roots: readonly string[]): readonly ActiveAgent[] {
        return this.workspaces?.agentsIn(roots) ?? [];
    }

    /** What a page calls, until its connection is closed. */
    serve(page: RpcProxy<QwenDaemonPage>): QwenDaemonBackend {
        // A channel does not wait for an `import()`.
        /* eslint-disable @typescript-eslint/no-require-imports */
        const { DaemonWorkspaces: token } = require('./daemon-workspaces') as typeof import('./daemon-workspaces');
        const { QwenDaemonService } = require('./qwen-daemon-service') as typeof import('./qwen-daemon-service');
        /* eslint-enable @typescript-eslint/no-require-imports */
        // A product may have bound its own.
        if (!this.container.isBound(token)) {
            this.container.bind(token).toSelf().inSingletonScope();
        }
        if (!this.workspaces) {
            this.workspaces = this.container.get(token);
            this.workspaces.onDidChangeWork(() => this.onDidChangeEmitter.fire());
        }
        const service = new QwenDaemonService(this.workspaces, page);
        page.onDidCloseConnection(() => service.dispose());
        return service;
    }
}
