// SPDX-License-Identifier: Apache-2.0

/** What an index has for a path. */
export interface IndexEntry {
    /** As git writes it: `100644`, `100755`, or `120000` for a link. On disk also `other`: a socket, a device. */
    readonly mode: string;
    /** The blob's object id; of a file that is never read, another one after each change. */
    readonly oid: string;
}

/** `null`: nothing stands there. */
export type Entry = IndexEntry | null;

export const LINK_MODE = '120000';
/** A submodule. */
export const GITLINK_MODE = '160000';

export function isSameEntry(one: Entry | undefined, other: Entry | undefined): boolean {
    return (one?.oid ?? '') === (other?.oid ?? '') && (one?.mode ?? '') === (other?.mode ?? '');
}

/** File names are bytes. Within the private index each byte is a character, so that no name is lost. */
export function toName(file: string): string {
    return Buffer.from(file, 'utf8').toString('latin1');
}

/** The name as Node and pages have it. */
export function fromName(name: string): string {
    return Buffer.from(name, 'latin1').toString('utf8');
}

/** The entries of an output with `-z`. */
export function splitOutput(output: string): string[] {
    return output.split('\0').filter(Boolean);
}

/** A line of `git ls-files -s`, or `ls-tree`. */
export function nameIn(line: string): string {
    return line.slice(line.indexOf('\t') + 1);
}

/**
 * Reads `git ls-files -s -z`. Conflicts are left out.
 *
 * @param names all if they are left out: of 100,000 lines that nobody wants, only the names are read
 */
export function parseStaged(output: string, names?: ReadonlySet<string>): Map<string, IndexEntry> {
    const entries = new Map<string, IndexEntry>();
    for (const line of splitOutput(output).filter(each => names?.has(nameIn(each)) ?? true)) {
        const [, mode, oid, name] = /^(\d+) ([0-9a-f]+) 0\t(.*)$/s.exec(line) ?? [];
        if (name !== undefined) {
            entries.set(name, { mode, oid });
        }
    }
    return entries;
}

/** For `git update-index -z --index-info`. */
export function toIndexInfo(entries: Iterable<readonly [string, Entry]>, idLength: number): string {
    return [...entries].map(([name, entry]) => `${entry ? `${entry.mode} ${entry.oid}` : `0 ${'0'.repeat(idLength)}`}\t${name}\0`).join('');
}
