// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import ignore, { Ignore } from 'ignore';

/** The files in which users keep other files from the CLIs. Each holds for every CLI. */
export const IGNORE_FILES = ['.geminiignore', '.qwenignore'] as const;
export type IgnoreFile = (typeof IGNORE_FILES)[number];

/** What is known of one ignore file. */
export type IgnoreFileContent = { readonly text: string } | 'missing' | 'unread' | 'unreadable';

/** The ignore files of one workspace root. A file is withheld if one of them says so: no file takes back what another one says. */
export class IgnoreRules {
    protected readonly rules = new Map<IgnoreFile, Ignore | 'unread' | 'unreadable'>();

    /** A missing entry counts as unread. */
    constructor(contents: Readonly<Partial<Record<IgnoreFile, IgnoreFileContent>>> = {}) {
        for (const name of IGNORE_FILES) {
            const content = contents[name] ?? 'unread';
            if (typeof content === 'object') {
                // The path is relative because we make it so. The check would refuse a folder with the name "...".
                this.rules.set(name, ignore({ allowRelativePaths: true }).add(content.text.replace(/^\uFEFF/, '')));
            } else if (content !== 'missing') {
                this.rules.set(name, content);
            }
        }
    }

    /**
     * Why CLIs do not learn of this file, for people; `undefined` if they may. Until an ignore file is read, and while it cannot be read,
     * nobody knows what it withholds: then every file of the root is withheld.
     *
     * @param path relative to the root, with forward slashes, without `./`
     */
    withheldBy(path: string): string | undefined {
        for (const [name, rules] of this.rules) {
            if (rules === 'unread') {
                return nls.localize('theia/cli-companion/context/ignoreUnread', '{0} is not read yet', name);
            }
            if (rules === 'unreadable') {
                return nls.localize('theia/cli-companion/context/ignoreUnreadable', '{0} cannot be read', name);
            }
            if (rules.ignores(path)) {
                return name;
            }
        }
        return undefined;
    }
}

/**
 * The path of a file relative to a folder, with forward slashes; `undefined` if the file is not below the folder. Upper and lower case count
 * as the same, as in {@link IgnoreRules}: where the file system tells them apart, this withholds more, never less.
 */
export function relativePath(folder: string, file: string): string | undefined {
    const folderNames = namesOf(folder);
    const fileNames = namesOf(file);
    const isBelow =
        fileNames.length > folderNames.length && folderNames.every((name, index) => name.toLowerCase() === fileNames[index].toLowerCase());
    return isBelow ? fileNames.slice(folderNames.length).join('/') : undefined;
}

function namesOf(path: string): string[] {
    return path.split(path.startsWith('/') ? '/' : /[\\/]/).filter(name => name !== '' && name !== '.');
}
