// SPDX-License-Identifier: Apache-2.0

import { LineCount } from './index-lines';
import { ListedRow } from './index-rows';
import { RootIndex } from './root-index';

/** The numbers of lines of rows, counted by git: a diff of a large file would stop the backend. Each version once. */
export class LineCounts {
    protected counts = new Map<string, { readonly version: string; readonly count: LineCount }>();
    protected counting: Promise<boolean> = Promise.resolve(false);

    constructor(protected readonly index: Pick<RootIndex, 'countLines'>) {}

    get(file: string, version: string): LineCount | undefined {
        const known = this.counts.get(file);
        return known?.version === version ? known.count : undefined;
    }

    /** Forgets all others. @returns whether something is known that was not known before */
    count(listed: readonly ListedRow[]): Promise<boolean> {
        this.counting = this.counting.catch(() => false).then(() => this.countNow(listed));
        return this.counting;
    }

    protected async countNow(listed: readonly ListedRow[]): Promise<boolean> {
        const wanted = listed.filter(({ path, version, row }) => row.kind === 'file' && !this.get(path, version));
        const found = wanted.length > 0 ? await this.index.countLines(wanted.map(({ path }) => path)) : new Map<string, LineCount>();
        const counts: typeof this.counts = new Map();
        for (const { path, version } of listed) {
            const count = this.get(path, version) ?? found.get(path);
            if (count) {
                counts.set(path, { version, count });
            }
        }
        this.counts = counts;
        return found.size > 0;
    }
}
