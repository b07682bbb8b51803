// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { ConfirmDialog } from '@theia/core/lib/browser/dialogs';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickItem, QuickPickItemOrSeparator } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from '../../common/plain-text';
import { describeProblem, ProblemText } from '../../common/problem-text';
import { CompanionCommands } from '../companion-commands';
import { ContextFilter } from '../context/context-filter';
import { DroppedEditsContribution } from '../review/dropped-edits-contribution';
import { CompanionConnection } from '../window/companion-connection';
import { IdeModeOfferService, OfferDialog } from './ide-mode-offer-service';
import { StatusPick } from './status-pick';
import { describeStatus, listConnections, reloadReason, strandedText } from './status-text';

const STATUS_ELEMENT = 'companion-status';

/** Asks in a dialog. */
@injectable()
export class ConfirmOfferDialog implements OfferDialog {
    confirm(title: string, text: string, ok: string): Promise<boolean | undefined> {
        // The dialog would take a string for Markdown.
        const msg = document.createElement('div');
        msg.textContent = text;
        return new ConfirmDialog({ title, msg, ok }).open();
    }
}

/** The companion's element in the status bar, and the list that opens from it. Every problem is shown here and nowhere else. */
@injectable()
export class CompanionStatusContribution implements FrontendApplicationContribution, CommandContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(StatusPick)
    protected readonly pick: StatusPick;
    @inject(IdeModeOfferService)
    protected readonly offers: IdeModeOfferService;
    @inject(DroppedEditsContribution)
    protected readonly droppedEdits: DroppedEditsContribution;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(WindowService)
    protected readonly windows: WindowService;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.update()),
            this.offers.onDidChange(() => this.update()),
            this.filter.onDidChange(() => this.update()),
            this.connection.onDidHello(() => this.lookForOffers())
        ]);
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.SHOW_STATUS, { execute: () => this.pick.show(() => this.createItems()) });
        commands.registerCommand(CompanionCommands.TOGGLE_SHARING, {
            execute: () => this.toggleSharing(),
            isEnabled: () => this.filter.setSharing !== undefined
        });
    }

    protected async lookForOffers(): Promise<void> {
        await this.appState.reachedState('ready');
        if (this.connection.state?.status.state === 'ready') {
            await this.offers.refresh();
        }
    }

    protected update(): void {
        const { text, tooltip, label, isProblem } = describeStatus({
            state: this.connection.state,
            failure: this.connection.failure,
            reloadNeeded: this.connection.reloadNeeded,
            sharing: this.filter.sharing,
            offers: this.offers.all.map(({ displayName }) => displayName)
        });
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text,
            tooltip,
            name: nls.localize('companion/status/title', 'Companion'),
            accessibilityInformation: { label, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            priority: 100,
            className: isProblem ? 'companion-status-problem' : undefined,
            command: CompanionCommands.SHOW_STATUS.id
        });
    }

    /** What stands below the waiting reviews. */
    protected createItems(): QuickPickItemOrSeparator[] {
        const { state, failure, reloadNeeded } = this.connection;
        const items: QuickPickItemOrSeparator[] = [];
        if (reloadNeeded) {
            items.push({
                label: nls.localize('companion/status/reload', '$(refresh) Reload This Page'),
                detail: reloadReason(),
                // Asks about unsaved text first.
                execute: () => this.windows.reload()
            });
        }
        if (this.droppedEdits.all.length > 0) {
            items.push(
                { type: 'separator', label: nls.localize('companion/status/droppedEdits', 'Your edits that no CLI took') },
                ...this.droppedEdits.all.map(edit => ({
                    label: withoutIcons(edit.path.split(/[\\/]/).pop() || edit.path),
                    description: withoutIcons(edit.cliName),
                    detail: withoutIcons(edit.path),
                    execute: () => void this.droppedEdits.show(edit)
                }))
            );
        }
        items.push({ type: 'separator', label: nls.localize('companion/status/connections', 'Connections') });
        const connections = state?.status.connections ?? [];
        items.push({
            label:
                connections.length > 0
                    ? nls.localize('companion/status/connected', '{0} connected', listConnections(connections))
                    : nls.localize('companion/status/noConnections', 'No CLI is connected')
        });
        const problems = [...(failure === undefined ? [] : [{ what: failure }]), ...(state?.status.problems ?? []).map(describeProblem)];
        items.push(...problems.flatMap(problem => this.problemItems(problem)));
        items.push(...(state?.status.strandedClis ?? []).map(name => ({ label: `$(info) ${withoutIcons(strandedText(name))}` })));
        const settings: QuickPickItemOrSeparator[] = [];
        if (this.filter.setSharing) {
            settings.push({
                label: this.filter.sharing
                    ? nls.localize('companion/status/stopSharing', 'Stop sharing open files and selection')
                    : nls.localize('companion/status/startSharing', 'Share open files and selection'),
                execute: () => void this.toggleSharing()
            });
        }
        settings.push(
            ...this.offers.all.map(offer => ({
                label: nls.localize('companion/offer/pick', 'Turn on IDE mode of {0}…', offer.displayName),
                detail: withoutIcons(offer.path),
                execute: () => void this.offers.confirm(offer)
            }))
        );
        if (settings.length > 0) {
            items.push({ type: 'separator', label: nls.localize('companion/status/settings', 'Settings') }, ...settings);
        }
        return items;
    }

    /** A problem, and below it the command that mends it. A row shows one line, so each row gets as few sentences as possible. */
    protected problemItems({ what, why = '', advice = '', command }: ProblemText): QuickPickItem[] {
        const label = `$(warning) ${withoutIcons(what)}`;
        if (command === undefined) {
            return [{ label, detail: withoutIcons(`${why} ${advice}`) }];
        }
        const copy: QuickPickItem = {
            label: `$(copy) ${withoutIcons(command)}`,
            description: nls.localize('companion/status/copyCommand', 'Copy'),
            detail: withoutIcons(advice),
            execute: () => void this.clipboard.writeText(command)
        };
        return [{ label, detail: withoutIcons(why) }, copy];
    }

    protected async toggleSharing(): Promise<void> {
        await this.filter.setSharing?.(!this.filter.sharing);
    }
}
