// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { PageAgents } from '../agents/page-agents';
import { CompanionCommands } from '../companion-commands';
import { companionName } from '../companion-name';
import { CompanionProblem } from '../../common/companion-problem';
import { ContributionGuard } from '../../common/contribution-guard';
import { ContextFilter } from '../context/context-filter';
import { ContextTracker } from '../context/context-tracker';
import { KeptEdits } from '../review/kept-edits';
import { PageReviews } from '../review/page-reviews';
import { ReviewEditors } from '../review/review-editors';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { DiagnosedFixes } from './diagnosed-fixes';
import { StatusActions } from './status-actions';
import { StatusPick } from './status-pick';
import { SharingState, StatusFacts, StatusSections } from './status-sections';
import { describeStatus, StatusView } from './status-text';

const STATUS_ELEMENT = 'companion-status';

/** The companion's element in the status bar, and the list that opens from it. Every problem is shown here and nowhere else. */
@injectable()
export class CompanionStatusContribution implements FrontendApplicationContribution, CommandContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(ContextTracker)
    protected readonly tracker: ContextTracker;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(KeptEdits)
    protected readonly keptEdits: KeptEdits;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(StatusActions)
    protected readonly actions: StatusActions;
    @inject(ContributionGuard)
    protected readonly guard: ContributionGuard;
    @inject(DiagnosedFixes)
    protected readonly fixes: DiagnosedFixes;
    @inject(StatusPick)
    protected readonly pick: StatusPick;

    protected sections: StatusSections;
    protected shown: StatusView | undefined;
    protected wasReloadOffered = false;
    protected readonly toDispose = new DisposableCollection();

    @postConstruct()
    protected init(): void {
        this.sections = new StatusSections(this.paths, this.actions);
    }

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.update()),
            this.editors.onDidCompare(() => this.update()),
            this.agents.onDidChange(() => this.update()),
            this.fixes.onDidChange(() => this.update()),
            this.filter.onDidChange(() => this.update()),
            this.tracker.onDidChange(() => this.update())
        ]);
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        const openPreferences = CommonCommands.OPEN_PREFERENCES.id;
        const hasPreferences = (): boolean => commands.getCommand(openPreferences) !== undefined;
        commands.registerCommand(CompanionCommands.OPEN_SETTINGS, {
            isEnabled: hasPreferences,
            isVisible: hasPreferences,
            execute: () => commands.executeCommand(openPreferences, 'companion.')
        });
        commands.registerCommand(CompanionCommands.SHOW_STATUS, {
            execute: () => {
                // The backend looks whether the files have what was kept.
                this.connection.refresh();
                this.pick.show(this.sections.of(this.facts));
            }
        });
    }

    protected get facts(): StatusFacts {
        const { connection, sharing } = this;
        const failures = this.guard.failures.map((cause): CompanionProblem => ({ code: 'part-failed', cause }));
        const problems = [...failures, ...(this.filter.problems ?? [])];
        // The page receives its reviews only when Theia has restored the layout. Until then, the backend's state counts.
        const reviews = (connection.state?.reviews ?? []).filter(({ id }) => this.reviews.get(id)?.isWaiting !== false);
        const agents = this.agents.all.map(({ status }) => status);
        const changesOf = (id: string): string => this.editors.editorsOf(id)[0]?.changesText ?? '';
        const fixes = this.fixes.all;
        return { connection, reviews, changesOf, agents, edits: this.keptEdits.all, sharing, problems, fixes, now: Date.now() };
    }

    protected get sharing(): SharingState {
        const files = this.tracker.shared.workspaceState?.openFiles ?? [];
        const { sharing: on, paused = false, setPaused, setSharing } = this.filter;
        return {
            on,
            paused,
            canPause: setPaused !== undefined,
            canToggle: (setPaused ?? setSharing) !== undefined,
            files: files.length,
            selected: files.find(({ isActive }) => isActive)?.selectedText?.length ?? 0,
            withheld: this.tracker.withheld
        };
    }

    protected update(): void {
        const { facts } = this;
        if (facts.connection.reloadNeeded && !this.wasReloadOffered) {
            this.wasReloadOffered = true;
            void this.actions.offerReload();
        }
        const sections = this.sections.of(facts);
        this.pick.refresh(sections);
        const view = describeStatus(facts, sections);
        // The cursor moves often.
        if (JSON.stringify(view) === JSON.stringify(this.shown)) {
            return;
        }
        this.shown = view;
        const { text, tooltip, label, isProblem } = view;
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text,
            tooltip: asElement(tooltip),
            name: companionName(),
            accessibilityInformation: { label, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            priority: 100,
            className: isProblem ? 'companion-status-problem' : undefined,
            command: CompanionCommands.SHOW_STATUS.id
        });
    }
}

/** One line for each sentence. */
function asElement(sentences: readonly string[]): HTMLElement {
    const element = document.createElement('div');
    for (const sentence of sentences) {
        const line = document.createElement('div');
        line.textContent = sentence;
        element.append(line);
    }
    return element;
}
