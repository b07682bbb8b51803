// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { ReviewInfo } from '../../common/companion-protocol';

const LOOK_INTERVAL_MS = 2000;

/** A file that a CLI is about to write. Shows it once it is written, and says so if it is not. */
export class ExpectedWrite implements Disposable {
    protected readonly toDispose = new DisposableCollection();
    protected isConfirmed = false;
    /** The widget in front when the diff had closed. If it is something else, the user has gone on. */
    protected inFront: unknown;
    protected hasChanged = false;
    protected looking = Promise.resolve();

    constructor(
        protected readonly page: AfterAcceptPage,
        protected readonly accepted: Accepted,
        over: () => void
    ) {
        this.toDispose.pushAll([Disposable.create(over), page.watch(accepted.review, () => this.handleChange())]);
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

    /** One look after the other: the file may change while it is read. */
    protected look(isLast: boolean): void {
        this.looking = this.looking.then(() => (this.toDispose.disposed ? undefined : this.lookNow(isLast)));
    }

    protected async lookNow(isLast: boolean): Promise<void> {
        const { review, edited, text } = this.accepted;
        const [before, now] = await Promise.all([this.accepted.before, this.page.read(review)]);
        const hasChanged = now.exists !== before.exists || plain(now.text) !== plain(before.text);
        const isWritten = now.text !== undefined && now.exists && (text === undefined ? hasChanged : plain(now.text) === plain(text));
        if (!isWritten && !isLast) {
            return;
        }
        this.dispose();
        if (isWritten && hasChanged) {
            const written = { review, before, text: now.text };
            this.page.tellWritten(written);
            const mayShow = (): boolean => this.page.inFront === this.inFront && this.page.mayShow(written);
            if (mayShow()) {
                await this.page.show(written, mayShow);
            }
        } else if (!isWritten && !hasChanged && now.text !== undefined && !edited) {
            // Another text is somebody's who was faster.
            this.page.tellNotWritten(review);
        }
    }
}

/** The page, as far as it is needed here. */
export interface AfterAcceptPage {
    /** Calls back whenever the file has changed on disk. */
    watch(review: ReviewInfo, changed: () => void): Disposable;
    read(review: ReviewInfo): Promise<FileText>;
    /** The widget in front in the main area. */
    readonly inFront: unknown;
    /** True if a file may come to the front now, without covering what the user needs. */
    mayShow(written: Written): boolean;
    /** @param mayShow asked again when the file is open, which may take long; if not, it stays behind */
    show(written: Written, mayShow: () => boolean): Promise<void>;
    /** Says that it is written, and offers to undo it. */
    tellWritten(written: Written): void;
    tellNotWritten(review: ReviewInfo): void;
}

/** The facts about a proposal when the user accepts it. */
export interface Accepted {
    readonly review: ReviewInfo;
    /** The user had edited it: if it is not written, the edits are offered, and no other message is needed. */
    readonly edited: boolean;
    /** The text that the CLI gets; `undefined` if no editor of this page shows it. */
    readonly text: string | undefined;
    /** The file before the CLI writes. */
    readonly before: Promise<FileText>;
}

/** A file as it is on disk. */
export interface FileText {
    /** True if there is such a file. */
    readonly exists: boolean;
    /** Empty if there is none; `undefined` if it cannot be read as text without loss. */
    readonly text: string | undefined;
}

/** A file that the CLI has written. */
export interface Written {
    readonly review: ReviewInfo;
    readonly before: FileText;
    readonly text: string;
}

/** A CLI writes the line ends and the byte order mark that the file had. */
export function plain(text: string | undefined): string | undefined {
    return text?.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}
