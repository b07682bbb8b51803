// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { OneAtATime, USER_FOLDERS } from '../one-at-a-time';
import { writeAtomically } from './atomic-file';
import { CompanionFolder } from './companion-folder';
import { errorCode } from './error-code';
import { HostEnvironment } from './host-environment';

/** The version of settings of Qwen Code 0.24.4. It writes the file anew where it finds none, or a lower one. */
const SETTINGS_VERSION = 4;

/**
 * Defaults for Qwen Code that a person's own settings override: IDE mode, and asking before edits, which Qwen Code 0.24 does not do
 * by itself (its `auto` mode writes without a diff). One file with asking and one without, so that a terminal keeps what it began with.
 */
@injectable()
export class QwenSystemDefaults {
    @inject(CompanionFolder)
    protected readonly companionFolder: CompanionFolder;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    @inject(ILogger)
    @named('companion:QwenSystemDefaults')
    protected readonly logger: ILogger;

    private folder: string | undefined;
    private currentProblem: string | undefined;

    /** What went wrong, as a sentence for the user. */
    get problem(): string | undefined {
        return this.currentProblem;
    }

    /**
     * Writes the files where they are not as they shall be. Never rejects, and ends soon even where the file system does not answer:
     * terminals then start without them.
     */
    async prepare(): Promise<void> {
        try {
            this.folder = await this.tasks.run(USER_FOLDERS, () => this.write());
            this.currentProblem = undefined;
        } catch (error) {
            this.logger.warn(`The defaults for Qwen Code could not be written: ${errorCode(error)}`);
            this.logger.debug('Writing the defaults for Qwen Code failed', error);
            this.folder = undefined;
            this.currentProblem =
                'Qwen Code may edit files without asking, since its defaults could not be written: ' +
                `${(error as Error).message} It is tried again by itself.`;
        }
    }

    /**
     * @param ask whether Qwen Code shall ask before it edits
     * @param variables of the shell that is to start
     * @returns the file for `QWEN_CODE_SYSTEM_DEFAULTS_PATH`; `undefined` where an administrator has defaults of their own, which count
     */
    fileFor(ask: boolean, variables: Readonly<Record<string, string | null | undefined>>): string | undefined {
        if (!this.folder || variables['QWEN_CODE_SYSTEM_DEFAULTS_PATH'] || this.host.exists(this.administratorsFile(variables))) {
            return undefined;
        }
        return path.join(this.folder, fileName(ask));
    }

    /** @returns the folder of the files */
    private async write(): Promise<string> {
        const folder = await this.companionFolder.make();
        for (const ask of [true, false]) {
            await replace(path.join(folder, fileName(ask)), content(ask));
        }
        return folder;
    }

    /** Where Qwen Code (0.24.4, `getSystemDefaultsPath`) looks without the variable. */
    protected administratorsFile(variables: Readonly<Record<string, string | null | undefined>>): string {
        const folders: Partial<Record<NodeJS.Platform, string>> = {
            darwin: '/Library/Application Support/QwenCode',
            win32: 'C:\\ProgramData\\qwen-code'
        };
        const settings = variables['QWEN_CODE_SYSTEM_SETTINGS_PATH'];
        return path.join(settings ? path.dirname(settings) : (folders[this.host.platform] ?? '/etc/qwen-code'), 'system-defaults.json');
    }
}

function fileName(ask: boolean): string {
    return ask ? 'qwen-defaults-ask.json' : 'qwen-defaults.json';
}

function content(ask: boolean): string {
    const defaults = { $version: SETTINGS_VERSION, ide: { enabled: true }, ...(ask ? { tools: { approvalMode: 'default' } } : {}) };
    return JSON.stringify(defaults, undefined, 4) + '\n';
}

/** Leaves alone what is right already: another backend of the same user may have written it. */
async function replace(file: string, text: string): Promise<void> {
    const current = await fs.readFile(file, 'utf8').catch(() => undefined);
    if (current !== text) {
        await writeAtomically(file, text);
    }
}
