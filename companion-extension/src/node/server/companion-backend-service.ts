// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
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
    ShownText,
    ToldContext,
    WindowSnapshot,
    WindowState
} from '../../common/companion-protocol';
import { Diagnosis } from '../../common/diagnosis';
import { IdeModeOffers } from '../discovery/ide-mode-offers';
import { Doctor } from '../doctor/doctor';
import { OneAtATime, queueOf } from '../host/one-at-a-time';
import { ProcessTable } from '../host/process-table';
import { CliCommands } from '../terminal/cli-commands';
import { ConnectedPage } from './connected-page';
import { IdeServers } from './ide-servers';
import { PagePayloads } from './page-payloads';
import { ReviewRouting } from './review-routing';

/** The queue of looks at files in editors that lie in no root and on no remote mount, of every page. */
const OPENED_FILES = 'files outside the workspace';

/**
 * One connection of one page: checks what the page sends and hands it on. Holds no state worth keeping, since Theia
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
