// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { interfaces } from '@theia/core/shared/inversify';

type Method = (...parameters: unknown[]) => unknown;

/**
 * Binds services as contributions to Theia so that a failure of one costs the application nothing else. Theia takes all contributions of
 * a kind from the container at once, and calls some one after the other without a guard (1.74): where one throws, all are gone, those of
 * the application too. So a service is made only when Theia calls it, and what it throws ends here.
 *
 * Our modules do not use `toService`: where it fails, inversify 6 tries again asynchronously, and the cause ends as an unhandled rejection.
 */
export class ContributionGuard {
    /** What cannot be made: to try again with each call would leave the half of it behind each time. */
    private readonly broken = new Map<unknown, unknown>();
    private readonly failed = new Map<unknown, string>();
    protected readonly onDidChangeFailuresEmitter = new Emitter<void>();
    readonly onDidChangeFailures = this.onDidChangeFailuresEmitter.event;

    /** What went wrong, once each: one cause often breaks several services. */
    get failures(): readonly string[] {
        return [...new Set(this.failed.values())];
    }

    /** @param methods what Theia calls of this kind of contribution */
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

    /** Makes a service, or finds it. Fails where it cannot be made; that is noted once. */
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

    private call(
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

    private note(container: interfaces.Container, service: interfaces.ServiceIdentifier<unknown>, error: unknown): void {
        if (!this.failed.has(service)) {
            this.failed.set(service, error instanceof Error ? error.message.trim() : String(error));
            container.get<ILogger>(ILogger).error('A part of the companion does not work', error);
            this.onDidChangeFailuresEmitter.fire();
        }
    }
}
