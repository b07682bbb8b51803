// SPDX-License-Identifier: Apache-2.0

import { PageReviews } from '../../browser/review/page-reviews';
import type { UndoStep } from './model-editors';
import { Typed } from './run-records';

/** All that persons have typed, in the order of time, and what became of it by their own doing. */
export class TypedTexts {
    readonly all: Typed[] = [];
    /** The page was killed before a pause of the typing was over. */
    readonly lost = new Set<Typed>();
    /** Typed, or undone, before an undo that has taken back the text of another page below it. */
    protected readonly passed = new Set<Typed>();

    /** What somebody went on with, or took back, unless an undo has brought it back there. */
    get continued(): Set<string> {
        const typed = this.all.filter(one => !this.lost.has(one));
        const undone = new Set(typed.filter(one => !this.passed.has(one)).map(({ undoes }) => undoes));
        return new Set(typed.filter(one => !undone.has(one)).map(({ before }) => before));
    }

    /** What nobody went on with, or took back: it must be somewhere. */
    get live(): Typed[] {
        const { continued } = this;
        return this.all.filter(one => !one.takesBack && !continued.has(one.text) && !this.lost.has(one));
    }

    /**
     * An undo has brought it back, so that it has several revisions: somebody may have gone on with only one of them. Or an undo has taken it
     * away: a further one over the text of another page keeps it.
     */
    isUndone(text: string): boolean {
        return this.all.some(one => one.isUndo && (one.text === text || one.before === text));
    }

    /**
     * An undo. What another page has typed is not continued by that, but by what was typed on it here.
     *
     * @param text that was shown
     * @param step what it brings back
     */
    takeBack(page: PageReviews, reviewId: string, text: string, step: UndoStep): Pick<Typed, 'before' | 'isUndo' | 'undoes'> {
        const typed = this.all.filter(one => one.page === page && one.about.reviewId === reviewId);
        if (step.isPaint) {
            typed.forEach(one => this.passed.add(one));
            return { before: '', isUndo: true };
        }
        return { before: text, isUndo: true, undoes: typed.findLast(one => one.text === text && one.before === step.text) };
    }
}
