// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';

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
 * Keeps the agents of one daemon from connecting to the companion, which would count each as a CLI in a terminal. A person's settings may turn
 * that on, and only system settings can turn it off. An administrator's own ones stay as they are.
 */
export class IdeModeOff {
    protected folder: string | undefined;

    /** @returns for the daemon's environment */
    async variables(environment: NodeJS.ProcessEnv = process.env): Promise<Record<string, string>> {
        const administrators = environment[SETTINGS_VARIABLE] ?? SETTINGS_FILES[process.platform] ?? '/etc/qwen-code/settings.json';
        const isFree = await fs.access(administrators).then(
            () => false,
            () => true
        );
        if (!isFree) {
            return {};
        }
        this.folder = await fs.mkdtemp(path.join(os.tmpdir(), 'qwen-daemon-'));
        const file = path.join(this.folder, 'settings.json');
        await fs.writeFile(file, JSON.stringify(SETTINGS));
        // Qwen Code looks for the defaults beside the settings.
        const defaults = environment[DEFAULTS_VARIABLE] ?? path.join(path.dirname(administrators), 'system-defaults.json');
        return { [SETTINGS_VARIABLE]: file, [DEFAULTS_VARIABLE]: defaults };
    }

    async remove(): Promise<void> {
        if (this.folder) {
            await fs.rm(this.folder, { recursive: true, force: true });
        }
    }
}
