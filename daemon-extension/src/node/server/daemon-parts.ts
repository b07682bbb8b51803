// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { QwenDaemonBackend, QwenDaemonPage } from '../../common/qwen-daemon-protocol';
import type { DaemonWorkspaces } from './daemon-workspaces';

/** What a page reaches first, in the container of its connection. */
export const DaemonEntrance = Symbol('DaemonEntrance');
export interface DaemonEntrance {
    serve(page: QwenDaemonPage): QwenDaemonBackend;
}

/**
 * Everything that runs daemons and talks to them. It is loaded with the first call of a page, and pages call only while the daemon is
 * switched on: to other backends it would be a third of their start.
 */
export class DaemonParts {
    protected loading: Promise<DaemonWorkspaces> | undefined;
    protected loaded: DaemonWorkspaces | undefined;

    /** @param container the backend's */
    constructor(protected readonly container: interfaces.Container) {}

    /** `undefined` until a page has called. */
    get workspaces(): DaemonWorkspaces | undefined {
        return this.loaded;
    }

    /**
     * What a page calls.
     *
     * @param connection the container of the page's connection
     */
    serve(connection: interfaces.Container, page: QwenDaemonPage): QwenDaemonBackend {
        let service: Promise<object> | undefined;
        const call = async (name: PropertyKey, args: unknown[]): Promise<unknown> => {
            service ??= this.makeService(connection, page);
            const made = await service;
            return Reflect.apply(Reflect.get(made, name), made, args);
        };
        return new Proxy({} as QwenDaemonBackend, {
            // Inversify asks everything that it makes whether it is a promise.
            get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => call(name, args))
        });
    }

    protected async makeService(connection: interfaces.Container, page: QwenDaemonPage): Promise<object> {
        this.loading ??= this.load();
        await this.loading;
        const { QwenDaemonService } = await import('./qwen-daemon-service');
        if (!connection.isBound(DaemonEntrance)) {
            // Theia has emptied the container: nobody would end what is made now.
            throw new Error('The connection is closed');
        }
        connection.bind(QwenDaemonService).toSelf().inSingletonScope();
        const service = connection.get(QwenDaemonService);
        service.setPage(page);
        return service;
    }

    protected async load(): Promise<DaemonWorkspaces> {
        const { DaemonWorkspaces: token } = await import('./daemon-workspaces');
        // A product may have bound its own.
        if (!this.container.isBound(token)) {
            this.container.bind(token).toSelf().inSingletonScope();
        }
        this.loaded = this.container.get(token);
        return this.loaded;
    }
}
