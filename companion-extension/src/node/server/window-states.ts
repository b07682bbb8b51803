// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CompanionStatus, WindowState } from '../../common/companion-protocol';
import { CompanionFolder } from '../discovery/companion-folder';
import { CliSessions } from './cli-sessions';
import { ConnectedPage } from './connected-page';
import { Window } from './window';
import { WindowFeature } from './window-feature';
import { Windows } from './windows';

/** Tells every page the state of its window, which is put together from those of the features. */
@injectable()
export class WindowStates {
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(ContributionProvider)
    @named(WindowFeature)
    protected readonly features: ContributionProvider<WindowFeature>;
    @inject(CompanionFolder)
    protected readonly folder: Pick<CompanionFolder, 'installation'>;

    protected sequence = 0;
    protected installationId = '';
    protected isScheduled = false;
    protected isStopped = false;

    @postConstruct()
    protected init(): void {
        this.features.getContributions().forEach(feature => feature.onDidChange(() => this.refreshSoon()));
    }

    /** Pages may be told of their installation from then on. Never rejects. */
    async prepare(): Promise<void> {
        this.installationId = await this.folder.installation();
    }

    of(window: Window): WindowState {
        const parts = this.features.getContributions().map(feature => feature.stateOf(window));
        const status: CompanionStatus = {
            state: window.server ? 'ready' : window.enabled ? 'failed' : 'disabled',
            problems: [],
            clis: [],
            connections: [],
            ...Object.assign({}, ...parts.map(part => part.status))
        };
        const empty = { reviews: [], keptEdits: [], accepted: [], agents: [], changes: { version: 0, count: 0 } };
        return {
            ...empty,
            ...Object.assign({}, ...parts),
            windowId: window.id,
            sequence: ++this.sequence,
            installation: this.installationId,
            status,
            ...(window.log.newest > 0 ? { logged: window.log.newest } : {})
        };
    }

    /** The state of the window, as the answer to a call of its page. */
    answer(window: Window, page: ConnectedPage): WindowState {
        const state = this.of(window);
        page.noteAnswer(state);
        return state;
    }

    /** @param sequence of the newest state that the page has. @returns the window's state if the page does not have it */
    missed(window: Window, page: ConnectedPage, sequence: number): WindowState | undefined {
        return page.newestState === sequence ? undefined : this.answer(window, page);
    }

    /** The window has a server. Nobody can find it yet. */
    serve(window: Window, sessions: CliSessions): void {
        this.features.getContributions().forEach(feature => feature.serve?.(window, sessions));
    }

    /** The window's page has said hello. */
    greet(window: Window): void {
        this.features.getContributions().forEach(feature => feature.greet?.(window));
    }

    /** The window's page wants what is true now: see {@link WindowFeature.lookFor}. */
    lookFor(window: Window): void {
        this.features.getContributions().forEach(feature => feature.lookFor?.(window));
    }

    refreshSoon(): void {
        if (!this.isScheduled) {
            this.isScheduled = true;
            setImmediate(() => {
                this.isScheduled = false;
                this.refresh();
            });
        }
    }

    /** Sends every page its newest state. */
    refresh(): void {
        if (this.isStopped) {
            // A page would take the end of the IDE for a failure.
            return;
        }
        this.windows.forgetNames(this.features.getContributions().flatMap(feature => feature.namedSessions?.() ?? []));
        this.features.getContributions().forEach(feature => feature.followWindows?.());
        const describe = (window?: Window): WindowState | undefined => window && this.of(window);
        // By then the page may have lost this window to another one.
        this.windows.all().forEach(({ page }) => page?.tellSoon(() => describe(this.windows.of(page))));
    }

    /** No page is told anything from now on. */
    leave(): void {
        this.isStopped = true;
    }

    /** When it resolves, or rejects, all features have ended: the backend does not wait for what is written after that. */
    async stop(): Promise<void> {
        const stopping = this.features.getContributions().map(async feature => feature.stop?.());
        await Promise.allSettled(stopping);
        await Promise.all(stopping);
    }
}
