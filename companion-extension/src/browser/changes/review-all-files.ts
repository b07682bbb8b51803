// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { FileChange } from '../../common/changes/changes-protocol';

/** So many files are made before they are scrolled to. */
const AHEAD = 2;

/** What shows a file. */
export interface ShownFile extends Disposable {
    /** Its texts follow the file; else it shows one version only. */
    readonly hasTexts: boolean;
}

export interface ReviewAllHost<T extends ShownFile> {
    /** In the order of the view. */
    listed(): readonly FileChange[];
    /** Never rejects. */
    make(change: FileChange): Promise<T>;
    /** Other files are shown. Those that are gone are disposed afterwards. */
    show(files: readonly T[]): void;
}

/** The listed files that were scrolled to. Each stays in its place while the user reads: a new one comes to the end. */
export class ReviewAllFiles<T extends ShownFile> implements Disposable {
    protected changes = new Map<T, FileChange>();
    protected wanted = AHEAD;
    protected isOutdated = false;
    protected updating: Promise<void> | undefined;
    protected isDisposed = false;

    constructor(protected readonly host: ReviewAllHost<T>) {}

    dispose(): void {
        this.isDisposed = true;
        this.all.forEach(file => file.dispose());
    }

    get all(): readonly T[] {
        return [...this.changes.keys()];
    }

    /** Its row, as it is by now. */
    changeOf(file: T): FileChange | undefined {
        return this.changes.get(file);
    }

    /** The file came into view. */
    reach(file: T): void {
        const wanted = this.all.indexOf(file) + 1 + AHEAD;
        if (wanted > this.wanted) {
            this.wanted = wanted;
            void this.update();
        }
    }

    /** The list may have changed. */
    update(): Promise<void> {
        this.isOutdated = true;
        this.updating ??= this.makeAll().finally(() => (this.updating = undefined));
        return this.updating;
    }

    protected async makeAll(): Promise<void> {
        while (this.isOutdated && !this.isDisposed) {
            this.isOutdated = false;
            await this.make();
        }
    }

    protected async make(): Promise<void> {
        const before = this.changes;
        const listed = this.host.listed();
        const inPlace = [...before.values()].flatMap(({ uri }) => listed.find(change => change.uri === uri) ?? []);
        const wanted = [...inPlace, ...listed.filter(change => !inPlace.includes(change))].slice(0, this.wanted);
        const files = await Promise.all(wanted.map(async change => this.find(change) ?? this.host.make(change)));
        if (this.isDisposed) {
            files.filter(file => !before.has(file)).forEach(file => file.dispose());
            return;
        }
        this.changes = new Map(files.map((file, index) => [file, wanted[index]]));
        const shown = [...before.keys()];
        if (files.length !== shown.length || files.some((file, index) => file !== shown[index])) {
            this.host.show(files);
            shown.filter(file => !this.changes.has(file)).forEach(file => file.dispose());
        }
    }

    protected find(change: FileChange): T | undefined {
        const isOf = ([{ hasTexts }, { uri, kind, version }]: [T, FileChange]): boolean =>
            uri === change.uri && kind === change.kind && (hasTexts || version === change.version);
        return [...this.changes].find(isOf)?.[0];
    }
}

/**
 * The line at the top of the view is to stay there when other files are shown. Is its file gone, the next one begins there.
 *
 * @param heights of the files that were shown, in pixels @param top what was scrolled
 * @returns a file, and how much of it is above the view; `undefined` if none of them is there any more
 */
export function placeAt<T>(
    heights: ReadonlyMap<T, number>,
    top: number,
    stays: (file: T) => boolean
): { readonly file: T; readonly hidden: number } | undefined {
    let end = 0;
    for (const [file, height] of heights) {
        const begin = end;
        end += height;
        if (end > top && stays(file)) {
            return { file, hidden: Math.max(top - begin, 0) };
        }
    }
    return undefined;
}
