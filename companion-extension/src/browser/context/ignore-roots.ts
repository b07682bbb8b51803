// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { CompanionProblem } from '../../common/companion-problem';
import { PathsInRoots } from '../../common/context-privacy';
import { relativePath } from '../../common/patterns/path-names';
import { IGNORE_FILES, IgnoreFile, IgnoreFileContent, IgnoreRules } from '../../common/patterns/ignore-rules';

interface IgnoreSources {
    /** Never rejects. */
    read(file: URI): Promise<IgnoreFileContent>;
    /** The real path of a root or an ignore file; `undefined` if it is not on disk. Rejects if that is not known now. */
    realPath(file: URI): Promise<string | undefined>;
    /** Other files are withheld now. */
    handleChange(): void;
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
        const followed = this.followAll(roots);
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
        const followed = new Set(this.followAll(roots));
        this.roots.forEach((root, key) => !followed.has(root) && this.roots.delete(key));
    }

    /** Something was written or removed. Until the rules are read again, nobody knows what they withhold. */
    markChanged(isAffected: (file: URI) => boolean): void {
        for (const root of this.roots.values()) {
            if (IGNORE_FILES.some(name => isAffected(root.uri.resolve(name)))) {
                root.rules = UNREAD;
                void this.read(root);
            }
        }
    }

    /** @param which `all`: any may have changed; `incomplete`: the roots with something that could not be read, or whose changes nobody reports */
    readAgain(which: 'all' | 'incomplete'): void {
        if (which === 'all') {
            this.markChanged(() => true);
        } else {
            this.roots.forEach(root => !root.complete && void this.read(root));
        }
    }

    /** Problems of the ignore files. @param nameOf the user's name for a file */
    problems(nameOf: (file: URI) => string): CompanionProblem[] {
        return [...this.roots.values()].flatMap(({ uri, rules }) => rules.problems(name => nameOf(uri.resolve(name))));
    }

    /** A file on disk is in no root of another kind, such as one of a plugin's file system. */
    protected followAll(roots: readonly URI[]): Root[] {
        return roots.filter(({ scheme }) => scheme === 'file').map(uri => this.follow(uri));
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
        const links = await Promise.all(
            IGNORE_FILES.map(async (name, index) => typeof contents[index] === 'object' && (await this.isLink(root.uri, name)))
        );
        if (read === root.reads) {
            root.names = found && [...new Set([path, found.realPath ?? path])];
            root.rules = new IgnoreRules(Object.fromEntries(IGNORE_FILES.map((name, index) => [name, contents[index]])));
            root.complete = found?.realPath !== undefined && !root.rules.isIncomplete && !links.includes(true);
            this.sources.handleChange();
        }
    }

    /** Nobody reports changes of a file elsewhere. */
    protected async isLink(root: URI, name: IgnoreFile): Promise<boolean> {
        const [folder, file] = await Promise.all([root, root.resolve(name)].map(uri => this.sources.realPath(uri).catch(() => undefined)));
        return folder === undefined || file === undefined || relativePath(folder, file) !== name;
    }
}

function relativePaths({ names = [] }: Root, path: string): string[] {
    return names.map(folder => relativePath(folder, path)).filter(relative => relative !== undefined);
}
