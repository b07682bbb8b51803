// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { parse } from 'jsonc-parser';

/** More than any settings file has. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/** The settings files of a CLI. A later one overrides an earlier one. */
export interface SettingsFiles {
    readonly systemDefaults: string;
    readonly user: string;
    /** Counts in a trusted folder only. */
    readonly workspace: string;
    readonly system: string;
}

interface Setting {
    readonly value: unknown;
    /** Where it is set; `undefined` if it is not. */
    readonly file: string | undefined;
}

/** The settings files of a CLI, read as the CLIs do. */
export class CliSettings {
    /** The files' contents by their paths, in the order in which they override each other. */
    protected constructor(
        readonly files: SettingsFiles,
        protected readonly layers: ReadonlyArray<readonly [string, unknown]>
    ) {}

    static async read(files: SettingsFiles): Promise<CliSettings> {
        // In the HOME a CLI takes the user's settings for nothing else.
        const workspace = files.workspace === files.user ? [] : [files.workspace];
        const order = [files.systemDefaults, files.user, ...workspace, files.system];
        return new CliSettings(files, await Promise.all(order.map(async file => [file, await CliSettings.readFile(file)] as const)));
    }

    /**
     * Reads a settings file of a CLI, which may have comments.
     *
     * @returns `undefined` if there is no such file, or no object in it
     */
    static async readFile(file: string): Promise<object | undefined> {
        try {
            const stat = await fs.stat(file);
            const content: unknown = stat.isFile() && stat.size <= MAX_SETTINGS_BYTES ? parse(await fs.readFile(file, 'utf8')) : undefined;
            return typeof content === 'object' && content !== null && !Array.isArray(content) ? content : undefined;
        } catch {
            return undefined;
        }
    }

    /** @param trusted whether the settings of the workspace count */
    get(name: string, trusted = true): Setting {
        const layers = this.layers.filter(([file]) => trusted || file === this.files.user || file !== this.files.workspace);
        for (const [file, settings] of [...layers].reverse()) {
            const value = settingIn(settings, name);
            if (value !== undefined) {
                return { value, file };
            }
        }
        return { value: undefined, file: undefined };
    }
}

/** @param name such as `tools.approvalMode` */
function settingIn(settings: unknown, name: string): unknown {
    return name
        .split('.')
        .reduce<unknown>(
            (value, part) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined),
            settings
        );
}

/** Reads the value of an option from a command line, behind it or behind `=`. */
export function optionValue(command: readonly string[], option: string): string | undefined {
    const index = command.findIndex(argument => argument === option || argument.startsWith(`${option}=`));
    return index === -1 ? undefined : (command[index].split('=')[1] ?? command[index + 1]);
}
