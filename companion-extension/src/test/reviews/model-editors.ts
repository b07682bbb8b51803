// SPDX-License-Identifier: Apache-2.0

import { PageReview } from '../../browser/review/page-review';
import { PageReviews } from '../../browser/review/page-reviews';
import { ReviewViews } from '../../browser/review/review-views';
import { ReviewAbout } from '../../common/companion-protocol';
import { OriginalFile } from '../../browser/diff/original-file';
import { ModelClock } from './model-clock';
import { ModelLeft } from './model-left';

const OPEN_MS = 100;
const SLOW_OPEN_MS = 2_000;
const RESOLVE_LIMIT_MS = 20_000;
const RESTORE_LIMIT_MS = 3_000;

/** What an undo brings back. */
export interface UndoStep {
    readonly text: string;
    /** It takes back the text of another page. */
    readonly isPaint: boolean;
}

/** An editor of the model. */
export interface ModelEditor {
    readonly about: ReviewAbout;
    text: string;
    /** The last one at the end. */
    readonly steps: UndoStep[];
    isVisible: boolean;
    readonly left: ModelLeft;
    readonly openedAt: number;
    /** Since when it shows {@link text}, or is in sight; as the clock counts. */
    since: number;
}

/** Monaco makes all line ends of a text alike: a proposal that goes through an editor is not the same text any more. */
export function inEditor(text: string): string {
    return text.replaceAll('\r', '');
}

/** Stands for Theia: makes editors late, resolves their texts through the page, restores them after a reload. */
export class ModelEditors implements ReviewViews {
    readonly shown = new Map<string, ModelEditor>();
    /** Those that are made now: Theia makes one for each URI. */
    protected readonly making = new Set<string>();
    slow = false;
    failing = false;
    protected page: PageReviews;

    constructor(
        protected readonly clock: ModelClock,
        /** Told of each text that is shown and was not typed. */
        protected readonly onShow: (reviewId: string, text: string) => void,
        /** The file on disk now. */
        protected readonly fileOf: (uri: string) => OriginalFile
    ) {}

    /** Another load of the page: its layout restores what was shown. */
    attach(page: PageReviews): void {
        const layout = [...this.shown.values()];
        this.page = page;
        this.shown.clear();
        this.making.clear();
        layout.forEach(({ about }) => this.make(about, RESTORE_LIMIT_MS));
    }

    open({ text }: PageReview): void {
        this.later(() => this.make(text.about, RESOLVE_LIMIT_MS));
    }

    close({ id }: PageReview): void {
        this.later(() => this.remove(id) && this.page.markClosed(id, false));
    }

    paint({ id, text }: PageReview): void {
        const editor = this.shown.get(id);
        this.onShow(id, text.shown ?? '');
        if (editor) {
            const shown = inEditor(text.shown ?? '');
            if (shown !== editor.text) {
                editor.steps.push({ text: editor.text, isPaint: true });
            }
            Object.assign(editor, { text: shown, since: this.clock.now });
        }
    }

    readLeft({ id }: PageReview): void {
        this.shown.get(id)?.left.sync();
    }

    /** The file system reports that a file has changed. */
    markChanged(uri: string): void {
        this.shown.forEach(({ about, left }) => about.uri === uri && left.sync());
    }

    isOnScreen(reviewId: string): boolean {
        return this.shown.get(reviewId)?.isVisible ?? false;
    }

    closeByPerson(reviewId: string): void {
        if (this.remove(reviewId)) {
            this.page.markClosed(reviewId, true);
        }
    }

    protected remove(reviewId: string): boolean {
        this.page.hideLeft(reviewId, this.shown.get(reviewId)?.left.file);
        return this.shown.delete(reviewId);
    }

    protected make(about: ReviewAbout, limitMs: number): void {
        const { page } = this;
        const { reviewId } = about;
        if (this.shown.has(reviewId) || this.making.has(reviewId)) {
            return;
        }
        this.making.add(reviewId);
        let isOver = false;
        const end = (run: () => void): void => {
            if (!isOver && this.page === page) {
                isOver = true;
                run();
            }
        };
        const fail = (problem?: string): void => {
            this.making.delete(reviewId);
            page.markFailed(reviewId, problem);
        };
        this.clock.after(limitMs, () => end(() => fail()));
        page.resolve(about, review =>
            end(() => {
                if (!review || this.failing) {
                    fail(review && 'Theia cannot show it');
                    return;
                }
                const { shown = '', revision } = review.text;
                this.onShow(reviewId, shown);
                this.later(() => {
                    this.making.delete(reviewId);
                    this.shown.set(reviewId, {
                        about,
                        text: inEditor(shown),
                        steps: [],
                        isVisible: true,
                        left: this.makeLeft(about),
                        openedAt: this.clock.now,
                        since: this.clock.now
                    });
                    page.markOpened(reviewId, revision);
                });
            })
        );
    }

    protected makeLeft({ reviewId, uri }: ReviewAbout): ModelLeft {
        const { page } = this;
        const read = (): OriginalFile => this.fileOf(uri);
        return new ModelLeft(this.clock, read(), read, file => page === this.page && page.showLeft(reviewId, file));
    }

    protected later(run: () => void): void {
        const { page } = this;
        this.clock.after(this.slow ? SLOW_OPEN_MS : OPEN_MS, () => page === this.page && run());
    }
}
