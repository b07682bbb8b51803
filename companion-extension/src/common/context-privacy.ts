// SPDX-License-Identifier: Apache-2.0

import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { builtInExcludes, EXCLUDE, SHARE } from './companion-preferences';
import { CompanionProblem } from './companion-problem';
import { AnswerMemory } from './answer-memory';
import { ExcludeGlob, FileNames } from './patterns/exclude-glob';
import { PathNames, relativePath } from './patterns/path-names';
import { ScopedValue } from './scoped-value';

/** How much of a wrong value a problem quotes, in characters. */
const LONGEST_QUOTATION = 100;
/** In all scopes, in characters: the time for a question grows with it. More is not understood. */
const LONGEST_PATTERNS = 64 * 1024;

/** The paths of one file relative to the roots in which it lies, by the URIs of the roots. A root over a symbolic link has two names. */
export type PathsInRoots = ReadonlyMap<string, readonly string[]>;

type ExcludeProblem = 'exclude-not-counted' | 'exclude-not-understood';

interface ExcludePattern {
    readonly text: string;
    /** `everything`: nobody knows what it means. */
    readonly glob: ExcludeGlob | 'everything';
    readonly root: string | undefined;
}

/**
 * What the preferences on sharing mean together. Each scope counts for itself, because a cloned repository brings its own settings: they may
 * narrow what is shared with a CLI, and never widen it.
 */
export class ContextPrivacy {
    /** `false`: nothing is shared with CLIs. */
    readonly sharing: boolean;
    /** True if the workspace leaves the choice to the user. */
    readonly workspaceAllows: boolean;
    /** Entries that do not count in these settings. */
    readonly problems: readonly CompanionProblem[];

    protected readonly unsharedRoots: readonly string[];
    /** Values of the user, the application and the command line that started it. */
    protected readonly own: ExcludePattern[] = [];
    /** Values of the workspace and its folders, and entries that are not understood: nothing shares these files again. */
    protected readonly added: ExcludePattern[] = [];
    protected readonly takenBack: ExcludePattern[] = [];
    protected readonly answers = new AnswerMemory<string | undefined>();
    protected size = 0;

    /** @param home the user's home folder, an absolute path; `undefined` until it is known */
    constructor(
        share: readonly ScopedValue[],
        exclude: readonly ScopedValue[],
        protected readonly home?: string
    ) {
        const { Session, User, Default, Workspace } = PreferenceScope;
        const saysIn = (scope: PreferenceScope): unknown => share.find(said => said.scope === scope)?.value;
        const own = [Session, User, Default].map(saysIn).find(value => value !== undefined);
        this.workspaceAllows = allows(saysIn(Workspace));
        this.sharing = allows(own) && this.workspaceAllows;
        this.unsharedRoots = share.flatMap(({ root, value }) => (root === undefined || allows(value) ? [] : [root]));
        this.problems = [
            ...share
                .filter(({ value }) => value !== undefined && typeof value !== 'boolean')
                .map(({ value, ...place }) => problem('share-not-boolean', [value], place)),
            ...[{ scope: Default, value: builtInExcludes }, ...exclude].flatMap(said => this.add(said))
        ];
    }

    /**
     * The rule that withholds the file, for people; `undefined` if none does.
     *
     * @param path absolute
     */
    withheldBy(path: string, inRoots: PathsInRoots): string | undefined {
        if (this.unsharedRoots.some(root => inRoots.has(root))) {
            return SHARE;
        }
        return this.answers.get(JSON.stringify([path, ...inRoots]), () => this.excludedBy(path, inRoots));
    }

    protected excludedBy(path: string, inRoots: PathsInRoots): string | undefined {
        const [absolute, home] = [path, this.home ?? ''].map(withSlashes);
        const inHome = this.home === undefined ? undefined : relativePath(home, absolute);
        const outside: FileNames = {
            absolute: new PathNames(absolute),
            inRoots: [],
            inHome: inHome === undefined ? undefined : new PathNames(inHome)
        };
        const namesInRoots = [...inRoots].map(([root, paths]) => [root, paths.map(each => new PathNames(withSlashes(each)))] as const);
        const inRoot = new Map(namesInRoots.map(([root, names]): [string, FileNames] => [root, { ...outside, inRoots: names }]));
        const everywhere: FileNames = { ...outside, inRoots: namesInRoots.flatMap(([, names]) => names) };
        // Patterns of a root count for the files in it, and for those in no root, to which its links may lead.
        const namesFor = (root: string | undefined): FileNames | undefined =>
            root === undefined || inRoots.size === 0 ? everywhere : inRoot.get(root);
        const first = (patterns: readonly ExcludePattern[]): ExcludePattern | undefined =>
            patterns.find(({ root, glob }) => {
                const names = namesFor(root);
                return names !== undefined && (glob === 'everything' || glob.matches(names));
            });
        const found = first(this.added) ?? (first(this.takenBack) ? undefined : first(this.own));
        return found && `${EXCLUDE}: ${found.text}`;
    }

    /** @returns what is wrong with the entries */
    protected add({ value, ...place }: ScopedValue): CompanionProblem[] {
        const entries: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
        const faults = entries.map(entry => ({ entry, fault: this.addEntry(entry, place) }));
        return (['exclude-not-counted', 'exclude-not-understood'] as const).flatMap(code => {
            const wrong = faults.filter(({ fault }) => fault === code).map(({ entry }) => entry);
            return wrong.length === 0 ? [] : [problem(code, wrong, place)];
        });
    }

    protected addEntry(entry: unknown, { scope, root }: Omit<ScopedValue, 'value'>): ExcludeProblem | undefined {
        const text = typeof entry === 'string' ? entry.trim() : quoted([entry]);
        if (text.startsWith('!')) {
            const glob = scope === PreferenceScope.User ? this.parse(text.substring(1).trim(), 'files') : undefined;
            if (!glob) {
                return 'exclude-not-counted';
            }
            this.takenBack.push({ text, glob, root });
            return undefined;
        }
        const glob = typeof entry === 'string' ? this.parse(text, 'folders') : undefined;
        const isOfWorkspace = scope === PreferenceScope.Workspace || scope === PreferenceScope.Folder;
        if (glob && (!glob.needsHome || this.home !== undefined)) {
            (isOfWorkspace ? this.added : this.own).push({ text, glob, root });
        } else {
            this.added.push({ text, glob: 'everything', root });
        }
        return glob ? undefined : 'exclude-not-understood';
    }

    protected parse(text: string, means: 'folders' | 'files'): ExcludeGlob | undefined {
        const glob = ExcludeGlob.parse(text, means);
        this.size += glob?.size ?? 0;
        return this.size > LONGEST_PATTERNS ? undefined : glob;
    }
}

function allows(value: unknown): boolean {
    return value === undefined || value === true;
}

function withSlashes(path: string): string {
    return path.replace(/\\/g, '/');
}

function problem(
    code: 'share-not-boolean' | ExcludeProblem,
    values: readonly unknown[],
    { scope, file }: Omit<ScopedValue, 'value'>
): CompanionProblem {
    return { code, value: quoted(values), settings: file ?? scope };
}

function quoted(values: readonly unknown[]): string {
    const text = values.map(value => JSON.stringify(value)).join(', ');
    return text.length > LONGEST_QUOTATION ? `${text.substring(0, LONGEST_QUOTATION)}…` : text;
}
