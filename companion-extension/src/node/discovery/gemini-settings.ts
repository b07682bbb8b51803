// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { applyEdits, Edit, modify, parse, ParseError, printParseErrorCode } from 'jsonc-parser';
import { HostEnvironment } from '../host/host-environment';
import { describeCause, FaultError } from '../host/problems';
import { writeAtomically } from './atomic-file';

const IDE_MODE = ['ide', 'enabled'];
/** More than any settings file has, in bytes. */
const MAX_SETTINGS = 4 * 1024 * 1024;

interface SettingsFile {
    /** Behind symbolic links. */
    readonly realPath: string;
    /** `undefined` if there is no file. */
    readonly stat: fs.Stats | undefined;
    readonly text: string;
    readonly settings: Record<string, unknown>;
}

/** Gemini CLI's settings, as far as they decide whether it connects to an IDE. Read as Gemini CLI 0.61 reads them. */
@injectable()
export class GeminiSettings {
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    /** The user's settings file. */
    get path(): string {
        return path.join(this.folder, 'settings.json');
    }

    protected get folder(): string {
        return path.join(this.host.variables['GEMINI_CLI_HOME'] || this.host.homeFolder, '.gemini');
    }

    /**
     * @returns what {@link enableIdeMode} would write and where; `undefined` if IDE mode was decided on by anybody, or if
     * Gemini CLI is not in use. Rejects if its settings cannot be read, with a {@link FaultError}.
     */
    async offer(): Promise<{ path: string; change: string } | undefined> {
        if (!(await this.isInUse())) {
            return undefined;
        }
        const all = [...(await this.systemSettings()), (await this.read()).settings];
        const decided = all.some(settings => ideMode(settings) !== undefined);
        return decided ? undefined : { path: this.path, change: '"ide": { "enabled": true }' };
    }

    /**
     * Switches IDE mode on if the user has not decided. Comments, formatting, mode, owner and symbolic links are kept.
     * Rejects with a {@link FaultError}; nothing is changed then.
     */
    async enableIdeMode(): Promise<void> {
        const file = await this.read();
        if (ideMode(file.settings) !== undefined) {
            return;
        }
        const text = this.withIdeMode(file);
        await fs.promises.mkdir(path.dirname(file.realPath), { recursive: true, mode: 0o700 });
        const written = await writeAtomically(file.realPath, text, {
            mode: file.stat && file.stat.mode & 0o777,
            owner: file.stat && file.stat.uid !== this.host.uid ? file.stat : undefined,
            mayReplace: async () => (await readIfPresent(file.realPath)) === file.text
        });
        if (!written) {
            throw new FaultError({ code: 'settings-changed', file: this.path });
        }
    }

