// SPDX-License-Identifier: Apache-2.0

import { ParsedPattern, parse } from '@theia/core/lib/common/glob';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { builtInExcludes } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';

export const SHARE = 'companion.context.share';
export const EXCLUDE = 'companion.context.exclude';

/** How much of a wrong value a problem quotes, in characters. */
const LONGEST_QUOTATION = 100;

/** What one scope says of a preference. Theia (1.74) checks the type of no value in a settings file. */
export interface ScopedValue {
    readonly scope: PreferenceScope;
    readonly value: unknown;
    /** The URI of the root whose own settings these are; `undefined` in any other scope. */
    readonly root?: string;
    /** The settings file, as the user knows it; `undefined` if the value is in no file, or the scope says enough. */
    readonly file?: string;
}

/** The paths of one file relative to the roots in which it lies, by the URIs of the roots. A root over a symbolic link has two names. */
export type PathsInRoots = ReadonlyMap<string, readonly string[]>;

interface ExcludePattern {
    readonly text: string;
    readonly matches: ParsedPattern;
    readonly root: string | undefined;
}

/**
 * What the preferences on sharing mean together. Each scope counts for itself, because a cloned repository brings its own settings: they may
 * narrow what is shared with a CLI, and never widen it.
 */
export class ContextPrivacy {
    /** `false`: nothing is shared with CLIs. */
    readonly sharing: boolean;
    /** Whether the workspace leaves the choice to the user. */
    readonly workspaceAllows: boolean;
    /** What does not count in these settings. */
    readonly problems: readonly CompanionProblem[];

    protected readonly unsharedRoots: readonly string[];
    /** Of the user, the application and the command line that started it. */
    protected readonly own = builtInExcludes.map(text => pattern(text));
    /** Of the workspace and its folders. */
    protected readonly added: ExcludePattern[] = [];
    protected readonly takenBack: ExcludePattern[] = [];

    constructor(share: readonly ScopedValue[], exclude: readonly ScopedValue[]) {
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
            ...exclude.flatMap(said => this.add(said))
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
        const everywhere = normalized(path, ...[...inRoots.values()].flat());
        const isOutside = inRoots.size === 0;
        // Patterns of a root count for the files in it, and for those in no root, to which its links may lead.
        const inRoot = (root: string): string[] => (isOutside || inRoots.has(root) ? normalized(path, ...(inRoots.get(root) ?? [])) : []);
        const first = (patterns: readonly ExcludePattern[]): ExcludePattern | undefined =>
            patterns.find(({ root, matches }) => (root === undefined ? everywhere : inRoot(root)).some(name => matches(name)));
        const found = first(this.added) ?? (first(this.takenBack) ? undefined : first(this.own));
        return found && `${EXCLUDE}: ${found.text}`;
    }

    /** @returns a problem, if there are entries that do not count */
    protected add({ value, ...place }: ScopedValue): CompanionProblem[] {
        const entries: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
        const wrong = entries.filter(entry => !this.addEntry(entry, place));
        return wrong.length === 0 ? [] : [problem('exclude-not-counted', wrong, place)];
    }

    protected addEntry(entry: unknown, { scope, root }: Omit<ScopedValue, 'value'>): boolean {
        if (typeof entry !== 'string') {
            return false;
        }
        const text = entry.trim();
        if (text.startsWith('!')) {
            if (scope !== PreferenceScope.User) {
                return false;
            }
            this.takenBack.push(pattern(text.substring(1).trim()));
        } else {
            const isOfWorkspace = scope === PreferenceScope.Workspace || scope === PreferenceScope.Folder;
            (isOfWorkspace ? this.added : this.own).push(pattern(text, root));
        }
        return true;
    }
}

function allows(value: unknown): boolean {
    return value === undefined || value === true;
}

/** Without regard to case. */
function pattern(text: string, root?: string): ExcludePattern {
    return { text, matches: parse(text.toLowerCase()), root };
}

function normalized(...paths: string[]): string[] {
    return paths.map(path => path.replace(/\\/g, '/').toLowerCase());
}

function problem(
    code: 'share-not-boolean' | 'exclude-not-counted',
    values: readonly unknown[],
    { scope, file }: Omit<ScopedValue, 'value'>
): CompanionProblem {
    const text = values.map(value => JSON.stringify(value)).join(', ');
    const quoted = text.length > LONGEST_QUOTATION ? `${text.substring(0, LONGEST_QUOTATION)}…` : text;
    return { code, value: quoted, settings: file ?? scope };
}
