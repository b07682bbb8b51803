// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { FileChange } from '../../common/changes/changes-protocol';
import { visibleText } from '../../common/visible-text';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { TabMemory } from '../window/tab-memory';
import { describeCount } from './change-words';
import { PageChanges } from './page-changes';

const STORAGE_KEY = 'companion.unaskedTold';
/** What was accepted may have its verdict a moment later. */
const ACCEPT_WAIT_MS = 3_000;
/** A CLI that was answered in its terminal may write, and be heard of, later. */
const PROPOSED_MS = 60_000;
/** So many files are remembered. */
const MAX_PROPOSED = 100;

/**
 * Says that the only agent that runs edits files without a diff: once in a tab for each agent. Tells screen readers after each turn how many
 * files have changed.
 */
@injectable()
export class UnaskedMessages implements FrontendApplicationContribution {
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'accepted' | 'count' | 'files' | 'onDidChange'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'onDidChangeState' | 'state'>;
    @inject(ClosableMessages)
    protected readonly messages: Pick<ClosableMessages, 'show'>;
    @inject(CommandService)
    protected readonly commands: Pick<CommandService, 'executeCommand'>;

    protected readonly told = new Set(TabMemory.readIds(STORAGE_KEY));
    /** The files of agents in the last list; `undefined` before the first one, which is no news. */
    protected listed: ReadonlySet<string> | undefined;
    protected readonly appeared = new Set<string>();
    /** Files for which a proposal waits or has waited, and when that was seen, in milliseconds. The oldest first. */
    protected readonly proposed = new Map<string, number>();
    /** When the last file of an agent was changed, in milliseconds since the epoch. */
    protected changedAt = 0;
    /** That was after the last announcement. */
    protected isUnannounced = false;
    protected waiting: number | undefined;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([this.changes.onDidChange(() => this.update()), this.connection.onDidChangeState(() => this.updateState())]);
    }

    onStop(): void {
        this.toDispose.dispose();
        window.clearTimeout(this.waiting);
    }

    protected updateState(): void {
        for (const { uri } of this.connection.state?.reviews ?? []) {
            this.proposed.delete(uri);
            this.proposed.set(uri, performance.now());
        }
        [...this.proposed.keys()].slice(0, -MAX_PROPOSED).forEach(oldest => this.proposed.delete(oldest));
        this.announce();
    }

    /** Once no agent works any more. */
    protected announce(): void {
        const isWorking = this.connection.state?.agents.some(({ state }) => state === 'working');
        if (this.isUnannounced && !isWorking) {
            this.isUnannounced = false;
            status(describeCount(this.changes.count));
        }
    }

    protected update(): void {
        const { listed } = this;
        // One of a group may become an agent's later: that is when it appears.
        const uris = this.changes.files.flatMap(({ uri, group }) => (group === undefined ? uri : []));
        this.listed = new Set(uris);
        uris.filter(uri => listed && !listed.has(uri)).forEach(uri => this.appeared.add(uri));
        const { changedAt } = this;
        this.changedAt = Math.max(changedAt, ...this.changes.files.flatMap(file => (file.group ? [] : file.changedAt)));
        this.isUnannounced ||= listed !== undefined && this.changedAt > changedAt;
        this.announce();
        if (this.appeared.size > 0) {
            this.waiting ??= window.setTimeout(() => this.tell(), ACCEPT_WAIT_MS);
        }
    }

    protected tell(): void {
        this.waiting = undefined;
        const unasked = this.changes.files.filter(file => this.appeared.has(file.uri) && this.isUnasked(file));
        this.appeared.clear();
        for (const name of new Set(unasked.map(({ authors: [name] }) => name))) {
            if (!this.told.has(name)) {
                this.told.add(name);
                TabMemory.write(STORAGE_KEY, JSON.stringify([...this.told]));
                void this.show(visibleText(name));
            }
        }
    }

    /** A file that was accepted is often formatted afterwards. One of a chat has asked there. */
    protected isUnasked({ uri, authors, group }: FileChange): boolean {
        const { agents = [], status } = this.connection.state ?? {};
        const names = [...agents.map(({ name = '' }) => name), ...(status?.connections ?? []).map(({ displayName }) => displayName)];
        const isAccepted = this.changes.accepted.some(accepted => accepted.uri === uri);
        const isProposed = performance.now() - (this.proposed.get(uri) ?? -Infinity) < PROPOSED_MS;
        return authors.length === 1 && names.includes(authors[0]) && group === undefined && !isAccepted && !isProposed;
    }

    protected async show(name: string): Promise<void> {
        const review = nls.localize('theia/cli-companion/unasked/review', 'Review');
        const how = nls.localize('theia/cli-companion/unasked/how', 'How to Make It Ask');
        const text = nls.localize('theia/cli-companion/unasked/changes', '{0} changes files without a question.', name);
        const answer = await this.messages.show('info', text, review, how).answer;
        if (answer === review) {
            await this.commands.executeCommand(CHANGE_COMMANDS.REVIEW_CHANGES.id);
        } else if (answer === how) {
            this.messages.show(
                'info',
                nls.localize(
                    'theia/cli-companion/unasked/howToAsk',
                    'Press Shift+Tab in the terminal of {0} until it no longer says that it accepts edits by itself. ' +
                        'Claude Code and Qwen Code ask from the beginning if "Run" started them.',
                    name
                )
            );
        }
    }
}
