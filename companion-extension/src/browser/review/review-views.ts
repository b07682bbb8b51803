// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, DiffUris, SaveableWidget, Widget } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager, EditorOpenerOptions } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { ReviewInfo } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { ProposalModel } from './proposal-model';
import { ReviewTexts } from './review-texts';
import { ReviewUris } from './review-uris';
import { ReviewView } from './review-view';

interface ShownReview {
    views: Map<EditorWidget, ReviewView>;
    toDispose: DisposableCollection;
}

/** The diff editors of the reviews: those that we open, those that the layout restores, those that the user splits. */
@injectable()
export class ReviewViews {
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ReviewTexts)
    protected readonly texts: ReviewTexts;

    protected readonly shown = new Map<string, ShownReview>();
    protected readonly viewOpened = new Emitter<string>();
    protected readonly viewClosed = new Emitter<string>();
    /** Fire with the review's id for each view. A view that is moved to another place is not closed. */
    readonly onDidOpenView = this.viewOpened.event;
    readonly onDidCloseView = this.viewClosed.event;

    start(): void {
        this.editors.onCreated(widget => this.track(widget));
        this.editors.all.forEach(widget => this.track(widget));
    }

    /**
     * Shows the review, without taking the keyboard from where it is. Rejects with what went wrong.
     * @param mode `background`: as a tab behind the current one
     */
    async open(review: ReviewInfo, mode: 'reveal' | 'background'): Promise<void> {
        const widget = this.widgetsOf(review.id)[0];
        if (widget) {
            if (mode === 'reveal') {
                await this.shell.revealWidget(widget.id);
            }
            return;
        }
        const label = nls.localize(
            'companion/review/title',
            '{0} (proposed by {1})',
            visibleText(ReviewUris.proposed(review).path.base),
            review.cliName
        );
        const uri = DiffUris.encode(ReviewUris.original(review), ReviewUris.proposed(review), label);
        const options: EditorOpenerOptions = {
            mode: mode === 'reveal' ? 'reveal' : 'open',
            preview: false,
            widgetOptions: this.place()
        };
        await this.editors.open(uri, options);
    }

    /** Shows the review and gives it the keyboard. */
    async activate(review: ReviewInfo): Promise<void> {
        await this.open(review, 'reveal');
        const widget = this.widgetsOf(review.id)[0];
        if (widget) {
            await this.shell.activateWidget(widget.id);
        }
    }

    /** Closes every view of the review. Who decided has to be settled before: it looks like the user's closing. */
    async close(reviewId: string): Promise<void> {
        await Promise.all(
            this.widgetsOf(reviewId).map(async widget => {
                if (SaveableWidget.is(widget)) {
                    await widget.closeWithoutSaving(false);
                } else {
                    widget.close();
                }
            })
        );
    }

    isVisible(reviewId: string): boolean {
        return this.widgetsOf(reviewId).some(widget => widget.isVisible);
    }

    modelOf(reviewId: string): ProposalModel | undefined {
        for (const view of this.viewsOf(reviewId)) {
            if (view.model) {
                return view.model;
            }
        }
        return undefined;
    }

    viewOf(widget: Widget | undefined): ReviewView | undefined {
        const reviewId = ReviewView.reviewIdOf(widget);
        return reviewId === undefined ? undefined : this.viewsOf(reviewId).find(view => view.widget === widget);
    }

    viewsOf(reviewId: string): ReviewView[] {
        return Array.from(this.shown.get(reviewId)?.views.values() ?? []);
    }

    widgetsOf(reviewId: string): EditorWidget[] {
        return Array.from(this.shown.get(reviewId)?.views.keys() ?? []);
    }

    protected track(widget: EditorWidget): void {
        const id = ReviewView.reviewIdOf(widget);
        if (id === undefined) {
            return;
        }
        const view = new ReviewView(widget);
        const review = this.shown.get(id) ?? this.startReview(id, view.model);
        review.views.set(widget, view);
        widget.disposed.connect(() => {
            view.dispose();
            review.views.delete(widget);
            if (review.views.size === 0) {
                // The models live a moment longer.
                review.toDispose.dispose();
                this.shown.delete(id);
            }
            this.viewClosed.fire(id);
        });
        this.viewOpened.fire(id);
    }

    protected startReview(id: string, model: ProposalModel | undefined): ShownReview {
        const review: ShownReview = { views: new Map(), toDispose: new DisposableCollection() };
        if (model) {
            review.toDispose.push(this.texts.follow(id, model));
        }
        this.shown.set(id, review);
        return review;
    }

    /** In the main area, but not as a tab over the terminal that the user is typing in. */
    protected place(): ApplicationShell.WidgetOptions {
        const active = this.shell.activeWidget;
        if (!active || active instanceof EditorWidget || this.shell.getAreaFor(active) !== 'main') {
            return { area: 'main' };
        }
        const elsewhere = this.shell.mainAreaTabBars.find(bar => !bar.titles.some(title => title.owner === active));
        const ref: Widget | undefined = elsewhere?.currentTitle?.owner;
        return ref ? { area: 'main', mode: 'tab-after', ref } : { area: 'main', mode: 'split-left', ref: active };
    }
}
