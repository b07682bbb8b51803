// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { FileFacts, ReviewInfo } from '../../common/companion-protocol';
import { isSameText } from '../../common/same-text';

const LOOK_INTERVAL_MS = 2000;
/** What changes a file so soon after a CLI has written it belongs to that: a formatter that a hook runs, or the rest of the text. */
const SETTLE_TIME_MS = 2000;

/**
 * A file that a CLI is about to write. The first change that no save of the IDE made is taken for the write: shows it, says so if the text is not
 * what was accepted, and says so if there is none.
 */
export class ExpectedWrite implements Disposable {
    protected readonly toDispose = new DisposableCollection();
    protected isConfirmed = false;
    /** The widget in front when the diff had closed. If it is something else, the user has gone on. */
    protected inFront: unknown;
    protected hasChanged = false;
    protected before: Promise<FileSnapshot>;
    /** What an editor of the IDE has saved meanwhile: nobody else wrote that. */
    protected saved: string | undefined;
    /** The write, as it was told. */
    protected told: Written | undefined;
    protected settling: NodeJS.Timeout | undefined;
    protected looking = Promise.resolve();

    constructor(
        protected readonly page: AfterAcceptPage,
        protected readonly accepted: Accepted,
        over: () => void
    ) {
        this.before = accepted.before;
        const watching = page.watch(
            accepted.review,
            () => this.handleChange(),
            text => (this.saved = text)
        );
        this.toDispose.pushAll([Disposable.create(over), watching, Disposable.create(() => clearTimeout(this.settling))]);
    }

    /** The CLI has the answer, and the diff is closed. */
    handleConfirmed(): void {
        if (this.toDispose.disposed) {
            return;
        }
        // What comes to the front in the diff's place may come after the first word of it.
        this.inFront = this.page.inFront;
        if (this.isConfirmed) {
            return;
        }
        this.isConfirmed = true;
        if (!this.accepted.isAnsweredHere) {
            // Perhaps nothing is written: nobody waits for it, and a large file is not read again and again.
            const over = setTimeout(() => this.dispose(), WRITE_TIME_MS);
            this.toDispose.push(Disposable.create(() => clearTimeout(over)));
            return;
        }
        let waited = 0;
        // Also without an event: the watcher of a file outside the workspace may begin after the CLI has written it.
        const timer = setInterval(() => this.look((waited += LOOK_INTERVAL_MS) >= WRITE_TIME_MS), LOOK_INTERVAL_MS);
        this.toDispose.push(Disposable.create(() => clearInterval(timer)));
        if (this.hasChanged) {
            this.look(false);
        }
    }

    /** Forgets it: the answer came late, or the result is known. */
    dispose(): void {
        this.toDispose.dispose();
    }

    protected handleChange(): void {
        this.hasChanged = true;
        if (this.isConfirmed) {
            this.look(false);
        }
    }

    /** One look after the other: the file may change while it is read. @param isLast nothing that comes later counts */
    protected look(isLast: boolean): void {
        this.looking = this.looking.then(() => (this.toDispose.disposed ? undefined : this.lookNow(isLast)));
    }

    protected async lookNow(isLast: boolean): Promise<void> {
        const { review, edited, text, isAnsweredHere } = this.accepted;
        const [before, now] = await Promise.all([this.before, this.page.read(review)]);
        if (this.saved !== undefined && now.text !== undefined && isSameText(now.text, this.saved)) {
            this.before = Promise.resolve(now);
        } else if (isAnother(before, now)) {
            const differs = text !== undefined && !(now.text !== undefined && isSameText(now.text, text));
            this.settling ??= setTimeout(() => this.look(true), SETTLE_TIME_MS);
            if ((isLast && isAnsweredHere) || !differs) {
                await this.tell({ review, before, text: now.text, differs, lost: lostBy(before, now) });
            }
        } else if (isLast && isAnsweredHere && !edited && !(now.text !== undefined && text !== undefined && isSameText(now.text, text))) {
            this.page.tellNotWritten(review, now.facts?.obstacle);
        }
        if (isLast) {
            this.dispose();
        }
    }

    protected async tell(written: Written): Promise<void> {
        if (this.told && this.told.text === written.text) {
            return;
        }
        this.told = written;
        this.page.tellWritten(written);
        const mayShow = (): boolean => this.accepted.isAnsweredHere && this.page.inFront === this.inFront && this.page.mayShow(written);
        if (mayShow()) {
            await this.page.show(written, mayShow);
            // The file is in front now.
            this.inFront = this.page.inFront;
        }
    }
}

function lostBy({ facts: before }: FileSnapshot, { facts: now }: FileSnapshot): Written['lost'] {
    if (!before || !now) {
        return undefined;
    }
    return before.isLink && !now.isLink ? 'link' : before.isExecutable && !now.isExecutable ? 'executable' : undefined;
}

/** If nobody can tell, it is not. */
function isAnother(before: FileSnapshot, now: FileSnapshot): boolean {
    if (before.exists !== now.exists) {
        return now.exists;
    }
    return before.text !== undefined && now.text !== undefined
        ? !isSameText(before.text, now.text)
        : now.modifiedAt !== undefined && now.modifiedAt !== before.modifiedAt;
}

/** The page, as far as it is needed here. */
export interface AfterAcceptPage {
    /** Calls back whenever the file has changed on disk, and when an editor has saved it. */
    watch(review: ReviewInfo, changed: () => void, saved: (text: string) => void): Disposable;
    read(review: ReviewInfo): Promise<FileSnapshot>;
    /** The widget in front in the main area. */
    readonly inFront: unknown;
    /** True if a file may come to the front now, without covering what the user needs. */
    mayShow(written: Written): boolean;
    /** @param mayShow asked again when the file is open, which may take long; if not, it stays behind */
    show(written: Written, mayShow: () => boolean): Promise<void>;
    /** Says that it is written. Called again if it changes at once. */
    tellWritten(written: Written): void;
    /** @param obstacle in the system's words */
    tellNotWritten(review: ReviewInfo, obstacle?: string): void;
}

/** The facts about a proposal when the user accepts it. */
export interface Accepted {
    readonly review: ReviewInfo;
    /** The user had edited it: if it is not written, the edits are offered, and no other message is needed. */
    readonly edited: boolean;
    /** The text that the CLI gets; `undefined` if no editor of this page shows it. */
    readonly text: string | undefined;
    /** The file before the CLI writes. */
    readonly before: Promise<FileSnapshot>;
    /** Otherwise on another page or in the terminal, and perhaps with no: only its own text is the write. */
    readonly isAnsweredHere: boolean;
}

/** A file on disk, as it was read. */
export interface FileSnapshot {
    /** True if there is such a file. */
    readonly exists: boolean;
    /** Empty if there is none; `undefined` if it cannot be read as text without loss. */
    readonly text: string | undefined;
    /** In milliseconds since the epoch, if it is known. */
    readonly modifiedAt?: number;
    /** What the backend has seen of it; absent if it did not answer. */
    readonly facts?: FileFacts;
}

/** A file that the CLI has written. */
export interface Written {
    readonly review: ReviewInfo;
    readonly before: FileSnapshot;
    /** `undefined` if it cannot be read as text without loss. */
    readonly text: string | undefined;
    /** It is not the text that was accepted. */
    readonly differs: boolean;
    /** It was a link and is a file now, or was executable and is not any more. */
    readonly lost?: 'link' | 'executable';
}
