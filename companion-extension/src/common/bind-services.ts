// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { ContributionGuard } from './contribution-guard';

/**
 * Binds all that a feature consists of: its module. The module of the package calls it.
 *
 * @param guard binds what Theia takes or calls
 * @param onActivation reaches a service of Theia whichever module binds it, and however often it is rebound
 */
export type BindFeature = (bind: interfaces.Bind, guard: ContributionGuard, onActivation: interfaces.Container['onActivation']) => void;

/** Binds each class: the container makes one instance. */
export function bindServices(bind: interfaces.Bind, ...services: Array<interfaces.Newable<unknown>>): void {
    services.forEach(service => bind(service).toSelf().inSingletonScope());
}

/** Binds one instance of what the container cannot make by itself. */
export function bindMade<T>(
    bind: interfaces.Bind,
    service: interfaces.ServiceIdentifier<T>,
    make: (container: interfaces.Container) => T
): void {
    bind<T>(service)
        .toDynamicValue(({ container }) => make(container))
        .inSingletonScope();
}
