// SPDX-License-Identifier: Apache-2.0

import { RpcProxy } from '@theia/core/lib/common/messaging/proxy-factory';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { QwenDaemonBackend, QwenDaemonPage } from '../../common/qwen-daemon-protocol';
import type { DaemonWorkspaces } from './daemon-workspaces';
import type { QwenDaemonService } from './qwen-daemon-service';

/**
 * Everything that runs daemons and talks to them, tied to the life of the backend process. It is loaded with the first call of a page, and
 * pages call only while the daemon is switched on: to other backends it would be a third of their start.
 */
export class DaemonParts implements BackendApplicationContribution {
    protected loading: Promise<DaemonWorkspaces> | undefined;
    protected workspaces: DaemonWorkspaces | undefined;

    /** @param container the backend's: what is made must outlive the connections of pages */
    constructor(protected readonly container: interfaces.Container) {}

    /** On `process.exit` only what runs before the first `await` happens (Theia 1.74). */
    async onStop(): Promise<void> {
        await this.workspaces?.stop();
    }

    /** What a page calls, until its connection is closed. */
    serve(page: RpcProxy<QwenDaemonPage>): QwenDaemonBackend {
        let service: Promise<QwenDaemonService> | undefined;
        const call = async (name: PropertyKey, args: unknown[]): Promise<unknown> => {
            service ??= this.makeService(page);
            const made = await service;
            return Reflect.apply(Reflect.get(made, name), made, args);
        };
        page.onDidCloseConnection(() => void service?.then(made => made.dispose()).catch(() => undefined));
        return new Proxy({} as QwenDaemonBackend, {
            // Inversify asks everything that it makes whether it is a promise.
            get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => call(name, args))
        });
    }

    protected async makeService(page: QwenDaemonPage): Promise<QwenDaemonService> {
        this.loading ??= this.load();
        const workspaces = await this.loading;
        const { QwenDaemonService: service } = await import('./qwen-daemon-service');
        return new service(workspaces, page);
    }

    protected async load(): Promise<DaemonWorkspaces> {
        const { DaemonWorkspaces: token } = await import('./daemon-workspaces');
        // A product may have bound its own.
        if (!this.container.isBound(token)) {
            this.container.bind(token).toSelf().inSingletonScope();
        }
        this.workspaces = this.container.get(token);
        return this.workspaces;
    }
}
