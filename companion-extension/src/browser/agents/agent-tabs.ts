// SPDX-License-Identifier: Apache-2.0

import { animationFrame, codicon, FrontendApplicationContribution } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { guessShellTypeFromExecutable } from '@theia/terminal/lib/common/shell-type';
import { AgentStatus } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { describeAgent, describeState } from './agent-words';
import { PageAgents, PageAgentStatus } from './page-agents';

const MARK = 'companion-agent';
const MARK_WORDS = '--companion-agent-words';

/** Shows on the tabs of terminals what the programs in them do, with a mark, which screen readers have words for, and in the tooltip, and names the CLIs that were started by hand. */
@injectable()
export class AgentTabs implements FrontendApplicationContribution {
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(TerminalService)
    protected readonly terminals: TerminalService;

    /** The icons before, of those that have a CLI's name and icon now. */
    protected readonly renamed = new WeakMap<TerminalWidget, string>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.agents.onDidChange(() => this.terminals.all.forEach(widget => this.paint(widget))),
            // A program may change the title of its terminal at any time.
            this.terminals.onDidCreateTerminal(widget => void widget.title.changed.connect(() => this.paint(widget)))
        ]);
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** Writes only what differs, because each change comes back here. */
    protected paint(widget: TerminalWidget): void {
        const { title } = widget;
        const status = this.agents.statusOf(widget);
        this.rename(widget, status);
        const others = title.className.split(' ').filter(name => name !== '' && !name.startsWith(MARK));
        const mark = status?.isQuiet ? 'quiet' : status?.state;
        const marks = mark && mark !== 'idle' ? [MARK, `${MARK}-${mark}`] : [];
        title.className = [...others, ...marks].join(' ');
        title.caption = status ? visibleText(describeAgent(status)) : title.label;
        void this.describeMark(widget, marks.length > 0 ? status : undefined);
    }

    /**
     * For screen readers, as the words for the sign of the mark (companion.css): Theia's tabs (1.74) have no role, so that a label of the tab
     * itself is in no accessibility tree. Theia draws a new tab with the next frame, and keeps a property that it does not know.
     */
    protected async describeMark(widget: TerminalWidget, marked: PageAgentStatus | undefined): Promise<void> {
        await animationFrame();
        const words = marked ? JSON.stringify(visibleText(`${describeState(marked)}:`)) : '';
        document.getElementById(`shell-tab-${widget.id}`)?.style.setProperty(MARK_WORDS, words);
    }

    /** The CLIs give their terminals other titles, some of them of one character. */
    protected rename(widget: TerminalWidget, status: AgentStatus | undefined): void {
        if (!(widget instanceof TerminalWidgetImpl) || !widget.options.useServerTitle) {
            return;
        }
        const icon = this.renamed.get(widget);
        if (status?.cliId !== undefined && status.name !== undefined && !widget.hasUserTitle) {
            this.renamed.set(widget, icon ?? widget.title.iconClass);
            widget.title.iconClass = codicon('sparkle');
            widget.title.label = status.name;
        } else if (icon !== undefined) {
            this.renamed.delete(widget);
            widget.title.iconClass = icon;
            void this.nameAfterShell(widget);
        }
    }

    protected async nameAfterShell(widget: TerminalWidgetImpl): Promise<void> {
        const { executable } = await widget.processInfo;
        if (!this.renamed.has(widget) && !widget.hasUserTitle) {
            widget.title.label = guessShellTypeFromExecutable(executable) ?? TerminalWidgetImpl.LABEL;
        }
    }
}
