// SPDX-License-Identifier: Apache-2.0

/** A file that is too large to be read, or that we may not read. */
export interface LargeFile {
    /** As `keyOf` makes it. */
    readonly key: string;
    readonly size?: number;
    /** That git has for it. */
    readonly oid?: string;
}

/** What is known of files beside the index: names, and no texts. */
export interface KnownNames {
    readonly large: Map<string, LargeFile>;
    /** Never read, each with its `keyOf`. */
    readonly secret: Map<string, string>;
    /** Changed by an agent, maybe, before anybody looked. */
    readonly unknown: Set<string>;
    /** What was there and is in no index: ignored files, folders (ending with `/`), floods. With the time in milliseconds since the epoch. */
    readonly before: Map<string, number>;
    /** Whose base is HEAD's text, moved by nothing but Keep and accepts. */
    readonly kept: Set<string>;
    /** Folders of repositories in this one, each with an index of its own. */
    readonly nested: Set<string>;
}

export function noNames(): KnownNames {
    return { large: new Map(), secret: new Map(), unknown: new Set(), before: new Map(), kept: new Set(), nested: new Set() };
}

/** When the file, or a folder with it, was known by name. */
export function knownSince(known: KnownNames, name: string): number | undefined {
    for (let at = name.length; at > 0; at = name.lastIndexOf('/', at - 2) + 1) {
        const time = known.before.get(name.slice(0, at));
        if (time !== undefined) {
            return time;
        }
    }
    return undefined;
}
