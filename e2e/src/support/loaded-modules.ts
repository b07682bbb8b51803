// SPDX-License-Identifier: Apache-2.0

/** Modules that a package would load alone: its own, and those that Theia has not loaded. */
export interface LoadedModules {
    'theia-cli-companion': number;
    'theia-qwen-daemon': number;
}

/** Runs in a backend that is not bundled, so it must not use anything from outside itself. */
export function countLoadedModules(): LoadedModules {
    const companion = '/companion-extension/lib/';
    const daemon = '/daemon-extension/lib/';
    const reached = (...leftOut: string[]): number => {
        const found = new Set<NodeModule>();
        // There is no other way to the first module from an inspector.
        const waiting = [process.mainModule];
        for (let module = waiting.pop(); module; module = waiting.pop()) {
            const file = module.filename.replaceAll('\\', '/');
            if (!found.has(module) && !leftOut.some(folder => file.includes(folder))) {
                found.add(module);
                waiting.push(...module.children);
            }
        }
        return found.size;
    };
    const without = reached(companion, daemon);
    return { 'theia-cli-companion': reached(daemon) - without, 'theia-qwen-daemon': reached(companion) - without };
}
