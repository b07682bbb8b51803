// SPDX-License-Identifier: Apache-2.0

/**
 * Faults for a page that is loaded with this script:
 * - `lose`: calls of these methods of the service with the symbol of this description are lost, as with the socket: the first ones of each, or all
 * - `breakMade`: some of our contributions to Theia cannot be made: in the order in which our module binds them, every so many from the
 *   first on; or the one that has a method of this name
 * - `breakCalls`: every call that Theia makes of any of ours fails
 */
export interface PageFault {
    readonly lose?: { readonly service: string; readonly methods: readonly string[]; readonly times?: number };
    readonly breakMade?: { readonly first: number; readonly every: number } | string;
    readonly breakCalls?: boolean;
}

declare global {
    interface Window {
        /** How many contributions to Theia our module binds by a class. */
        companionContributions?: number;
    }
}

/**
 * For `addInitScript`. Runs before Theia, so it must not use anything from outside itself. Theia's own hook, `window.theia.container`, is
 * set before the application starts. Names of classes do not survive minification; our module is the one that binds `CompanionBackend`.
 */
export function spoilPage({ lose, breakMade, breakCalls }: PageFault): void {
    interface Container {
        _bindingDictionary: { _map: Map<unknown, Array<{ moduleId: unknown }>> };
        onActivation(id: unknown, activation: (context: unknown, instance: object) => object): void;
    }
    const registering = ['registerCommands', 'registerKeybindings', 'registerMenus', 'registerToolbarItems'];
    const called = ['onStart', 'onStop', ...registering, 'resolve', 'createModel', 'decorate'];
    const spoil = (container: Container): void => {
        const bindings = container._bindingDictionary._map;
        const idOf = (name: string): unknown => [...bindings.keys()].find(id => typeof id === 'symbol' && id.description === name);
        const spoilMethods = (id: unknown, isSpoiled: (method: string) => boolean, answer: () => unknown): void =>
            container.onActivation(
                id,
                (_context, instance) =>
                    new Proxy(instance, {
                        get: (target, property, receiver) =>
                            typeof property === 'string' && isSpoiled(property) ? answer : Reflect.get(target, property, receiver)
                    })
            );
        const fail = (): never => {
            throw new Error('Broken on purpose');
        };
        if (lose) {
            const left = new Map(lose.methods.map(method => [method, lose.times ?? Infinity]));
            spoilMethods(
                idOf(lose.service),
                // Each look at the method is a call.
                method => {
                    const times = left.get(method) ?? 0;
                    left.set(method, times - 1);
                    return times > 0;
                },
                () => new Promise(() => undefined)
            );
        }
        const [{ moduleId }] = bindings.get(idOf('CompanionBackend')) ?? [];
        const ours = [...bindings]
            .filter(([id, [first]]) => typeof id === 'function' && first.moduleId === moduleId)
            .map(([id]) => id as { prototype: object })
            .filter(({ prototype }) => called.some(method => method in prototype));
        window.companionContributions = ours.length;
        if (typeof breakMade === 'string') {
            container.onActivation(
                ours.find(({ prototype }) => breakMade in prototype),
                fail
            );
        } else if (breakMade) {
            const { first, every } = breakMade;
            ours.filter((_, index) => index >= first && (index - first) % every === 0).forEach(id => container.onActivation(id, fail));
        }
        if (breakCalls) {
            ours.forEach(id => spoilMethods(id, method => called.includes(method), fail));
        }
    };
    let made: Container;
    const theia = {
        get container(): Container {
            return made;
        },
        set container(container: Container) {
            made = container;
            spoil(container);
        }
    };
    Object.assign(window, { theia });
}
