// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, preDestroy } from '@theia/core/shared/inversify';
import { Fault } from '../../common/companion-problem';
import {
    CliTerminal,
    CommandSearch,
    CompanionBackend,
    CompanionPage,
    ContextSnapshot,
    Draft,
    DraftRef,
    FocusAnswer,
    IdeModeOffer,
    LogLines,
    OfferAnswer,
    OpenedLink,
    ReviewAnswer,
    ReviewContent,
    ReviewInfo,
    ShownText,
    ShowReviewResult,
    ToldContext,
    WindowSnapshot,
    WindowState
} from '../../common/companion-protocol';
import { Diagnosis } from '../../common/diagnosis';
import { IdeModeOffers } from '../discovery/ide-mode-offers';
import { Doctor } from '../doctor/doctor';
import { answerWithin, OneAtATime, queueOf } from '../host/one-at-a-time';
import { ProcessTable } from '../host/process-table';
import { CliCommands } from '../terminal/cli-commands';
import { IdeServers } from './ide-servers';
import type { PagePayloads } from './page-payloads';
import { ReviewWindows } from './review-windows';

/** The queue of looks at files in editors that lie in no root and on no remote mount, of every page. */
const OPENED_FILES = 'files outside the workspace';

/** How long a page may take to answer, in milliseconds. */
const PAGE_TIMEOUTS = { ping: 1_000, show: 2_000, close: 1_000 } as const;
/** How long changes are gathered before a page is told of them, in milliseconds. */
const MOMENT = 30;

/** A backend that no page has greeted needs none of it, and the library of the checks would be half of what the companion adds to its start. */
async function loadPayloads(): Promise<typeof PagePayloads> {
    return (await import('./page-payloads')).PagePayloads;
}

/**
 * What one page calls, on one connection: checks what the page sends and hands it on. Holds no state worth keeping, since Theia
 * destroys it with every reload and, by default, with every drop of the socket.
 */
@injectable()
export class CompanionBackendService implements CompanionBackend {
    @inject(IdeServers)
    protected readonly servers: IdeServers;

    @inject(IdeModeOffers)
    protected readonly offers: IdeModeOffers;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(Doctor)
    protected readonly doctor: Doctor;
    @inject(CliCommands)
    protected readonly commands: CliCommands;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    protected page: CompanionPage | undefined;
    /** What may be sent. Loaded with the first hello, before which every other call is refused. */
    protected payloads: typeof PagePayloads;
    protected connected: ConnectedPage | undefined;

    setPage(page: CompanionPage): void {
        this.page = page;
    }

    async hello(window: WindowSnapshot): Promise<WindowState> {
        this.payloads = await loadPayloads();
        const snapshot = this.payloads.window.parse(window);
        if (!this.page) {
            throw new Error('The connection is closed');
        }
        this.connected ??= new ConnectedPage(snapshot.loadId, this.page);
        this.connected.heard();
        return this.servers.hello(this.connected, snapshot);
    }

    async focus(sequence: number): Promise<FocusAnswer> {
        const page = this.introduced();
        const known = this.payloads.sequence.parse(sequence);
        const window = this.servers.windowOf(page);
        if (!window) {
            throw new Error('The window belongs to another page');
        }
        this.servers.focus(window);
        const told = window.toldFiles;
        const realPaths = await this.follow(page, told);
        // After the file system's answer, in which time the page may have been asked for more.
        const state = this.servers.missedState(window, page, known);
        const links = told.map((path, index): OpenedLink => ({ path, realPath: realPaths[index] }));
        return { ...(state && { state }), links: links.filter(({ path, realPath }) => path !== realPath) };
    }

    async updateContext(snapshot: ContextSnapshot): Promise<void> {
        this.servers.updateContext(this.introduced(), this.payloads.context.parse(snapshot));
    }

    async readToldContexts(): Promise<ToldContext[]> {
        return this.servers.toldContexts(this.introduced());
    }

