// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { interfaces } from '@theia/core/shared/inversify';

type Method = (...parameters: unknown[]) => unknown;

/**
 * Binds services as contributions to Theia so that a failure of one costs the application nothing else. Theia 1.74 takes all contributions
 * of a kind from the container at once, and calls some of them one after the other without a guard. If one throws, all are lost, also
 * those of the application. So a service is made only when Theia calls it, and what it throws ends here.
 *
 * Our modules do not use `toService`: if it fails, inversify 6 tries again asynchronously, and the cause becomes an unhandled rejection.
 */
export class ContributionGuard {
    /** @param product names the package in the log */
    constructor(protected readonly product = 'companion') {}

    /** Services that cannot be made. Trying again with each call would leave half of one behind each time. */
    protected readonly broken = new Map<unknown, unknown>();
    protected readonly failed = new Map<unknown, string>();
    protected readonly onDidChangeFailuresEmitter = new Emitter<void>();
    readonly onDidChangeFailures = this.onDidChangeFailuresEmitter.event;

    /** Each cause once: one cause often breaks several services. */
    get failures(): readonly string[] {
        return [...new Set(this.failed.values())];
    }

    /** @param methods those that Theia calls of this kind of contribution */
    contribute<T extends object, K extends keyof T>(
        bind: interfaces.Bind,
        kind: interfaces.ServiceIdentifier<T>,
        service: interfaces.ServiceIdentifier<Required<Pick<T, K>>>,
        ...methods: K[]
    ): void {
        bind<object>(kind)
            .toDynamicValue(({ container }) =>
                Object.fromEntries(
                    methods.map(method => [
                        method,
                        (...parameters: unknown[]) => this.call(container, service, method as string, parameters)
                    ])
                )
            )
            .inSingletonScope();
    }

    /** Makes a service, or finds it. Throws if it cannot be made, and notes that once. */
    get<T>(container: interfaces.Container, service: interfaces.ServiceIdentifier<T>): T {
        if (this.broken.has(service)) {
            throw this.broken.get(service);
        }
        try {
            return container.get(service);
        } catch (error) {
            this.broken.set(service, error);
            this.note(container, service, error);
            throw error;
        }
    }

    protected call(
        container: interfaces.Container,
        service: interfaces.ServiceIdentifier<unknown>,
        method: string,
        parameters: unknown[]
    ): unknown {
        try {
            const instance = this.get(container, service) as Record<string, Method>;
            const result = instance[method](...parameters);
            return result instanceof Promise ? result.catch(error => this.note(container, service, error)) : result;
        } catch (error) {
            this.note(container, service, error);
            return undefined;
        }
    }

    protected note(container: interfaces.Container, service: interfaces.ServiceIdentifier<unknown>, error: unknown): void {
        if (!this.failed.has(service)) {
            this.failed.set(service, error instanceof Error ? error.message.trim() : String(error));
            container.get<ILogger>(ILogger).error(`A part of the ${this.product} does not work`, error);
            this.onDidChangeFailuresEmitter.fire();
        }
    }
}
