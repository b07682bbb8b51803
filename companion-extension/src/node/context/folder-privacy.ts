// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { homedir } from 'os';
import * as path from 'path';
import { ContextPrivacy } from '../../common/context-privacy';
import { ScopedValue } from '../../common/scoped-value';
import { FileAccess } from '../host/file-access';
import {
    decodeIgnoreFile,
    IGNORE_FILES,
    IgnoreFile,
    IgnoreFileContent,
    IgnoreRules,
    LONGEST_IGNORE_FILE
} from '../../common/patterns/ignore-rules';

/** Which files of a root are known by their names alone, and never read: those that the page shares with no CLI. */
export class FolderPrivacy {
    protected values: readonly ScopedValue[] = [];
    protected patterns = new ContextPrivacy([], []);
    /** Until they are read, every file is secret. */
    protected rules = new IgnoreRules();
    protected contents = '';

    /** @param root its real path */
    constructor(
        protected readonly root: string,
        protected readonly fileAccess: FileAccess
    ) {}

    /** @param file relative to the root; a folder may end with a separator */
    isSecret(file: string): boolean {
        const name = file.split(path.sep).join('/').replace(/\/$/, '');
        return (
            this.rules.withheldBy(name) !== undefined ||
            this.patterns.withheldBy(path.join(this.root, file), this.inRoot(name)) !== undefined
        );
    }

    /**
     * @param values of `companion.context.exclude` that count in the root
     * @returns whether they are others than before
     */
    setPatterns(values: readonly ScopedValue[]): boolean {
        if (JSON.stringify(values) === JSON.stringify(this.values)) {
            return false;
        }
        this.values = values;
        this.patterns = new ContextPrivacy([], values, homedir());
        return true;
    }

    /** Reads the ignore files. Rejects if the folder does not answer: then nothing else may be read, either. @returns whether they are others than before */
    async read(): Promise<boolean> {
        const found = await this.fileAccess.run(this.root, () => this.readFiles());
        const contents = JSON.stringify(found);
        if (contents === this.contents) {
            return false;
        }
        this.contents = contents;
        this.rules = new IgnoreRules(Object.fromEntries(found));
        return true;
    }

    /** One after the other: each may hold a thread. */
    protected async readFiles(): Promise<Array<[IgnoreFile, IgnoreFileContent]>> {
        const found: Array<[IgnoreFile, IgnoreFileContent]> = [];
        for (const name of IGNORE_FILES) {
            found.push([name, await readIgnoreFile(path.join(this.root, name))]);
        }
        return found;
    }

    protected inRoot(name: string): Map<string, string[]> {
        return new Map([[this.root, [name]]]);
    }
}

/** A name that leads to no file, such as a pipe, is not opened: that might never end. */
async function readIgnoreFile(file: string): Promise<IgnoreFileContent> {
    try {
        const stat = await fs.stat(file);
        return stat.isFile() && stat.size <= LONGEST_IGNORE_FILE ? decodeIgnoreFile(await fs.readFile(file)) : 'unreadable';
    } catch (error) {
        return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unreadable';
    }
}
