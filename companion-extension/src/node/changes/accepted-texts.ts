// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { ListedRow } from './private-index';
import { RootIndex } from './root-index';

/** How long a CLI may take to write what was accepted. */
const WRITE_TIME_MS = 30_000;
/** In bytes. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 200;

interface AcceptedText {
    /** What stood there; `null` for nothing. */
    readonly from: Buffer | null;
    /** What the user has accepted; `undefined` while the proposal waits. */
    readonly text?: string;
    /** As `performance.now` counts. */
    readonly until: number;
}

/** Texts that the user has accepted in a diff, and that their CLIs have not written yet. Written, they are the user's. */
export class AcceptedTexts {
    protected readonly texts = new Map<string, AcceptedText>();

    constructor(
        protected readonly root: string,
        protected readonly index: Pick<RootIndex, 'foldAccepted'>
    ) {}

    /** Remembers what stands there. */
    async prepare(file: string): Promise<void> {
        this.forgetExpired();
        const from = await this.read(file);
        if (from !== undefined && this.texts.size < MAX_FILES) {
            this.texts.set(file, { from, until: Infinity });
        }
    }

    expect(file: string, text: string): void {
        const prepared = this.texts.get(file);
        if (prepared) {
            this.texts.set(file, { from: prepared.from, text, until: performance.now() + WRITE_TIME_MS });
        }
    }

    forget(file: string): void {
        this.texts.delete(file);
    }

    /** Takes those that stand on disk by now out of the list. */
    async handle(listed: readonly ListedRow[]): Promise<void> {
        this.forgetExpired();
        for (const { path: file } of listed.filter(({ path: other }) => this.texts.has(other))) {
            const { from, text } = this.texts.get(file) ?? {};
            const now = await this.read(file);
            if (from !== undefined && now && text !== undefined && isSame(now.toString('utf8'), text)) {
                this.texts.delete(file);
                await this.index.foldAccepted(file, from, now);
            }
        }
    }

    /** A CLI that was told no writes nothing. */
    protected forgetExpired(): void {
        [...this.texts].filter(([, { until }]) => performance.now() > until).forEach(([file]) => this.texts.delete(file));
    }

    /** @returns `undefined` if it cannot be read */
    protected async read(file: string): Promise<Buffer | null | undefined> {
        try {
            const full = path.join(this.root, file);
            const stat = await fs.stat(full);
            return stat.isFile() && stat.size <= MAX_TEXT_BYTES ? await fs.readFile(full) : undefined;
        } catch (error) {
            return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined;
        }
    }
}

/** CLIs write with the line ends and the byte order mark that the file had. */
function isSame(one: string, other: string): boolean {
    const plain = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
    return plain(one) === plain(other);
}
