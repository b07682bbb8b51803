// SPDX-License-Identifier: Apache-2.0

import { Clock } from '../../common/clock';
import { ReviewInfo, ReviewSave } from '../../common/companion-protocol';
import { WorkspaceRoots } from '../../node/host/workspace-roots';
import { Review } from '../../node/review/review';
import { ReviewRouting } from '../../node/review/review-routing';
import { Reviews } from '../../node/review/reviews';
import { ConnectedPage } from '../../node/server/connected-page';
import { Window, WindowServices } from '../../node/server/window';
import { ModelTab } from './model-tab';

const FOLDER = '/w';
const ROOTS = ['file:///w'];
/** How long a page may take to answer. */
const ASK_MS = 1_000;
/** How long a slow folder takes to be found. */
const UNKNOWN_MS = 2_000;

/** A tab as the backend reaches it, in the time of the model. */
class ModelPage extends ConnectedPage {
    constructor(
        loadId: string,
        protected readonly tab: ModelTab,
        protected readonly clock: Clock
    ) {
        super(loadId, Object.create(null));
    }

    override async mayShow(reviewId: string): Promise<boolean> {
        return (await this.askTab(tab => tab.reviews.shows(reviewId))) !== false;
    }

    override close(reviewId: string): Promise<ReviewSave | undefined> {
        return this.askTab(tab => (tab.loadId === this.loadId ? tab.reviews.flushReview(reviewId) : undefined));
    }

    protected askTab<T>(question: (tab: ModelTab) => T): Promise<T | undefined> {
        const { tab, clock } = this;
        return new Promise(reply => {
            clock.after(ASK_MS, () => reply(undefined));
            tab.line.carry('toPage', () => {
                const answer = question(tab);
                tab.line.carry('toBackend', () => reply(answer));
            });
        });
    }
}

/** Every tab opens every review by itself: so there are copies. */
class ModelRouting extends ReviewRouting {
    constructor(reviews: Reviews, windows: ModelWindows) {
        super();
        Object.assign(this, { reviews, windows, clis: { traitsOf: () => ({}) } });
    }

    protected override infoOf(window: Window, review: Review): ReviewInfo {
        return { ...super.infoOf(window, review), opens: true };
    }
}

/** The windows of one backend. All have the same folder. Real is which of them may read, answer and send what. */
export class ModelWindows {
    readonly routing: ReviewRouting;
    protected readonly windows = new Map<string, Window>();
    /** When the folders of a load of a page are known again; as the clock counts. */
    protected readonly knownAt = new Map<string, number>();

    constructor(
        reviews: Reviews,
        protected readonly clock: Clock,
        protected readonly tabs: () => readonly ModelTab[]
    ) {
        this.routing = new ModelRouting(reviews, this);
    }

    /** Those that the backend can reach. */
    all(): Window[] {
        return this.tabs()
            .filter(({ line }) => line.up)
            .map(tab => this.of(tab.loadId, tab));
    }

    get(id: string): Window | undefined {
        return this.windows.get(id);
    }

    serving(): undefined {
        return undefined;
    }

    /** @param tab if it is not known yet */
    of(loadId: string, tab: ModelTab): Window {
        let window = this.windows.get(loadId);
        if (!window) {
            window = new Window(loadId, Object.assign(Object.create(null) as WindowServices, { makeDiffs: () => undefined }));
            window.attach(new ModelPage(loadId, tab, this.clock));
            Object.assign(window, { snapshot: { roots: ROOTS }, workspace: new WorkspaceRoots([FOLDER], new Map(), ROOTS) });
            this.windows.set(loadId, window);
        }
        return window;
    }

    /** The window was forgotten, and its page says hello: its folders are found only after a moment. */
    forget(tab: ModelTab): void {
        const { loadId } = tab;
        if (this.isKnown(tab)) {
            const window = this.of(loadId, tab);
            const { workspace } = window;
            window.workspace = new WorkspaceRoots();
            this.knownAt.set(loadId, this.clock.now + UNKNOWN_MS);
            this.clock.after(UNKNOWN_MS, () => (window.workspace = workspace));
        }
    }

    isKnown(tab: ModelTab): boolean {
        return (this.knownAt.get(tab.loadId) ?? 0) <= this.clock.now;
    }

    /** @returns when the folders of the tab are known */
    whenKnown(tab: ModelTab): Promise<void> {
        const left = (this.knownAt.get(tab.loadId) ?? 0) - this.clock.now;
        return new Promise(resolve => void (left > 0 ? this.clock.after(left + 1, resolve) : resolve()));
    }
}
