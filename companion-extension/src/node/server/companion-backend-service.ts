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
    IdeModeOffer,
    LogLines,
    OfferAnswer,
    ReviewAnswer,
    ReviewContent,
    ReviewEdit,
    ReviewEditAnswer,
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
import { PagePayloads } from './page-payloads';
import { ReviewRouting } from './review-routing';

/** The queue of looks at files in editors that lie in no root and on no remote mount, of every page. */
const OPENED_FILES = 'files outside the workspace';

/** How long a page may take to answer, in milliseconds. */
const PAGE_TIMEOUTS = { ping: 1_000, show: 2_000, close: 1_000 } as const;

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
    protected connected: ConnectedPage | undefined;

    setPage(page: CompanionPage): void {
        this.page = page;
    }

    async hello(window: WindowSnapshot): Promise<WindowState> {
        const snapshot = PagePayloads.window.parse(window);
        if (!this.page) {
            throw new Error('The connection is closed');
        }
        this.connected ??= new ConnectedPage(snapshot.loadId, this.page);
        this.connected.heard();
        return this.servers.hello(this.connected, snapshot);
    }

    async updateContext(snapshot: ContextSnapshot): Promise<void> {
        this.servers.updateContext(this.introduced(), PagePayloads.context.parse(snapshot));
    }

    async readToldContexts(): Promise<ToldContext[]> {
        return this.servers.toldContexts(this.introduced());
    }

    async realPath(path: string): Promise<string | undefined> {
        const page = this.introduced();
        const checked = PagePayloads.path.parse(path);
        const queue = queueOf(checked, this.servers.rootOf(page, checked) ?? OPENED_FILES);
        return this.tasks.run(queue, () => realpath(checked)).catch(() => undefined);
    }

    async findCliTerminals(shells: number[]): Promise<CliTerminal[]> {
        const clis = this.servers.connectedClis(this.introduced());
        const candidates = new Set(PagePayloads.shells.parse(shells));
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
        return this.commands.find(PagePayloads.id.parse(cliId));
    }

    async readReview(reviewId: string): Promise<ReviewContent | undefined> {
        return this.reviews.read(this.introduced(), PagePayloads.id.parse(reviewId));
    }

    async acceptReview(reviewId: string, shown: ShownText): Promise<ReviewAnswer> {
        return this.reviews.accept(this.introduced(), PagePayloads.id.parse(reviewId), PagePayloads.shownText.parse(shown));
    }

    async rejectReview(reviewId: string, shown: ShownText): Promise<ReviewAnswer> {
        return this.reviews.reject(this.introduced(), PagePayloads.id.parse(reviewId), PagePayloads.shownText.parse(shown));
    }

    async showReviewHere(reviewId: string): Promise<boolean> {
        return this.reviews.showHere(this.introduced(), PagePayloads.id.parse(reviewId));
    }

    async startReviewEdit(reviewId: string): Promise<void> {
        this.introduced();
        this.reviews.startEdit(PagePayloads.id.parse(reviewId));
    }

    async updateReviewText(reviewId: string, edit: ReviewEdit): Promise<ReviewEditAnswer> {
        return this.reviews.edit(this.introduced(), PagePayloads.id.parse(reviewId), PagePayloads.edit.parse(edit));
    }

    async readDroppedEdit(id: string): Promise<string | undefined> {
        return this.reviews.readDroppedEdit(this.introduced(), PagePayloads.id.parse(id));
    }

    async discardDroppedEdit(id: string): Promise<void> {
        this.reviews.discardDroppedEdit(this.introduced(), PagePayloads.id.parse(id));
    }

    async getIdeModeOffers(): Promise<IdeModeOffer[]> {
        this.introduced();
        return this.offers.all();
    }

    async acceptIdeModeOffer(cliId: string): Promise<Fault | undefined> {
        this.introduced();
        return this.offers.accept(PagePayloads.id.parse(cliId));
    }

    async rememberIdeModeOffer(cliId: string, answer: OfferAnswer): Promise<void> {
        this.introduced();
        await this.offers.remember(PagePayloads.id.parse(cliId), PagePayloads.offerAnswer.parse(answer));
    }

    async diagnose(shell?: number): Promise<Diagnosis> {
        // JSON makes null of an argument that is left out.
        return this.doctor.diagnose(
            await this.servers.doctorWindow(this.introduced()),
            shell == null ? undefined : PagePayloads.shell.parse(shell)
        );
    }

    async readLog(after: number): Promise<LogLines> {
        return this.servers.readLog(this.introduced(), PagePayloads.sequence.parse(after));
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

    protected get reviews(): ReviewRouting {
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
    protected lastSent: string | undefined;

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
        const answer = await this.ask(PAGE_TIMEOUTS.show, this.page.showReview(review, text));
        return PagePayloads.showResult.safeParse(answer).data;
    }

    /**
     * @param textWanted whether the answer is to have the text
     * @returns `undefined` if no answer came, or one that makes no sense
     */
    async close(reviewId: string, textWanted: boolean): Promise<ShownText | undefined> {
        const answer = await this.ask(PAGE_TIMEOUTS.close, this.page.closeReview(reviewId, textWanted));
        return PagePayloads.shownText.safeParse(answer).data;
    }

    /** Sends the state if it differs from what was sent last. */
    tell(state: WindowState): void {
        const { sequence, ...content } = state;
        const key = JSON.stringify(content);
        if (key !== this.lastSent) {
            this.lastSent = key;
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