    /** System settings and system defaults: whatever an administrator decided there is not ours to offer. */
    protected async systemSettings(): Promise<Record<string, unknown>[]> {
        const { variables, platform } = this.host;
        const folders: Partial<Record<NodeJS.Platform, string>> = {
            darwin: '/Library/Application Support/GeminiCli',
            win32: 'C:\\ProgramData\\gemini-cli'
        };
        const settings = variables['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || path.join(folders[platform] ?? '/etc/gemini-cli', 'settings.json');
        const defaults = variables['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] || path.join(path.dirname(settings), 'system-defaults.json');
        const read: Record<string, unknown>[] = [];
        for (const file of [settings, defaults]) {
            if (await this.isHeeded(file)) {
                read.push(parseSettings(file, await fs.promises.readFile(file, 'utf8')));
            }
        }
        return read;
    }

    /** Gemini CLI skips a system file unless root alone can write to it and to every folder above it. */
    protected async isHeeded(file: string): Promise<boolean> {
        if (!(await exists(file))) {
            return false;
        }
        if (this.host.platform === 'win32') {
            return true;
        }
        for (let current = await fs.promises.realpath(file); ; current = path.dirname(current)) {
            const stat = await fs.promises.stat(current);
            if (stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
                return false;
            }
            if (current === path.dirname(current)) {
                return true;
            }
        }
    }

    /** Nobody is bothered about a CLI that they do not have. */
    protected async isInUse(): Promise<boolean> {
        const searchPath = (this.host.variables['PATH'] ?? '').split(path.delimiter).filter(Boolean);
        const names = this.host.platform === 'win32' ? ['gemini.cmd', 'gemini.exe'] : ['gemini'];
        const candidates = [this.folder, ...searchPath.flatMap(folder => names.map(name => path.join(folder, name)))];
        for (const candidate of candidates) {
            if (await exists(candidate)) {
                return true;
            }
        }
        return false;
    }

    protected async read(): Promise<SettingsFile> {
        let realPath = this.path;
        let text: string;
        try {
            realPath = await fs.promises.realpath(this.path);
            const stat = await fs.promises.stat(realPath);
            if (!stat.isFile() || stat.size > MAX_SETTINGS) {
                throw new FaultError({ code: 'settings-no-object', file: this.path });
            }
            text = await fs.promises.readFile(realPath, 'utf8');
            return { realPath, stat, text, settings: parseSettings(this.path, text) };
        } catch (error) {
            const { code } = error as NodeJS.ErrnoException;
            if (error instanceof FaultError) {
                throw error;
            }
            if (code !== 'ENOENT' || (await isLink(this.path))) {
                throw new FaultError({ code: 'settings-unreadable', file: this.path, cause: describeCause(error) });
            }
            return { realPath, stat: undefined, text: '', settings: {} };
        }
    }

    protected withIdeMode(file: SettingsFile): string {
        const text = file.text || '{}\n';
        try {
            // Without formatting options: with them jsonc-parser (3.3) also formats what is around.
            const edits = modify(text, IDE_MODE, true, {}).map(edit => ({ ...edit, content: pretty(text, edit) }));
            const result = applyEdits(text, edits);
            if (ideMode(parseSettings(this.path, result)) === true) {
                return result;
            }
        } catch {
            // Such as a value where an object is expected: below.
        }
        throw new FaultError({ code: 'settings-no-object', file: this.path, property: 'ide' });
    }
}

function ideMode(settings: Record<string, unknown>): unknown {
    const ide = settings['ide'];
    return typeof ide === 'object' && ide !== null ? (ide as Record<string, unknown>)['enabled'] : undefined;
}

function parseSettings(file: string, text: string): Record<string, unknown> {
    const errors: ParseError[] = [];
    const settings: unknown = parse(text, errors, { allowTrailingComma: false });
    if (errors.length > 0) {
        const line = text.slice(0, errors[0].offset).split('\n').length;
        throw new FaultError({ code: 'settings-not-json', file, cause: printParseErrorCode(errors[0].error), line });
    }
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
        throw new FaultError({ code: 'settings-no-object', file });
    }
    return settings as Record<string, unknown>;
}

/** What jsonc-parser would insert, laid out as the file is. */
function pretty(text: string, edit: Edit): string {
    const [, comma, isNested] = /^(,?)("ide")?/.exec(edit.content) ?? [];
    const rest = text.slice(edit.offset, text.indexOf('}', edit.offset));
    if (comma && !rest.includes('\n')) {
        return isNested ? ', "ide": { "enabled": true }' : ', "enabled": true';
    }
    const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '    ';
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const lines = isNested
        ? [`${indent}"ide": {`, `${indent}${indent}"enabled": true`, `${indent}}`]
        : [`${indent}${indent}"enabled": true`];
    const end = rest.includes('\n') ? '' : eol + (isNested ? '' : indent);
    return comma + eol + lines.join(eol) + end;
}

function readIfPresent(file: string): Promise<string> {
    return fs.promises.readFile(file, 'utf8').catch(() => '');
}

function exists(file: string): Promise<boolean> {
    return fs.promises.access(file).then(
        () => true,
        () => false
    );
}

function isLink(file: string): Promise<boolean> {
    return fs.promises.lstat(file).then(
        stat => stat.isSymbolicLink(),
        () => false
    );
}
