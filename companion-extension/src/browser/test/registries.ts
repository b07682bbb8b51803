// SPDX-License-Identifier: Apache-2.0

import { KeybindingRegistry } from '@theia/core/lib/browser';
import { CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { Disposable } from '@theia/core/lib/common/disposable';

/** What a class registers: commands, handlers and keys. Import `./dom` before it. */
export class FakeRegistries {
    /** By the commands' ids. */
    readonly handlers = new Map<string, CommandHandler>();
    /** `keys: command (condition)` */
    readonly keys: string[] = [];

    get commands(): CommandRegistry {
        const register = (id: string, handler: CommandHandler): Disposable => {
            this.handlers.set(id, handler);
            return Disposable.NULL;
        };
        return {
            registerCommand: ({ id }: { id: string }, handler: CommandHandler) => register(id, handler),
            registerHandler: register
        } as unknown as CommandRegistry;
    }

    get keybindings(): KeybindingRegistry {
        const registry: Pick<KeybindingRegistry, 'registerKeybindings'> = {
            registerKeybindings: (...bindings) => {
                this.keys.push(...bindings.map(({ command, keybinding, when }) => `${keybinding}: ${command} (${when})`));
                return Disposable.NULL;
            }
        };
        return registry as KeybindingRegistry;
    }

    isEnabled(id: string, ...parameters: unknown[]): boolean | undefined {
        return this.handlers.get(id)?.isEnabled?.(...parameters);
    }

    async execute(id: string, ...parameters: unknown[]): Promise<void> {
        await this.handlers.get(id)?.execute(...parameters);
    }
}
