// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { IGNORE_FILES, IgnoreFileContent, IgnoreRules, relativePath } from './ignore-rules';

export interface IgnoreSources {
    /** Never rejects. */
    read(file: URI): Promise<IgnoreFileContent>;
    /** The folder that a root over a symbolic link leads to; `undefined` or a rejection if that is not known now. */
    realPath(folder: string): Promise<string | undefined>;
    /** Other files are withheld now. */
    changed(): void;
}

interface Root {
    readonly uri: URI;
    realPath?: string;
    rules: IgnoreRules;
    /** Counts the reads: only the newest one counts. */
    reads: number;
    complete: boolean;
}

const UNREAD = new IgnoreRules();

/** The ignore files of all workspace roots. Each root withholds all of its files until its ignore files are read. */
export class IgnoreRoots {
    protected readonly roots = new Map<string, Root>();

    constructor(protected readonly sources: IgnoreSources) {}

    /**
     * Why CLIs do not learn of this file, for people; `undefined` if they may. A file in nested roots has to pass in each.
     *
     * @param roots all roots of this moment: what a new one says is read from now on
     */
    withheldBy(path: string, roots: readonly URI[]): string | undefined {
        for (const root of roots.map(uri => this.follow(uri))) {
            for (const folder of [root.uri.path.fsPath(), root.realPath]) {
                const relative = folder === undefined ? undefined : relativePath(folder, path);
                const reason = relative === undefined ? undefined : root.rules.withheldBy(relative);
                if (reason !== undefined) {
                    return reason;
                }
            }
        }
        return undefined;
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

    /** @param which `incomplete`: the roots of which something could not be read */
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
        const [realPath, ...contents] = await Promise.all([
            root.realPath ?? this.sources.realPath(root.uri.path.fsPath()).catch(() => undefined),
            ...IGNORE_FILES.map(name => this.sources.read(root.uri.resolve(name)))
        ]);
        if (read === root.reads) {
            root.realPath = realPath ?? undefined;
            root.rules = new IgnoreRules(Object.fromEntries(IGNORE_FILES.map((name, index) => [name, contents[index]])));
            root.complete = root.realPath !== undefined && !contents.includes('unreadable');
            this.sources.changed();
        }
    }
}
