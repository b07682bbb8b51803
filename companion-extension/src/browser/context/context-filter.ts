// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { ParsedPattern, parse } from '@theia/core/lib/common/glob';
import { URI } from '@theia/core/lib/common/uri';

export const ContextFilter = Symbol('ContextFilter');
/** Decides which files a CLI may learn of. An embedder may rebind it. */
export interface ContextFilter {
    /** `false`: CLIs learn of no file at all. */
    readonly sharing: boolean;
    /** Whether CLIs may learn this file's path, and a selection in it. @param path absolute */
    isShared(path: string): boolean;
    /**
     * The rule that keeps CLIs from learning of this file, for people: `companion.context.exclude: **\/.env*`, `.qwenignore`. `undefined` if
     * no rule does. Leave it out if you cannot tell: {@link isShared} is what counts.
     */
    withheldBy?(uri: URI): string | undefined;
    readonly onDidChange: Event<void>;
    /** The user's own switch. Leave it out if the user has no say: the status then offers no switch. */
    setSharing?(wanted: boolean): Promise<void>;
    /** Whether the user has paused sharing in this window. {@link sharing} is then `false`. */
    readonly paused?: boolean;
    /** Pauses sharing in this window, or resumes it. A reload of the page changes nothing of it. Leave it out to offer no pause. */
    setPaused?(paused: boolean): void;
}

/** Glob patterns over absolute paths and over paths relative to the workspace's roots, without regard to case. */
export class PathPatterns {
    protected readonly patterns: Array<{ text: string; matches: ParsedPattern }>;

    constructor(patterns: readonly string[]) {
        this.patterns = patterns
            .filter(pattern => typeof pattern === 'string' && pattern.trim())
            .map(pattern => ({ text: pattern.trim(), matches: parse(pattern.trim().toLowerCase()) }));
    }

    /** @param roots absolute paths of the workspace's roots */
    matches(path: string, roots: readonly string[]): boolean {
        return this.match(path, roots) !== undefined;
    }

    /** The first pattern that matches the path, as the user wrote it. @param roots absolute paths of the workspace's roots */
    match(path: string, roots: readonly string[]): string | undefined {
        const candidate = this.normalize(path);
        const candidates = [candidate];
        for (const root of roots) {
            const prefix = `${this.normalize(root).replace(/\/+$/, '')}/`;
            if (candidate.startsWith(prefix)) {
                candidates.push(candidate.substring(prefix.length));
            }
        }
        return this.patterns.find(({ matches }) => candidates.some(value => matches(value)))?.text;
    }

    protected normalize(path: string): string {
        return path.replace(/\\/g, '/').toLowerCase();
    }
}

/** A part of Theia's `PreferenceInspection`, which has no `sessionValue` before 1.74. */
interface Scopes<T> {
    readonly defaultValue?: T;
    readonly globalValue?: T;
    readonly workspaceValue?: T;
    readonly workspaceFolderValue?: T;
    readonly sessionValue?: T;
}

/**
 * What the preferences on sharing mean together. A cloned repository brings its own workspace settings. They may narrow what the user's
 * own settings share with a CLI. They never widen it.
 */
export const ContextPrivacy = {
    sharing(scopes: Scopes<boolean> | undefined): boolean {
        return ownValue(scopes) !== false && workspaceValues(scopes).every(value => value !== false);
    },

    /** Glob patterns: the user's own list, or the default one, and those that the workspace adds. */
    excludes(scopes: Scopes<string[]> | undefined): string[] {
        return [ownValue(scopes), ...workspaceValues(scopes)].flatMap(list => (Array.isArray(list) ? list : []));
    }
} as const;

/** From the command line that started the application, else from the user's settings, else the default. */
function ownValue<T>(scopes: Scopes<T> | undefined): T | undefined {
    return scopes?.sessionValue ?? scopes?.globalValue ?? scopes?.defaultValue;
}

function workspaceValues<T>(scopes: Scopes<T> | undefined): Array<T | undefined> {
    return [scopes?.workspaceValue, scopes?.workspaceFolderValue];
}