    async realPaths(paths: string[]): Promise<Array<string | undefined>> {
        return this.follow(this.introduced(), this.payloads.paths.parse(paths));
    }

    async findCliTerminals(shells: number[]): Promise<CliTerminal[]> {
        const clis = this.servers.connectedClis(this.introduced());
        const candidates = new Set(this.payloads.shells.parse(shells));
        const found = new Map<number, CliTerminal>();
        for (const { displayName, peer } of clis) {
            const shell = await this.processes.shellOf(peer.pid, candidates);
            if (shell !== undefined) {
                found.set(shell, { shell, displayName, ...(peer.folder === undefined ? {} : { folder: peer.folder }) });
            }
        }
        return [...found.values()];
    }

    async findCommand(cliId: string): Promise<CommandSearch> {
        this.introduced();
        return this.commands.find(this.payloads.id.parse(cliId));
    }

    async readReview(reviewId: string): Promise<ReviewContent | undefined> {
        return this.reviews.read(this.introduced(), this.payloads.id.parse(reviewId));
    }

    async acceptReview(reviewId: string, shown: ShownText): Promise<ReviewAnswer> {
        return this.reviews.accept(this.introduced(), this.payloads.id.parse(reviewId), this.payloads.shownText.parse(shown));
    }

    async rejectReview(reviewId: string): Promise<ReviewAnswer> {
        return this.reviews.reject(this.introduced(), this.payloads.id.parse(reviewId));
    }

    async showReviewHere(reviewId: string): Promise<boolean> {
        return this.reviews.showHere(this.introduced(), this.payloads.id.parse(reviewId));
    }

    async sendDraft(reviewId: string, draft: Draft): Promise<DraftRef[]> {
        return this.reviews.takeDraft(this.introduced(), this.payloads.id.parse(reviewId), this.payloads.draft.parse(draft));
    }

    async readDraft(id: string): Promise<string | undefined> {
        return this.reviews.readDraft(this.introduced(), this.payloads.id.parse(id));
    }

    async discardDraft(draft: DraftRef): Promise<void> {
        await this.reviews.discardDraft(this.introduced(), this.payloads.draftRef.parse(draft));
    }

    async getIdeModeOffers(): Promise<IdeModeOffer[]> {
        this.introduced();
        return this.offers.all();
    }

    async acceptIdeModeOffer(cliId: string): Promise<Fault | undefined> {
        this.introduced();
        return this.offers.accept(this.payloads.id.parse(cliId));
    }

    async rememberIdeModeOffer(cliId: string, answer: OfferAnswer): Promise<void> {
        this.introduced();
        await this.offers.remember(this.payloads.id.parse(cliId), this.payloads.offerAnswer.parse(answer));
    }

    async diagnose(shell?: number): Promise<Diagnosis> {
        // JSON makes null of an argument that is left out.
        return this.doctor.diagnose(
            await this.servers.doctorWindow(this.introduced()),
            shell == null ? undefined : this.payloads.shell.parse(shell)
        );
    }

    async readLog(after: number): Promise<LogLines> {
        const page = this.introduced();
        return this.servers.windowOf(page)?.log.after(this.payloads.sequence.parse(after)) ?? { newest: 0, lines: [] };
    }

    @preDestroy()
    protected disconnect(): void {
        this.page = undefined;
        if (this.connected) {
            this.connected.closed = true;
            this.servers.leave(this.connected);
            this.connected = undefined;
        }
    }

    /** In each queue one after the other: a file system that does not answer is asked once. */
    protected async follow(page: ConnectedPage, paths: readonly string[]): Promise<Array<string | undefined>> {
        const window = this.servers.windowOf(page);
        const queues = paths.map(path => queueOf(path, window?.rootOf(path) ?? OPENED_FILES));
        const found: Array<string | undefined> = paths.map(() => undefined);
        const followAll = async (queue: string): Promise<void> => {
            for (let index = queues.indexOf(queue); index >= 0; index = queues.indexOf(queue, index + 1)) {
                found[index] = await this.tasks.run(queue, () => realpath(paths[index])).catch(() => undefined);
            }
        };
        await Promise.all([...new Set(queues)].map(followAll));
        return found;
    }

