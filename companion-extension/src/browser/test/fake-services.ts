// SPDX-License-Identifier: Apache-2.0

import { Container } from '@theia/core/shared/inversify';

type Service<T> = new () => T;

/** What a class of the page injects, in a unit test: small fakes in the place of services. */
export class FakeServices {
    protected readonly container = new Container();

    /** @param fake as much of the service as the test needs */
    bind(service: unknown, fake: object): void {
        this.container.bind<unknown>(service as symbol).toConstantValue(fake);
    }

    /** For a service that is injected with `@named`. */
    bindNamed(service: unknown, name: string | symbol, fake: object): void {
        this.container
            .bind<unknown>(service as symbol)
            .toConstantValue(fake)
            .whenTargetNamed(name);
    }

    /** For services that a test uses as they are. */
    bindReal(...services: Array<Service<object>>): void {
        services.forEach(service => this.container.bind(service).toSelf().inSingletonScope());
    }

    /** @param implementation a subclass that leaves out what only a browser has */
    create<T extends object>(service: Service<T>, implementation = service): T {
        this.container.bind<T>(service).to(implementation).inSingletonScope();
        return this.container.get<T>(service);
    }

    get<T extends object>(service: Service<T>): T {
        return this.container.get<T>(service);
    }
}
