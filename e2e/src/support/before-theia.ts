// SPDX-License-Identifier: Apache-2.0

export interface ServiceFault {
    /** The description of the service's symbol. */
    readonly service: string;
    /** A method whose calls are lost from now on. */
    readonly lost: string;
}

/**
 * For `addInitScript`: has the page lose all calls of one method of a service, as it loses them with the socket. Runs before Theia, so
 * it must not use anything from outside itself. Theia's own hook, `window.theia.container`, is set before the application starts.
 */
export function loseCalls({ service, lost }: ServiceFault): void {
    interface Container {
        _bindingDictionary: { _map: Map<unknown, unknown> };
        onActivation(id: unknown, activation: (context: unknown, instance: object) => object): void;
    }
    let container: Container | undefined;
    const theia = {
        get container(): Container | undefined {
            return container;
        },
        set container(made: Container | undefined) {
            container = made;
            const id = [...(made?._bindingDictionary._map.keys() ?? [])].find(
                key => typeof key === 'symbol' && key.description === service
            );
            made?.onActivation(
                id,
                (_context, instance) =>
                    new Proxy(instance, {
                        get: (target, property, receiver) =>
                            property === lost ? () => new Promise(() => undefined) : Reflect.get(target, property, receiver)
                    })
            );
        }
    };
    Object.assign(window, { theia });
}