    protected get reviews(): ReviewWindows {
        return this.servers.reviews;
    }

    protected introduced(): ConnectedPage {
        if (!this.connected) {
            throw new Error('The window has not said hello');
        }
        this.connected.heard();
        return this.connected;
    }
}

/** The same connection in the other direction: calls the page, which may die at any time, so every call has an end. */
export class ConnectedPage {
    /** The connection is gone. */
    closed = false;

    protected isSilent = false;
    protected readonly onDidChangeSilenceEmitter = new Emitter<void>();
    readonly onDidChangeSilence = this.onDidChangeSilenceEmitter.event;
    /** The content of the state that it was sent, if it has learnt nothing since in another way. */
    protected lastSent: string | undefined;
    protected newest = -1;
    protected telling: NodeJS.Timeout | undefined;

    constructor(
        readonly loadId: string,
        protected readonly page: CompanionPage
    ) {}

    /**
     * It has left a call unanswered, and nothing has come from it since. The connection of a tab that died stays open as long as
     * Theia's `frontendConnectionTimeout` says, which may be for ever.
     */
    get silent(): boolean {
        return this.isSilent;
    }

    /** The number of the newest state that it was sent. */
    get newestState(): number {
        return this.newest;
    }

    /** Something came from it. */
    heard(): void {
        this.setSilent(false);
    }

    /** @returns whether this page is there */
    async isAlive(): Promise<boolean> {
        return (await this.ask(PAGE_TIMEOUTS.ping, this.page.ping())) === this.loadId;
    }

    /**
     * @param text sent along if it is short
     * @returns `undefined` if no answer came, or one that makes no sense
     */
    async show(review: ReviewInfo, text?: string): Promise<ShowReviewResult | undefined> {
        this.lastSent = undefined;
        const answer = await this.ask(PAGE_TIMEOUTS.show, this.page.showReview(review, text));
        return (await loadPayloads()).showResult.safeParse(answer).data;
    }

    /** @returns `undefined` if no answer came, or one that makes no sense */
    async close(reviewId: string): Promise<ShownText | undefined> {
        const answer = await this.ask(PAGE_TIMEOUTS.close, this.page.closeReview(reviewId));
        return (await loadPayloads()).shownText.safeParse(answer).data;
    }

    /** The state is the answer to one of its calls. */
    answer(state: WindowState): WindowState {
        this.newest = state.sequence;
        this.lastSent = undefined;
        return state;
    }

    /** Sends a state for all changes of a moment: each of twenty proposals would disturb the page that opens the first. */
    tellSoon(describe: () => WindowState | undefined): void {
        this.telling ??= setTimeout(() => {
            this.telling = undefined;
            const state = describe();
            if (state) {
                this.tell(state);
            }
        }, MOMENT).unref();
    }

    /** Sends the state if it differs from what was sent last. */
    tell(state: WindowState): void {
        const { sequence, ...content } = state;
        const key = JSON.stringify(content);
        if (key !== this.lastSent) {
            this.lastSent = key;
            this.newest = sequence;
            // Theia's proxy answers with a promise all the same. It rejects if the socket is down and its buffer is full.
            Promise.resolve<unknown>(this.page.notifyState(state)).catch(() => undefined);
        }
    }

    protected ask<T>(limit: number, call: Promise<T>): Promise<T | undefined> {
        // Also if it comes late: the page was only busy.
        call.then(
            () => this.heard(),
            () => undefined
        );
        return answerWithin(limit, call, () => this.setSilent(true));
    }

    protected setSilent(silent: boolean): void {
        if (this.isSilent !== silent) {
            this.isSilent = silent;
            this.onDidChangeSilenceEmitter.fire();
        }
    }
}
