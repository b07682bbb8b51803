// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { OriginalFile } from '../../browser/diff/original-file';
import { FileFacts, SeenFile } from '../../common/companion-protocol';
import { KeptEdit } from '../../node/review/kept-edits';
import { Review, ReviewOwner, ReviewPlace } from '../../node/review/review';
import { ReviewOutcome } from '../../node/server/cli-session';
import { Reviews } from '../../node/review/reviews';
import { ModelClock } from './model-clock';
import { ModelDisk } from './model-disk';
import { ModelEditors } from './model-editors';
import { ModelBackend, ModelLine, ModelState, ModelTab } from './model-tab';
import { ModelWindows } from './model-windows';

const PLACE: ReviewPlace = { windowId: 'window', roots: ['/w'] };
/** How long a page may take to say whether it shows a review, and over a slow line more. */
const ASK_MS = 5_000;
const DAY_MS = 24 * 3_600_000;

/** A CLI, which finds an outcome by the file's path, as the real ones do. */
export class ModelCli implements ReviewOwner {
    readonly gone = false;
    isMute = false;
    /** The ids of the reviews that it waits for, by path. */
    readonly asks = new Map<string, string>();

    constructor(
        protected readonly world: ReviewWorld,
        readonly id: string,
        readonly cliId: 'qwen-code' | 'gemini-cli'
    ) {}

    notify(outcome: ReviewOutcome): boolean {
        const { filePath } = outcome.params;
        this.world.outcomes.push({ cli: this, outcome, file: this.world.fileOf(filePath) });
        if (this.asks.delete(filePath) && outcome.method === 'ide/diffAccepted') {
            this.write(filePath, outcome.params.content);
        }
        return true;
    }

    write(path: string, text: string): void {
        if (!this.isMute) {
            this.world.clock.after(300, () => this.world.write(path, text));
        }
    }
}

/** With all that it keeps. */
class WholeReviews extends Reviews {
    editsOf(reviewId: string): KeptEdit[] {
        return this.edits.of(reviewId);
    }

    get all(): Review[] {
        return [...this.reviews.values()];
    }
}

interface Backend {
    readonly boot: number;
    readonly reviews: WholeReviews;
    readonly windows: ModelWindows;
    of(tab: ModelTab, loadId: string): ModelBackend;
}

/** CLIs, pages, files and a disk around the real reviews of both sides, in a time of their own. */
export class ReviewWorld {
    readonly clock = new ModelClock();
    readonly disk = new ModelDisk(this.clock);
    readonly files = new Map<string, string>();
    /** Reviews that were rejected by closing, and the tabs that showed them then. */
    readonly closed: { readonly reviewId: string; readonly shownBy: readonly ModelTab[] }[] = [];
    readonly written: { path: string; text: string }[] = [];
    /** With the file as it was when each of them left. */
    readonly outcomes: { cli: ModelCli; outcome: ReviewOutcome; file: SeenFile }[] = [];
    /** The file system does not answer. */
    isHanging = false;
    readonly clis = [new ModelCli(this, 'qwen', 'qwen-code'), new ModelCli(this, 'gemini', 'gemini-cli')];
    tabs: ModelTab[] = [];
    /** Also those of tabs that are closed. */
    readonly lines: ModelLine[] = [];
    backend: Backend;
    protected ids = 0;
    protected boots = 0;
    protected sequence = 0;

    constructor() {
        this.startBackend();
    }

    get reviews(): WholeReviews {
        return this.backend.reviews;
    }

    stateFor(tab: ModelTab): ModelState {
        const { boot, windows } = this.backend;
        const window = windows.of(tab.loadId, tab);
        return {
            boot,
            sequence: ++this.sequence,
            reviews: windows.routing.waitingIn(window),
            keptEdits: windows.routing.keptEdits(window)
        };
    }

    /** A page without folders is not told anything: its hello is not answered yet. */
    protected tell(): void {
        const { boot, windows } = this.backend;
        this.tabs.filter(tab => windows.isKnown(tab)).forEach(tab => tab.push(boot, this.stateFor(tab)));
    }

    /** That a message of any page has taken. */
    get longestDelay(): number {
        return Math.max(...this.lines.map(({ longestDelay }) => longestDelay));
    }

    newId(): string {
        return String(++this.ids).padStart(8, '0') + '-0000-4000-8000-000000000000';
    }

    openTab(onShow: (tab: () => ModelTab, reviewId: string, text: string) => void, stored?: ReadonlyMap<string, string>): void {
        const editors = new ModelEditors(
            this.clock,
            (id, text) => onShow(() => tab, id, text),
            uri => this.originalOf(FileUri.fsPath(uri))
        );
        const options = { clock: this.clock, editors, backend: () => this.backend, newId: () => this.newId(), stored };
        const tab = new ModelTab(options);
        this.tabs.push(tab);
        this.lines.push(tab.line);
    }

