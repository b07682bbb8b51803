// SPDX-License-Identifier: Apache-2.0

import { ConfirmDialog } from '@theia/core/lib/browser';
import { Command, CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { AgentTurn, ChangesBackend, TurnUndoFile } from '../../common/changes/changes-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { joinClauses, listOf, noAnswerText } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { turnLabel } from './change-groups';
import { ChangeOffer } from './change-offer';
import { ChangeOutcomes } from './change-outcomes';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { CHANGES_CONTEXT_MENU } from './changes-view';
import { CHANGES_LIMIT_MS, PageChanges } from './page-changes';
import { UndoTime } from './undo-time';

/** So many files are named before the user is asked. */
const NAMED_FILES = 50;
const MESSAGE_TIME_MS = 8_000;

/** Takes back what agents did in a turn, or since before one. */
@injectable()
export class TurnContribution implements CommandContribution, MenuContribution {
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(ChangesBackend)
    protected readonly backend: Pick<ChangesBackend, 'planTurnUndo' | 'undoTurn'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ChangeOutcomes)
    protected readonly outcomes: Pick<ChangeOutcomes, 'doneOf'>;
    @inject(UndoTime)
    protected readonly undoTime: Pick<UndoTime, 'comes'>;
    @inject(ChangeOffer)
    protected readonly offer: ChangeOffer;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;
    @inject(QuickPickService)
    protected readonly quickPick: Pick<QuickPickService, 'show'>;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        const register = (command: Command, andLater: boolean): void => {
            commands.registerCommand(command, {
                // In the menu of a row that is no turn it has no place.
                isVisible: (of?: unknown) => typeof of !== 'object' || isTurn(of),
                isEnabled: () => this.changes.list.turns.length > 0 && this.changes.files.some(({ canUndo }) => canUndo),
                execute: async (of?: unknown) => {
                    const turn = isTurn(of) ? of : await this.pick(command);
                    if (turn) {
                        await this.undo(turn, andLater, command);
                    }
                }
            });
        };
        register(CHANGE_COMMANDS.UNDO_TURN, false);
        register(CHANGE_COMMANDS.UNDO_TO_TURN, true);
    }

    registerMenus(menus: MenuModelRegistry): void {
        const { UNDO_TURN, UNDO_TO_TURN } = CHANGE_COMMANDS;
        [UNDO_TURN, UNDO_TO_TURN].forEach(({ id, label }, index) =>
            menus.registerMenuAction([...CHANGES_CONTEXT_MENU, 'turn'], { commandId: id, label, order: String(index) })
        );
    }

    /** The only one, or that which the user picks. */
    protected async pick({ label = '' }: Command): Promise<AgentTurn | undefined> {
        const { turns } = this.changes.list;
        const items = turns.map(turn => ({ label: withoutIcons(turnLabel(turn)), turn }));
        return turns.length > 1 ? (await this.quickPick.show(items, { placeholder: label }))?.turn : turns[0];
    }

    /** @param andLater what later turns did, too */
    protected async undo(turn: AgentTurn, andLater: boolean, command: Command): Promise<void> {
        const later = andLater ? this.changes.list.turns.filter(({ startedAt }) => startedAt > turn.startedAt) : [];
        const authors = [...new Set([turn, ...later].flatMap(({ agents }) => agents))];
        const isCut = [turn, ...later].some(each => each.isCut);
        if (!(await this.undoTime.comes([{ authors }]))) {
            return;
        }
        let plan: readonly TurnUndoFile[] = [];
        const done = await this.outcomes.doneOf(async () => {
            plan = (await this.ask(() => this.backend.planTurnUndo(turn.id, andLater))) ?? [];
            const files = plan.filter(({ left }) => left !== 'stays').map(({ uri, version }) => ({ uri, version }));
            if (files.length === 0) {
                this.say(
                    nls.localize('theia/cli-companion/changes/noneOfTurn', 'Nothing can be undone: all of this turn was changed since.')
                );
            }
            return files.length > 0 && (await this.confirm(plan, isCut, command))
                ? this.ask(() => this.backend.undoTurn(turn.id, andLater, files))
                : { done: [], left: [] };
        });
        const partly = plan.filter(({ uri, left }) => left === 'partly' && done.includes(uri)).map(({ uri }) => new URI(uri).path.base);
        if (partly.length > 0) {
            this.say(nls.localize('theia/cli-companion/changes/partly', 'Lines that were changed since stay: {0}', listOf(partly)));
        }
        this.offer.tellUndone(done.map(uri => ({ uri, authors })));
    }

    protected async confirm(plan: readonly TurnUndoFile[], isCut: boolean, { label = '' }: Command): Promise<boolean> {
        const msg = document.createElement('div');
        const list = msg.appendChild(document.createElement('ul'));
        list.className = 'companion-turn-files';
        const lines = plan.slice(0, NAMED_FILES).map(file => this.describe(file));
        const more = plan.length - lines.length;
        if (more > 0) {
            lines.push(nls.localize('theia/cli-companion/changes/others', '{0} more', more));
        }
        lines.forEach(text => (list.appendChild(document.createElement('li')).textContent = text));
        const cut = nls.localize(
            'theia/cli-companion/changes/turnCut',
            'A turn changed files more than 500 times. What came after that is not known, and stays as it is.'
        );
        const kept = nls.localize('theia/cli-companion/changes/turnKept', 'All other lines stay. Put Back reverses the undo.');
        [...(isCut ? [cut] : []), kept].forEach(text => (msg.appendChild(document.createElement('div')).textContent = text));
        return (await new ConfirmDialog({ title: label, msg, ok: label }).open()) === true;
    }

    protected describe({ uri, left }: TurnUndoFile): string {
        const name = visibleText(this.paths.display(new URI(uri).path.fsPath()));
        switch (left) {
            case 'undone':
                return name;
            case 'partly':
                return joinClauses([name, nls.localize('theia/cli-companion/changes/willBePartly', 'lines that were changed since stay')]);
            case 'stays':
                return joinClauses([name, nls.localize('theia/cli-companion/changes/willStay', 'stays, because it was changed since')]);
        }
    }

    protected say(text: string): void {
        this.messages.info(plainText(text), { timeout: MESSAGE_TIME_MS });
    }

    protected ask<T>(call: () => Promise<T>): Promise<T> {
        return this.connection.ask(call, CHANGES_LIMIT_MS, noAnswerText());
    }
}

function isTurn(value: unknown): value is AgentTurn {
    return typeof value === 'object' && value !== null && 'startedAt' in value && 'agents' in value;
}
