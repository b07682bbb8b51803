// SPDX-License-Identifier: Apache-2.0

import { basename } from 'path';
import { Emitter } from '@theia/core/lib/common/event';
import { Clock } from '../../common/clock';
import { KeptReason } from '../../common/companion-protocol';
import { coversRevision, Revision, RevisionRange } from '../../common/revision';
import { isInside } from '../host/paths';
import { Review, ReviewPlace } from './review';
import { ExpectedWrite } from './expected-write';
import { ExpectedWrites } from './expected-writes';
import { FileTexts } from './file-texts';
import { WriteJudge } from './write-judge';

/** Days on which a page may list an edit that nobody applies or discards. They are counted: a clock may be set by weeks. */
export const KEPT_DAYS = 14;
const DAY_MS = 24 * 3_600_000;

/** So many days after it was listed last, an edit whose folder is gone is listed everywhere: that was renamed, or removed. */
const UNLISTED_DAYS = 3;

/** A text that a user typed, as it is on disk. */
export interface StoredEdit {
    /** See {@link editId}. */
    readonly id: string;
    readonly reviewId: string;
    readonly revision: Revision;
    readonly text: string;
    /** The encoding that the file had, as Theia calls it; absent if it was not known. */
    readonly encoding?: string;
    /** Absolute path of the file. */
    readonly path: string;
    readonly cliName: string;
    readonly place: ReviewPlace;
    readonly reason: KeptReason;
    /** When it was kept, in milliseconds since the epoch. */
    readonly keptAt: number;
    /** Days on which a page has listed it. */
    readonly days: number;
    /** The last of these days, as `2026-11-26`; empty if there is none. */
    readonly lastDay: string;
    /** A CLI may still have written it when its backend ended: when it was told, in milliseconds since the epoch, and the hash of the file before. */
    readonly told?: { readonly at: number; readonly before?: string };
    /** Its review waits in the backend that wrote it. */
    readonly waits?: true;
}

/** The edits on disk. All backends of a user share them. */
export interface EditStore {
    /**
     * @returns the edits that this backend does not know, without those of reviews that wait in a living one, and the ids of known ones that
     *     are not there any more. Rejects if they cannot be read
     */
    read(): Promise<{ readonly found: readonly StoredEdit[]; readonly gone: readonly string[] }>;
    /**
     * From now on these are stored, and no others that this backend knows.
     *
     * @returns when that is so. Rejects if they cannot be stored
     */
    keep(edits: readonly StoredEdit[]): Promise<void>;
}

export interface KeptEdit extends StoredEdit {
    days: number;
    lastDay: string;
    readonly judge: WriteJudge;
    /** A CLI was told it. Nobody lists it before there is a verdict. */
    write: ExpectedWrite | undefined;
    /** The file was looked at: until then it may have the edit. */
    isLookedAt: boolean;
    /** The file as it was looked at last. */
    stamp?: string;
    /** When {@link days} was counted last by this backend. */
    countedAt?: number;
    /** Of a folder that is no longer there, so that no window lists it by that. */
    isHomeless: boolean;
}

interface KeptEditsOptions {
    readonly files: Pick<FileTexts, 'look' | 'isGone'>;
    readonly writes: Pick<ExpectedWrites, 'resume'>;
    readonly clock: Clock;
    /** The day today, as `2026-11-26`. */
    today(): string;
    readonly store?: EditStore;
    /** Whether a window of this backend lists it: the files of others are not looked at. */
    concerns(edit: StoredEdit & Partial<Pick<KeptEdit, 'isHomeless'>>): boolean;
    /** Texts of reviews that wait. If the backend is killed, they become kept edits. */
    waiting(): readonly StoredEdit[];
}

/**
 * The texts that users typed and that no file has. An edit never changes. It goes when its file has it, when somebody discards it, or after
 * {@link KEPT_DAYS}. It costs nothing while nobody looks.
 */
export class KeptEdits {
    protected readonly edits = new Map<string, KeptEdit>();
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    constructor(protected readonly options: KeptEditsOptions) {}

    /** In characters: what a window there can list, and so discard. */
    sizeIn({ windowId, roots }: ReviewPlace): number {
        const isThere = ({ place, path }: KeptEdit): boolean => place.windowId === windowId || roots.some(root => isInside(root, path));
        return [...this.edits.values()].filter(isThere).reduce((sum, { text }) => sum + text.length, 0);
    }

    find(id: string): KeptEdit | undefined {
        return this.edits.get(id);
    }

    of(reviewId: string): KeptEdit[] {
        return [...this.edits.values()].filter(edit => edit.reviewId === reviewId);
    }

    /** The edits that may be listed, the oldest first. */
    get listed(): KeptEdit[] {
        // What was written as accepted goes with the next look, which takes a moment.
        return [...this.edits.values()].filter(({ isLookedAt, write }) => isLookedAt && !write?.isPending && !write?.isAsAccepted);
    }

    /** @param write of the CLI that was told it */
    keep(edit: StoredEdit, judge: WriteJudge, write?: ExpectedWrite): void {
        const same = this.of(edit.reviewId).find(({ text }) => text === edit.text);
        if (same?.write && !write) {
            return;
        }
        // By its last revision: somebody may have gone on with an earlier one, and an undo has brought it back.
        this.edits.delete(same?.id ?? '');
        this.add(edit, judge, write);
        void this.lookAt(edit.path).then(() => this.fireChange());
    }