    /** What ran before is killed: its timers and writes do nothing any more. The CLIs lose their sessions. */
    startBackend(): void {
        const up = this.tabs.filter(({ line }) => line.up);
        up.forEach(({ line }) => line.cut());
        this.clis.forEach(cli => cli.asks.clear());
        const boot = ++this.boots;
        const isAlive = (): boolean => this.boots === boot;
        const reviews = new WholeReviews({
            files: {
                isGone: async () => false,
                look: async path => {
                    const text = this.files.get(path);
                    return { stamp: text ?? '\0', read: async () => ({ bytes: text === undefined ? null : Buffer.from(text), text }) };
                }
            },
            inspector: { inspect: (path, seen) => this.compare(path, seen, isAlive) },
            store: this.disk.storeOf(isAlive),
            nameOf: ({ id }) => id,
            traitsOf: cliId => (cliId === 'qwen-code' ? { dropsEditsInTerminal: true } : {}),
            clock: this.clock.while(isAlive),
            today: () => `day ${Math.floor(this.clock.now / DAY_MS)}`
        });
        const windows = new ModelWindows(reviews, this.clock.while(isAlive), () => this.tabs);
        this.backend = { boot, reviews, windows, of: (tab, loadId) => this.callsOf({ reviews, windows }, tab, loadId) };
        reviews.onDidChange(() => isAlive() && this.tell());
        up.forEach(tab => tab.restore());
    }

    /** @returns the review's id */
    ask(cli: ModelCli, path: string, proposal: string): string {
        this.reviews.replace(cli, PLACE.windowId, path);
        const { id } = this.reviews.open({ owner: cli, filePath: path, proposal, file: { path, realPath: path }, place: PLACE });
        cli.asks.set(path, id);
        return id;
    }

    /** @param isAnswered the person answers in the terminal; otherwise the CLI gives its call up */
    close(cli: ModelCli, path: string, isAnswered = true): Promise<string | undefined> {
        const { windows } = this.backend;
        return this.reviews.close(cli, PLACE.windowId, path, isAnswered, review => windows.routing.close(review));
    }

    /** What a page would read now. */
    fileOf(path: string): SeenFile {
        const modifiedAt = this.written.filter(one => one.path === path).length;
        return modifiedAt > 0 ? { modifiedAt, size: 1 } : {};
    }

    write(path: string, text: string): void {
        this.files.set(path, text);
        this.written.push({ path, text });
        // File systems do not report every change: every third page learns of none.
        this.tabs.forEach((tab, index) => index % 3 < 2 && tab.markChanged(FileUri.create(path).toString(), index % 3 === 0));
    }

    protected originalOf(path: string): OriginalFile {
        const seen = this.fileOf(path);
        return { ...seen, exists: seen.modifiedAt !== undefined, text: this.files.get(path) ?? '' };
    }

    /** Whether a text that was typed into a review is anywhere. @param now also where it does not stay */
    has(text: string, reviewId: string, path: string | undefined, now: boolean): boolean {
        const { reviews, outcomes, written, tabs, disk } = this;
        return (
            reviews.find(reviewId)?.text === text ||
            reviews.editsOf(reviewId).some(one => one.text === text) ||
            outcomes.some(({ outcome: { params, reviewId: of } }) => of === reviewId && 'content' in params && params.content === text) ||
            written.some(one => one.path === path && one.text === text) ||
            (now &&
                ([...disk.edits.values()].some(one => one.text === text) ||
                    tabs.some(
                        ({ stored, editors, reviews: page }) =>
                            [...stored.values()].some(value => value.includes(`"${text}"`)) ||
                            page.get(reviewId)?.text.text === text ||
                            editors.shown.get(reviewId)?.text === text
                    )))
        );
    }

    protected callsOf({ reviews, windows }: Pick<Backend, 'reviews' | 'windows'>, tab: ModelTab, loadId: string): ModelBackend {
        const { routing } = windows;
        const window = windows.of(loadId, tab);
        return {
            hello: async () => {
                await windows.whenKnown(tab);
                void reviews.look();
                return this.stateFor(tab);
            },
            readReview: async id => routing.read(window, id),
            saveReview: save => routing.save(window, save),
            acceptReview: async (id, shown, file) => routing.accept(window, id, shown, file),
            rejectReview: async id => routing.reject(window, id),
            closeReview: async id => {
                const isWaiting = reviews.find(id)?.isWaiting;
                const answer = await routing.rejectByClosing(window, id);
                if (isWaiting && answer.result === 'done') {
                    this.closed.push({ reviewId: id, shownBy: this.tabs.filter(other => other !== tab && other.hasShown(id, ASK_MS)) });
                }
                return answer;
            },
            discardEdit: id => routing.discardEdit(window, id)
        };
    }

    /** @returns after the time that the file system takes, or is given */
    protected compare(path: string, seen: SeenFile | undefined, isAlive: () => boolean): Promise<FileFacts> {
        return new Promise(resolve => {
            const { isHanging } = this;
            this.clock.after(isHanging ? 1_000 : 5, () => {
                const isSame = this.fileOf(path).modifiedAt === seen?.modifiedAt;
                if (isAlive()) {
                    resolve({ state: isHanging ? 'silent' : isSame ? 'same' : 'changed' });
                }
            });
        });
    }
}
