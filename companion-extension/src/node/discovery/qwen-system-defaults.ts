// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { NoAnswer, FileAccessQueues } from '../host/file-access-queues';
import { FaultError } from '../host/problems';
import { CompanionFolder } from './companion-folder';

/** The version of the settings of Qwen Code 0.24.4. If the file has none or a lower one, Qwen Code writes the file again. */
const SETTINGS_VERSION = 4;

/**
 * Defaults for Qwen Code that a person's own settings override: IDE mode, and asking before edits, which Qwen Code 0.24 does not do
 * by itself (its `auto` mode writes without a diff). One file with asking and one without, so that a terminal keeps what it began with.
 */
@injectable()
export class QwenSystemDefaults {
    @inject(CompanionFolder)
    protected readonly companionFolder: CompanionFolder;

    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;

    /** Where the files were written last. */
    protected folder: string | undefined;
    /** What went wrong with {@link prepare}. */
    problem: CompanionProblem | undefined;

    /**
     * Writes the files if they are missing or changed. Never rejects, and ends soon even if the file system does not answer:
     * terminals then start with those of before, if there are some.
     */
    async prepare(): Promise<void> {
        try {
            this.folder = await this.tasks.run(this.companionFolder.queue, () => this.write());
            this.problem = undefined;
        } catch (error) {
            this.folder = error instanceof NoAnswer ? this.folder : undefined;
            this.problem = { code: 'no-defaults', cliName: 'Qwen Code', fault: FaultError.faultOf(error) };
        }
    }

    /** For `QWEN_CODE_SYSTEM_DEFAULTS_PATH`; `undefined` as long as it is not written. @param ask whether Qwen Code asks before it edits */
    file(ask: boolean): string | undefined {
        return this.folder && path.join(this.folder, fileName(ask));
    }

    /** @returns the folder of the files */
    protected async write(): Promise<string> {
        for (const ask of [true, false]) {
            await this.companionFolder.write(fileName(ask), content(ask));
        }
        return this.companionFolder.make();
    }
}

function fileName(ask: boolean): string {
    return ask ? 'qwen-defaults-ask.json' : 'qwen-defaults.json';
}

function content(ask: boolean): string {
    const defaults = { $version: SETTINGS_VERSION, ide: { enabled: true }, ...(ask ? { tools: { approvalMode: 'default' } } : {}) };
    return JSON.stringify(defaults, undefined, 4) + '\n';
}
