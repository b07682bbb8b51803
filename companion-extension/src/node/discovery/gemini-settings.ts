// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { applyEdits, modify, parse, ParseError } from 'jsonc-parser';
import { HostEnvironment } from '../host/host-environment';
import { describeCause, FaultError } from '../host/problems';
import { writeAtomically } from './atomic-file';
import { settingIn } from './cli-settings';

/** The user's settings of Gemini CLI (0.61), as far as they decide whether it connects to an IDE. */
@injectable()
export class GeminiSettings {
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    /** The user's settings file. */
    get path(): string {
        return path.join(this.host.variables['GEMINI_CLI_HOME'] || this.host.homeFolder, '.gemini', 'settings.json');
    }

    /**
     * Switches IDE mode on, or has the CLI not ask about it. All else in the file stays, also its comments, mode, owner and symbolic link.
     * Rejects with a {@link FaultError}; nothing is changed then.
     */
    async setIdeMode(on: boolean): Promise<void> {
        const file = this.path;
        try {
            await fs.promises.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
            // A link that leads nowhere is not replaced.
            const isLink = await fs.promises.lstat(file).then(
                found => found.isSymbolicLink(),
                () => false
            );
            const target = isLink ? await fs.promises.realpath(file) : file;
            const stat = await fs.promises.stat(target).catch(() => undefined);
            const text = stat && (await fs.promises.readFile(target, 'utf8'));
            const written = await writeAtomically(target, withSetting(file, text ?? '{}\n', on ? 'enabled' : 'hasSeenNudge'), {
                mode: stat && stat.mode & 0o777,
                owner: stat && stat.uid !== this.host.uid ? stat : undefined,
                mayReplace: async () => (await readIfPresent(target)) === text
            });
            if (!written) {
                throw new FaultError({ code: 'settings-changed', file });
            }
        } catch (error) {
            throw error instanceof FaultError ? error : new FaultError({ code: 'settings-unreadable', file, cause: describeCause(error) });
        }
    }
}

function withSetting(file: string, text: string, name: string): string {
    const errors: ParseError[] = [];
    const settings: unknown = parse(text, errors, { allowTrailingComma: false });
    const ide = settingIn(settings, 'ide') ?? {};
    if (errors.length > 0) {
        throw new FaultError({ code: 'settings-not-json', file, line: text.slice(0, errors[0].offset).split('\n').length });
    }
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings) || typeof ide !== 'object') {
        throw new FaultError({ code: 'settings-no-object', file });
    }
    const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: text.includes('\r\n') ? '\r\n' : '\n' };
    return applyEdits(text, modify(text, ['ide', name], true, { formattingOptions }));
}

function readIfPresent(file: string): Promise<string | undefined> {
    return fs.promises.readFile(file, 'utf8').catch(() => undefined);
}
