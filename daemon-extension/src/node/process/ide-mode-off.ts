// SPDX-License-Identifier: Apache-2.0

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { Disposable } from '@theia/core/lib/common/disposable';

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
export class IdeModeOff implements Disposable {
    protected readonly folder: string | undefined;
    /** For the daemon's environment. */
    readonly variables: Record<string, string> = {};

    constructor(environment: NodeJS.ProcessEnv = process.env) {
        const administrators = environment[SETTINGS_VARIABLE] ?? SETTINGS_FILES[process.platform] ?? '/etc/qwen-code/settings.json';
        if (existsSync(administrators)) {
            return;
        }
        try {
            this.folder = mkdtempSync(path.join(os.tmpdir(), 'qwen-daemon-'));
            const file = path.join(this.folder, 'settings.json');
            writeFileSync(file, JSON.stringify(SETTINGS));
            // Qwen Code looks for the defaults beside the settings.
            const defaults = environment[DEFAULTS_VARIABLE] ?? path.join(path.dirname(administrators), 'system-defaults.json');
            this.variables = { [SETTINGS_VARIABLE]: file, [DEFAULTS_VARIABLE]: defaults };
        } catch {
            // Where nothing can be written, an agent may be listed among the CLIs.
        }
    }

    dispose(): void {
        if (this.folder) {
            rmSync(this.folder, { recursive: true, force: true });
        }
    }
}
