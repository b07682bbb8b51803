// SPDX-License-Identifier: Apache-2.0

import { readSettings, settingIn } from './settings-file';

/** Where a CLI keeps the mode that it starts in. */
export interface ApprovalSetting {
    /** Such as `tools.approvalMode`. */
    readonly name: string;
    /** The user's file and those of an administrator, the one that counts most first. */
    readonly files: readonly string[];
    /** The file of the folder that the CLI runs in. It counts only if the user trusts the folder. */
    readonly workspaceFile: string;
}

/**
 * The mode that a CLI was started in, as its command line or its settings name it. The user may have changed it since.
 *
 * @param command all arguments of the command line
 * @returns `undefined` if it is not known: nobody names one, or it depends on whether the folder is trusted
 */
export async function approvalMode(command: readonly string[], setting: ApprovalSetting): Promise<string | undefined> {
    const argument = approvalArgument(command);
    if (argument !== undefined) {
        return argument;
    }
    const inWorkspace = await readSetting(setting.workspaceFile, setting.name);
    for (const file of setting.files) {
        const mode = await readSetting(file, setting.name);
        if (mode !== undefined) {
            return inWorkspace === undefined || inWorkspace === mode ? mode : undefined;
        }
    }
    return undefined;
}

/** The value of `--approval-mode`, or `yolo` for its own flags; `undefined` if the command line says nothing. */
export function approvalArgument(command: readonly string[]): string | undefined {
    const end = command.indexOf('--');
    const options = end === -1 ? command : command.slice(0, end);
    const index = options.findIndex(option => /^--approval-mode(=|$)/.test(option));
    if (index !== -1) {
        return options[index].split('=')[1] ?? options[index + 1];
    }
    return options.includes('--yolo') || options.includes('-y') ? 'yolo' : undefined;
}

async function readSetting(file: string, name: string): Promise<string | undefined> {
    const value = settingIn(await readSettings(file), name);
    return typeof value === 'string' ? value : undefined;
}
