// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { interfaces } from '@theia/core/shared/inversify';

type Method = (...parameters: unknown[]) => unknown;

/**
 * Binds services as contributions to Theia so that one that fails costs the application nothing else. Theia takes all contributions of a
 * kind from the container at once: if one cannot be made, all are lost, also those of the application. And it calls some kinds one after
 * the other without a guard, so that one that throws keeps the rest from being called (docs/theia-workarounds.md, "One contribution
 * that fails takes others with it").
 *
 * Our modules do not use `toService`: if it fails, inversify 6 tries again asynchronously, and the cause becomes an unhandled rejection.
 * Promised: `contribute` and `get`.
 *
 * @since 0.1
 */
export class ContributionGuard {
    /** @param product names the package in the log */
    constructor(protected readonly product = 'companion') {}

    /** Services that cannot be made. Trying again with each call would leave half of one behind each time. */
    protected readonly broken = new Map<unknown, unknown>();
    protected readonly failed = new Map<unknown, string>();

    /** Each cause once: one cause often breaks several services. */
    get failures(): readonly string[] {
        return [...new Set(this.failed.values())];
    }

    /**
     * As `bind(kind).toService(service)`. `FilterContribution` sees the service.
     *
     * @param methods those that Theia calls without a guard
     */
    contribute<T extends object, K extends keyof T>(
        bind: interfaces.Bind,
        kind: interfaces.ServiceIdentifier<T>,
        service: interfaces.ServiceIdentifier<Required<Pick<T, K>>>,
        ...methods: K[]
    ): void {
        bind<object>(kind)
            .toDynamicValue(({ container }) => this.guarded(container, service, methods))
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

    /** If the service cannot be made, something that does nothing. */
    protected guarded<T extends object>(
        container: interfaces.Container,
        service: interfaces.ServiceIdentifier<T>,
        methods: ReadonlyArray<PropertyKey>
    ): object {
        let instance: T;
        try {
            instance = this.get(container, service);
        } catch {
            return Object.fromEntries(methods.map(method => [method, () => undefined]));
        }
        if (methods.length === 0) {
            return instance;
        }
        const call = (method: Method, parameters: unknown[]): unknown => {
            try {
                return method.apply(instance, parameters);
            } catch (error) {
                this.note(container, service, error);
                return undefined;
            }
        };
        return new Proxy(instance, {
            get: (target, name, receiver) => {
                const value: unknown = Reflect.get(target, name, receiver);
                return methods.includes(name) && typeof value === 'function'
                    ? (...parameters: unknown[]) => call(value as Method, parameters)
                    : value;
            }
        });
    }

    protected note(container: interfaces.Container, service: interfaces.ServiceIdentifier<unknown>, error: unknown): void {
        if (!this.failed.has(service)) {
            this.failed.set(service, error instanceof Error ? error.message.trim() : String(error));
            container.get<ILogger>(ILogger).error(`A part of the ${this.product} does not work`, error);
        }
    }
}
