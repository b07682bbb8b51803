// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileChange } from '../../common/changes/changes-protocol';
import { AgentStatus } from '../../common/companion-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { listOf } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { PageChanges } from './page-changes';

/** How long an undo waits for an agent to stop. */
const WAIT_LIMIT_MS = 10 * 60_000;

/** - `later`: the agent worked, and has stopped: it may have changed the files again */
export type UndoMoment = 'now' | 'later';

/** What the user has said about undos while these agents work. It holds until they stop. */
interface Turn {
    readonly shells: ReadonlySet<number>;
    readonly answer: Promise<UndoMoment | undefined>;
}

/** Asks when to undo what an agent has changed that works on: it does not notice an undo, and may write the file again. */
@injectable()
export class UndoTime {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state' | 'onDidChangeState'>;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'look'>;
    @inject(QuickPickService)
    protected readonly quickPick: Pick<QuickPickService, 'show'>;
    @inject(MessageService)
    protected readonly messages: Pick<MessageService, 'info' | 'showProgress'>;

    protected turn: Turn | undefined;

    /** @returns when the time has come to undo these; `undefined` if the user has given it up, or has waited in vain */
    async comes(files: ReadonlyArray<Pick<FileChange, 'authors'>>): Promise<UndoMoment | undefined> {
        const authors = new Set(files.flatMap(file => file.authors));
        const agents = this.working.filter(({ name }) => name !== undefined && authors.has(name));
        if (agents.length === 0) {
            return 'now';
        }
        if (!agents.every(({ shell }) => this.turn?.shells.has(shell))) {
            this.begin(agents);
        }
        return this.turn?.answer;
    }

    protected get working(): AgentStatus[] {
        return (this.connection.state?.agents ?? []).filter(({ state }) => state === 'working');
    }

    protected begin(agents: readonly AgentStatus[]): void {
        const stopped = this.whenStopped(agents);
        const turn: Turn = { shells: new Set(agents.map(({ shell }) => shell)), answer: this.ask(agents, stopped) };
        const forget = (): void => void (this.turn = this.turn === turn ? undefined : this.turn);
        this.turn = turn;
        void stopped.then(forget);
        // Whoever has not decided is asked again.
        void turn.answer.then(moment => moment ?? forget());
    }

    protected async ask(agents: readonly AgentStatus[], stopped: Promise<void>): Promise<UndoMoment | undefined> {
        const names = listOf([...new Set(agents.map(({ name = '' }) => name))]);
        const later = { label: nls.localize('theia/cli-companion/changes/undoLater', 'Undo When It Stops') };
        const now = {
            label: nls.localize('theia/cli-companion/changes/undoNow', 'Undo Now'),
            // Not in the placeholder: a narrow window would cut it.
            detail: nls.localize('theia/cli-companion/changes/undoUnnoticed', 'It does not notice, and may write the file again.')
        };
        const placeholder = nls.localize('theia/cli-companion/changes/undoWhile', '{0} is working. When to undo?', withoutIcons(names));
        const chosen = await this.quickPick.show<{ label: string; detail?: string }>([later, now], { placeholder });
        if (chosen !== later) {
            return chosen && 'now';
        }
        if (!(await this.waitFor(stopped, names))) {
            return undefined;
        }
        await this.changes.look();
        return 'later';
    }

    /** @returns whether they have stopped: in time, and before the user gave it up */
    protected async waitFor(stopped: Promise<void>, names: string): Promise<boolean> {
        const canceled = new Deferred<void>();
        const waits = nls.localize('theia/cli-companion/changes/undoWaits', 'Your undo waits until {0} stops or asks.', names);
        const shown = this.messages.showProgress({ text: plainText(waits), options: { cancelable: true } }, () => canceled.resolve());
        try {
            const ends = [stopped.then(() => true), canceled.promise.then(() => false)];
            return await withTimeLimit(Promise.race(ends), WAIT_LIMIT_MS);
        } catch {
            const inVain = nls.localize(
                'theia/cli-companion/changes/undoInVain',
                '{0} is still working. Nothing was undone: try again when it stops.',
                names
            );
            this.messages.info(plainText(inVain));
            return false;
        } finally {
            void shown.then(progress => progress.cancel());
        }
    }

    /** Resolves once none of them works any more: it waits for its user, is done, or gone. */
    protected whenStopped(agents: readonly AgentStatus[]): Promise<void> {
        return new Promise(resolve => {
            const following = this.connection.onDidChangeState(() => {
                if (!this.working.some(({ shell }) => agents.some(agent => agent.shell === shell))) {
                    following.dispose();
                    resolve();
                }
            });
        });
    }
}
