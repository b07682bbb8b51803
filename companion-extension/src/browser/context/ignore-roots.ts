// SPDX-License-Identifier: Apache-2.0

import ignore, { Ignore } from 'ignore';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { PathsInRoots } from './context-privacy';

/** The files in which users keep other files from the CLIs. Each holds for every CLI. */
const IGNORE_FILES = ['.geminiignore', '.qwenignore'] as const;
type IgnoreFile = (typeof IGNORE_FILES)[number];

/** What is known of one ignore file. */
export type IgnoreFileContent = { readonly text: string } | 'missing' | 'unread' | 'unreadable';

/** The ignore files of one workspace root. A file is withheld if one of them says so: no ignore file overrides another one. */
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
     * Why this file is not shared, for people; `undefined` if it may be. Until an ignore file is read, and while it cannot be read,
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
 * as the same, as in {@link IgnoreRules}: on a case-sensitive file system this withholds more, never less.
 */
function relativePath(folder: string, file: string): string | undefined {
    const folderNames = namesOf(folder);
    const fileNames = namesOf(file);
    const isBelow =
        fileNames.length > folderNames.length && folderNames.every((name, index) => name.toLowerCase() === fileNames[index].toLowerCase());
    return isBelow ? fileNames.slice(folderNames.length).join('/') : undefined;
}

function namesOf(path: string): string[] {
    return path.split(path.startsWith('/') ? '/' : /[\\/]/).filter(name => name !== '' && name !== '.');
}

export interface IgnoreSources {
    /** Never rejects. */
    read(file: URI): Promise<IgnoreFileContent>;
    /** The folder that a root leads to over symbolic links; `undefined` if it is not on disk. Rejects if that is not known now. */
    realPath(root: URI): Promise<string | undefined>;
    /** Other files are withheld now. */
    changed(): void;
}

interface Root {
    readonly uri: URI;
    /** Absolute paths: the one that the workspace has, and the one without symbolic links. `undefined` until both are known. */
    names?: readonly string[];
    rules: IgnoreRules;
    /** Counts the reads: only the newest one counts. */
    reads: number;
    complete: boolean;
}

const UNREAD = new IgnoreRules();

/** All workspace roots: their names, and their ignore files. Each root withholds all of its files until its ignore files are read. */
export class IgnoreRoots {
    protected readonly roots = new Map<string, Root>();

    constructor(protected readonly sources: IgnoreSources) {}

    /**
     * Why this file is not shared, for people; `undefined` if it may be. A file in nested roots must be allowed by each. While it is not known
     * where a root leads, any file may lie in it.
     *
     * @param roots all roots of this moment: what a new one says is read from now on
     */
    withheldBy(path: string, roots: readonly URI[]): string | undefined {
        const followed = roots.map(uri => this.follow(uri));
        const unknown = followed.find(({ names }) => names === undefined);
        if (unknown) {
            return nls.localize(
                'theia/cli-companion/context/rootUnknown',
                'the IDE does not know yet where {0} leads',
                unknown.uri.path.fsPath()
            );
        }
        const reasons = followed.flatMap(root => relativePaths(root, path).map(relative => root.rules.withheldBy(relative)));
        return reasons.find(reason => reason !== undefined);
    }

    /** The paths of a file relative to the roots in which it lies by one of their names, by the URIs of the roots. */
    pathsInRoots(path: string): PathsInRoots {
        const found = [...this.roots].map(([key, root]) => [key, relativePaths(root, path)] as const);
        return new Map(found.filter(([, paths]) => paths.length > 0));
    }

    /** Follows these roots, and forgets all others. */
    set(roots: readonly URI[]): void {
        const followed = new Set(roots.map(uri => this.follow(uri)));
        this.roots.forEach((root, key) => !followed.has(root) && this.roots.delete(key));
    }

    /** Something was written or removed. Until the rules are read again, nobody knows what they withhold. */
    filesChanged(isAffected: (file: URI) => boolean): void {
        for (const root of this.roots.values()) {
            if (IGNORE_FILES.some(name => isAffected(root.uri.resolve(name)))) {
                root.rules = UNREAD;
                void this.read(root);
            }
        }
    }

    /** @param which `incomplete`: the roots with something that could not be read */
    readAgain(which: 'all' | 'incomplete'): void {
        this.roots.forEach(root => (which === 'all' || !root.complete) && void this.read(root));
    }

    protected follow(uri: URI): Root {
        const key = uri.toString();
        let root = this.roots.get(key);
        if (!root) {
            root = { uri, rules: UNREAD, reads: 0, complete: false };
            this.roots.set(key, root);
            void this.read(root);
        }
        return root;
    }

    protected async read(root: Root): Promise<void> {
        const read = ++root.reads;
        const path = root.uri.path.fsPath();
        const [found, ...contents] = await Promise.all([
            this.sources.realPath(root.uri).then(
                realPath => ({ realPath }),
                () => undefined
            ),
            ...IGNORE_FILES.map(name => this.sources.read(root.uri.resolve(name)))
        ]);
        if (read === root.reads) {
            root.names = found && [...new Set([path, found.realPath ?? path])];
            root.rules = new IgnoreRules(Object.fromEntries(IGNORE_FILES.map((name, index) => [name, contents[index]])));
            root.complete = found?.realPath !== undefined && !contents.includes('unreadable');
            this.sources.changed();
        }
    }
}

function relativePaths({ names = [] }: Root, path: string): string[] {
    return names.map(folder => relativePath(folder, path)).filter(relative => relative !== undefined);
}
