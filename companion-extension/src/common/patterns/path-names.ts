// SPDX-License-Identifier: Apache-2.0

/**
 * The names of a path, in one Unicode form: macOS stores `é` as two characters, people type one. An absolute path begins with an empty name.
 */
export class PathNames {
    /** The names as they are written. */
    readonly exact: readonly string[];
    /** Without regard to case. */
    readonly folded: readonly string[];

    /** @param path with forward slashes */
    constructor(path: string) {
        const composed = path.normalize('NFC');
        this.exact = composed.split('/');
        this.folded = withoutCase(composed).split('/');
    }

    get length(): number {
        return this.exact.length;
    }
}

/** The text as it is compared without regard to case. A sigma has two lower-case forms. */
export function withoutCase(text: string): string {
    return text.normalize('NFC').toLowerCase().replace(/ς/g, 'σ').normalize('NFC');
}

/**
 * The path of a file relative to a folder, with forward slashes; `undefined` if the file is not below the folder. Upper and lower case count
 * as the same, as in the patterns: on a case-sensitive file system this withholds more, never less.
 */
export function relativePath(folder: string, file: string): string | undefined {
    const folderNames = namesOf(folder);
    const fileNames = namesOf(file);
    const isBelow =
        fileNames.length > folderNames.length && folderNames.every((name, index) => withoutCase(name) === withoutCase(fileNames[index]));
    return isBelow ? fileNames.slice(folderNames.length).join('/') : undefined;
}

function namesOf(path: string): string[] {
    return path.split(path.startsWith('/') ? '/' : /[\\/]/).filter(name => name !== '' && name !== '.');
}
