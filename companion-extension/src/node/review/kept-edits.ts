// SPDX-License-Identifier: Apache-2.0

import { basename } from 'path';
import { Emitter } from '@theia/core/lib/common/event';
import { Clock } from '../../common/clock';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { KeptReason } from '../../common/companion-protocol';
import { isSameText } from '../../common/same-text';
import { coversRevision, Revision, RevisionRange } from '../../common/revision';
import { ReviewPlace } from './review';
import { FileLook, FileTexts } from './file-texts';
import { spaceless, TypedLines } from './typed-lines';

/** Days on which a page may list an edit that nobody applies or discards. They are counted: a clock may be set by weeks. */
export const KEPT_DAYS = 14;
const DAY_MS = 24 * 3_600_000;

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
    /** A CLI may write it until then; as the clock counts. Nobody lists it before. */
    hiddenUntil: number;
    /** More than white space was typed, as far as is known: then that of the file does not count, which formatters change. */
    readonly isMoreThanSpace: boolean;
    /** The CLI was told it, and may still write it. */
    told: { readonly lines?: TypedLines; before?: { readonly stamp: string; readonly text: string } } | undefined;
    /** The file has become a third text after the CLI was told the edit, as by a formatter: the list is enough. */
    isQuiet: boolean;
    /** The file was looked at: until then it may have the edit. */
    isLookedAt: boolean;
    /** The file as it was looked at last. */
    stamp?: string;
    /** When {@link days} was counted last by this backend. */
    countedAt?: number;
}

interface KeptEditsOptions {
    readonly files: Pick<FileTexts, 'look'>;
    readonly clock: Clock;
    /** The day today, as `2026-11-26`. */
    today(): string;
    readonly store?: EditStore;
    /** Whether a window of this backend lists it: the files of others are not looked at. */
    concerns(edit: StoredEdit): boolean;
    /** Texts of reviews that wait. If the backend is killed, they become kept edits. */
    waiting(): readonly StoredEdit[];
}

/**
 * The texts that users typed and that no file has. An edit never changes. It goes when its file has it, when somebody discards it, or after
 * {@link KEPT_DAYS}. It costs nothing while nobody looks.
 */
export class KeptEdits {
    protected readonly edits = new Map<string, KeptEdit>();
    protected readonly timers = new Set<() => void>();
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    constructor(protected readonly options: KeptEditsOptions) {}

    get size(): number {
        return [...this.edits.values()].reduce((sum, { text }) => sum + text.length, 0);
    }

    find(id: string): KeptEdit | undefined {
        return this.edits.get(id);
    }

    of(reviewId: string): KeptEdit[] {
        return [...this.edits.values()].filter(edit => edit.reviewId === reviewId);
    }

    /** The edits that may be listed, the oldest first. */
    get listed(): KeptEdit[] {
        const { now } = this.options.clock;
        return [...this.edits.values()].filter(({ isLookedAt, hiddenUntil }) => isLookedAt && hiddenUntil <= now);
    }

    /**
     * @param proposal empty if it is no longer known
     * @param isTold a CLI may write it
     */
    keep(edit: StoredEdit, proposal = '', isTold = false): void {
        const same = this.of(edit.reviewId).find(({ text }) => text === edit.text);
        if (same?.told && !isTold) {
            return;
        }
        // By its last revision: somebody may have gone on with an earlier one, and an undo has brought it back.
        this.edits.delete(same?.id ?? '');
        this.add(edit, proposal, isTold);
        void this.lookAt(edit.path).then(() => this.fireChange());
        if (isTold) {
            this.lookLater(edit.path);
        }
    }

    /** Nobody will write what a CLI was told of this review. */
    release(reviewId: string): void {
        for (const edit of this.of(reviewId)) {
            edit.hiddenUntil = 0;
            edit.told = undefined;
            edit.isQuiet = false;
        }
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
                // Its backend may have told it to a CLI a moment ago.
                this.add(edit, '', edit.reason === 'notWritten');
                if (edit.reason === 'notWritten') {
                    this.lookLater(edit.path);
                }
            }
        } catch {
            // What is known counts until somebody looks again. The store says what is wrong.
        }
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
            if (look && look.stamp !== edit.stamp && (await this.isIn(look, edit))) {
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
        this.timers.forEach(cancel => cancel());
        this.onDidChangeEmitter.dispose();
    }

    protected add(edit: StoredEdit, proposal: string, isTold: boolean): void {
        this.edits.set(edit.id, {
            ...edit,
            hiddenUntil: isTold ? this.options.clock.now + WRITE_TIME_MS : 0,
            isMoreThanSpace: proposal !== '' && spaceless(proposal) !== spaceless(edit.text),
            told: isTold ? { lines: proposal === '' ? undefined : new TypedLines(proposal, edit.text) } : undefined,
            isQuiet: false,
            isLookedAt: false
        });
    }

    /** Whether the file has the edit, or, of one that a CLI was told, what the user did to the proposal. */
    protected async isIn({ stamp, decode }: FileLook, edit: KeptEdit): Promise<boolean> {
        const text = await decode(edit.encoding);
        const { told } = edit;
        edit.stamp = stamp;
        if (told) {
            told.before ??= { stamp, text: text ?? '' };
            edit.isQuiet = told.before.stamp !== stamp && !(text !== undefined && told.lines?.isProposal(text));
        }
        if (text === undefined) {
            return false;
        }
        const isSame = isSameText(text, edit.text) || (edit.isMoreThanSpace && spaceless(text) === spaceless(edit.text));
        return isSame || told?.lines?.areIn(text, told.before?.text ?? '') === true;
    }

    /** When the CLI should have written it. */
    protected lookLater(path: string): void {
        const cancel = this.options.clock.after(WRITE_TIME_MS, () => {
            this.timers.delete(cancel);
            void this.lookAt(path).then(() => {
                this.forgetTold();
                this.fireChange();
            });
        });
        this.timers.add(cancel);
    }

    /** What was told and not written in time counts as any other edit. */
    protected forgetTold(): void {
        const { now } = this.options.clock;
        [...this.edits.values()].filter(({ hiddenUntil }) => hiddenUntil <= now).forEach(edit => (edit.told = undefined));
    }

    protected fireChange(): void {
        this.onDidChangeEmitter.fire();
    }
}

function asStored({ id, reviewId, revision, text, encoding, path, cliName, place, reason, keptAt, days, lastDay }: KeptEdit): StoredEdit {
    return { id, reviewId, revision, text, encoding, path, cliName, place, reason, keptAt, days, lastDay };
}
