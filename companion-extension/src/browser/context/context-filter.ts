// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { ParsedPattern, parse } from '@theia/core/lib/common/glob';

export const ContextFilter = Symbol('ContextFilter');
/** Decides what of the editor's state a CLI may learn. An embedder may rebind it. */
export interface ContextFilter {
    /** `false`: no file at all is told. */
    readonly sharing: boolean;
    /** Whether this file's path, and a selection in it, may be told. @param path absolute */
    isShared(path: string): boolean;
    readonly onDidChange: Event<void>;
    /** By the user's own command. Left out where the user has no say: the status then offers no switch. */
    setSharing?(wanted: boolean): Promise<void>;
}

/** Glob patterns over absolute paths and over paths relative to the workspace's roots, without regard to case. */
export class PathPatterns {
    protected readonly patterns: ParsedPattern[];

    constructor(patterns: readonly string[]) {
        this.patterns = patterns
            .filter(pattern => typeof pattern === 'string' && pattern.trim())
            .map(pattern => parse(pattern.trim().toLowerCase()));
    }

    /** @param roots absolute paths of the workspace's roots */
    matches(path: string, roots: readonly string[]): boolean {
        const candidate = this.normalize(path);
        const candidates = [candidate];
        for (const root of roots) {
            const prefix = `${this.normalize(root).replace(/\/+$/, '')}/`;
            if (candidate.startsWith(prefix)) {
                candidates.push(candidate.substring(prefix.length));
            }
        }
        return this.patterns.some(matches => candidates.some(value => matches(value)));
    }

    protected normalize(path: string): string {
        return path.replace(/\\/g, '/').toLowerCase();
    }
}
