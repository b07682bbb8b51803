// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { writeAtomically } from 'theia-cli-companion/lib/node';

const SETTINGS_VARIABLE = 'QWEN_CODE_SYSTEM_SETTINGS_PATH';
const DEFAULTS_VARIABLE = 'QWEN_CODE_SYSTEM_DEFAULTS_PATH';

/** Where Qwen Code (0.24) looks for an administrator's settings. */
const SETTINGS_FILES: Partial<Record<NodeJS.Platform, string>> = {
    darwin: '/Library/Application Support/QwenCode/settings.json',
    win32: 'C:\\ProgramData\\qwen-code\\settings.json'
};

/** With a lower version, Qwen Code (0.24) would write the file again. */
const SETTINGS = { $version: 4, ide: { enabled: false } };

/**
 * Keeps the agents of a daemon from connecting to the companion, which would count each as a CLI in a terminal. A person's settings may turn
 * that on, and only system settings can turn it off. An administrator's own ones stay as they are.
 *
 * @param folder for the settings, of which all daemons of this person may have the same: a backend that is killed leaves nothing behind
 * @returns for the daemon's environment
 */
export async function ideModeOff(folder: string, environment: NodeJS.ProcessEnv = process.env): Promise<Record<string, string>> {
    const administrators = environment[SETTINGS_VARIABLE] ?? SETTINGS_FILES[process.platform] ?? '/etc/qwen-code/settings.json';
    const isFree = await fs.access(administrators).then(
        () => false,
        () => true
    );
    if (!isFree) {
        return {};
    }
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, 'settings.json');
    await writeAtomically(file, JSON.stringify(SETTINGS));
    // Qwen Code looks for the defaults beside the settings.
    const defaults = environment[DEFAULTS_VARIABLE] ?? path.join(path.dirname(administrators), 'system-defaults.json');
    return { [SETTINGS_VARIABLE]: file, [DEFAULTS_VARIABLE]: defaults };
}