    /** Nobody will write what a CLI was told of this review. */
    release(reviewId: string): void {
        this.of(reviewId).forEach(edit => (edit.write = undefined));
        this.fireChange();
    }

    /** Drops the texts that were typed on: what was typed contains them. */
    dropContinued(reviewId: string, base: readonly RevisionRange[]): void {
        this.of(reviewId)
            .filter(({ revision }) => coversRevision(base, revision))
            .forEach(({ id }) => this.edits.delete(id));
    }

    /** Drops what the review shows again: after an undo, or a redo. */
    dropShown({ id, text }: { id: string; text?: string }): void {
        this.of(id)
            .filter(edit => edit.text === text)
            .forEach(edit => this.edits.delete(edit.id));
    }

    discard(id: string): void {
        this.edits.delete(id);
    }

    /** @returns when what there is now is on disk. Rejects if it cannot be stored */
    async store(): Promise<void> {
        for (const { id, days } of this.edits.values()) {
            if (days > KEPT_DAYS) {
                this.edits.delete(id);
            }
        }
        await this.options.store?.keep([...this.options.waiting(), ...[...this.edits.values()].map(asStored)]);
    }

    /** Reads what other backends have left, and drops what the files have. Never rejects. */
    async look(): Promise<void> {
        try {
            const { found, gone } = (await this.options.store?.read()) ?? { found: [], gone: [] };
            gone.forEach(id => this.edits.delete(id));
            for (const edit of found.filter(({ id }) => !this.edits.has(id))) {
                const judge = new WriteJudge('', edit.text);
                this.add(edit, judge, this.resume(edit, judge));
            }
        } catch {
            // What is known counts until somebody looks again. The store says what is wrong.
        }
        await Promise.all([...this.edits.values()].filter(edit => this.isForgotten(edit)).map(edit => this.lookForFolder(edit)));
        const paths = [...this.edits.values()].filter(edit => this.options.concerns(edit)).map(({ path }) => path);
        await Promise.all([...new Set(paths)].map(path => this.lookAt(path)));
        this.fireChange();
    }

    /** The same for one file that the IDE has written. Its folders may have other names than the CLI knew. Never rejects. */
    async lookAtWritten(file: string): Promise<void> {
        const paths = [...this.edits.values()].map(edit => edit.path).filter(path => basename(path) === basename(file));
        if (paths.length > 0) {
            await Promise.all([...new Set(paths)].map(path => this.lookAt(path)));
            this.fireChange();
        }
    }

    /** Looks at a file for the edits of it. Never rejects. */
    async lookAt(path: string): Promise<void> {
        const look = await this.options.files.look(path);
        for (const edit of [...this.edits.values()].filter(edit => edit.path === path)) {
            if (look && look.stamp !== edit.stamp) {
                const content = await look.read(edit.encoding);
                edit.stamp = look.stamp;
                if (content && !edit.write && !edit.isLookedAt) {
                    edit.judge.noteBefore(content);
                }
                if (content && edit.judge.isTypedIn(content, edit.write !== undefined)) {
                    this.edits.delete(edit.id);
                }
            }
            // The file had it, also if somebody has changed it since.
            if (edit.write?.isAsAccepted) {
                this.edits.delete(edit.id);
            }
            edit.isLookedAt = true;
        }
    }

    /** A page lists these today. @returns whether that is another day than before */
    countDay(edits: readonly KeptEdit[]): boolean {
        const { clock, today } = this.options;
        const day = today();
        const isDue = ({ lastDay, countedAt = -Infinity }: KeptEdit): boolean => lastDay !== day && clock.now - countedAt >= DAY_MS;
        const due = edits.filter(isDue);
        for (const edit of due) {
            edit.days++;
            edit.lastDay = day;
            edit.countedAt = clock.now;
        }
        return due.length > 0;
    }

    dispose(): void {
        this.onDidChangeEmitter.dispose();
    }

    protected isForgotten(edit: KeptEdit): boolean {
        const listedAt = Math.max(edit.keptAt, Date.parse(edit.lastDay) || 0);
        return !edit.isHomeless && Date.now() - listedAt > UNLISTED_DAYS * DAY_MS && !this.options.concerns(edit);
    }

    protected async lookForFolder(edit: KeptEdit): Promise<void> {
        const areGone = await Promise.all(edit.place.roots.map(root => this.options.files.isGone(root)));
        edit.isHomeless = areGone.every(Boolean);
    }

    protected add(edit: StoredEdit, judge: WriteJudge, write: ExpectedWrite | undefined): void {
        this.edits.set(edit.id, { ...edit, judge, write, isLookedAt: false, isHomeless: false });
    }

    /** Its backend may have told it to a CLI a moment ago. */
    protected resume({ path, reviewId, place, encoding, told }: StoredEdit, judge: WriteJudge): ExpectedWrite | undefined {
        const file = { path, realPath: path };
        const review = new Review({ owner: undefined, filePath: path, proposal: '', file, place }, reviewId);
        review.encoding = encoding;
        return told && this.options.writes.resume(review, judge, Date.now() - told.at, told.before);
    }

    protected fireChange(): void {
        this.onDidChangeEmitter.fire();
    }
}

function asStored(kept: KeptEdit): StoredEdit {
    const { id, reviewId, revision, text, encoding, path, cliName, place, reason, keptAt, days, lastDay, told } = kept;
    return { id, reviewId, revision, text, encoding, path, cliName, place, reason, keptAt, days, lastDay, ...(kept.write && { told }) };
}
