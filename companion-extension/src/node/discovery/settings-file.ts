// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { parse } from 'jsonc-parser';

/** More than any settings file has, in bytes. */
const MAX_SETTINGS = 4 * 1024 * 1024;

/**
 * Reads a settings file of a CLI, which may have comments.
 *
 * @returns `undefined` if there is no such file, or no object in it
 */
export async function readSettings(file: string): Promise<object | undefined> {
    try {
        const stat = await fs.stat(file);
        const content: unknown = stat.isFile() && stat.size <= MAX_SETTINGS ? parse(await fs.readFile(file, 'utf8')) : undefined;
        return typeof content === 'object' && content !== null && !Array.isArray(content) ? content : undefined;
    } catch {
        return undefined;
    }
}

/** @param name such as `tools.approvalMode` */
export function settingIn(settings: unknown, name: string): unknown {
    return name
        .split('.')
        .reduce<unknown>(
            (value, part) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined),
            settings
        );
}
