// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { MessageService } from '@theia/core/lib/common/message-service';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { expect } from 'chai';
import { AgentTurn, ChangedFile, ChangesBackend, TurnUndoFile, UndoResult } from '../../common/changes/changes-protocol';
import { TestDialog } from '../test/dialog';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { ChangeOffer } from './change-offer';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { ChangeOutcomes } from './change-outcomes';
import { PageChanges } from './page-changes';
import { TurnContribution } from './turn-contribution';
import { UndoMoment, UndoTime } from './undo-time';

const { UNDO_TURN, UNDO_TO_TURN } = CHANGE_COMMANDS;

describe('Turns that a user takes back', () => {
    let registries: FakeRegistries;
    let turns: AgentTurn[];
    let plan: TurnUndoFile[] | undefined;
    let happened: string[];
    let labels: string[];
    let moment: UndoMoment | undefined;

    before(() => TestDialog.enable());

    beforeEach(() => {
        registries = new FakeRegistries();
        turns = ['new', 'old'].map((id, index) => ({ id, startedAt: 1_000_000 - index, agents: ['Claude Code'], files: 2 }));
        plan = [
            { uri: 'file:///ws/src/a.ts', version: 1, left: 'undone' },
            { uri: 'file:///ws/b.ts', version: 2, left: 'partly' },
            { uri: 'file:///ws/c.ts', version: 3, left: 'stays' }
        ];
        happened = [];
        moment = 'now';
        const services = new FakeServices();
        services.bind(PageChanges, {
            get list() {
                return { turns };
            }
        });
        services.bind(ChangesBackend, {
            planTurnUndo: async (turn: string, andLater: boolean) => {
                happened.push(`plan ${turn} ${andLater}`);
                return plan;
            },
            undoTurn: async (turn: string, andLater: boolean, files: ChangedFile[]): Promise<UndoResult> => {
                happened.push(`undo ${turn} ${andLater} ${files.map(({ uri, version }) => `${uri.slice(-4)}:${version}`).join()}`);
                return { done: files.map(({ uri }) => uri), left: [] };
            }
        });
        services.bind(CompanionConnection, { ask: (call: () => Promise<unknown>) => call() });
        services.bind(ChangeOutcomes, { doneOf: async (act: () => Promise<UndoResult>) => (await act()).done });
        services.bind(UndoTime, {
            comes: async ([{ authors }]: Array<{ authors: string[] }>) => {
                happened.push(...(moment === 'now' ? [] : [`asked about ${authors.join()}`]));
                return moment;
            }
        });
        services.bind(ChangeOffer, {
            tellUndone: (files: Array<{ uri: string; authors: string[] }>) =>
                happened.push(`told ${files.map(({ uri, authors }) => `${uri.slice(-4)} ${authors.join()}`).join(', ')}`)
        });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(QuickPickService, {
            show: async (items: Array<{ label: string; turn: AgentTurn }>) => {
                happened.push(`picked of ${items.length}`);
                labels = items.map(({ label }) => label);
                return items[1];
            }
        });
        services.bind(MessageService, { info: (text: string) => void happened.push(text) });
        services.bindReal(TurnContribution);
        services.get(TurnContribution).registerCommands(registries.commands);
    });

    it('are shown file by file before the user is asked; then it is said what stays, and the CLI can be told', async () => {
        const running = registries.execute(UNDO_TURN.id, turns[0]);
        const text = await TestDialog.answer('Undo This Turn');
        await running;
        expect(text).to.contain('src/a.ts').and.contain('b.ts, lines that were changed since stay');
        expect(text).to.contain('c.ts, stays, because it was changed since').and.contain('Put Back reverses');
        expect(happened).to.deep.equal([
            'plan new false',
            'undo new false a.ts:1,b.ts:2',
            'Lines that were changed since stay: b.ts',
            'told a.ts Claude Code, b.ts Claude Code'
        ]);
    });

    it('stay if the user says no, and if there is nothing to take back', async () => {
        const running = registries.execute(UNDO_TO_TURN.id, turns[0]);
        await TestDialog.answer('Cancel');
        await running;
        plan = undefined;
        await registries.execute(UNDO_TURN.id, turns[0]);
        expect(happened).to.deep.equal([
            'plan new true',
            'told ',
            'plan new false',
            'Nothing can be undone: all of this turn was changed since.',
            'told '
        ]);
    });

    it('are picked where no row names one, unless there is only one', async () => {
        const running = registries.execute(UNDO_TO_TURN.id);
        await TestDialog.answer('Undo to Before This Turn');
        await running;
        expect(happened.slice(0, 3)).to.deep.equal(['picked of 2', 'plan old true', 'undo old true a.ts:1,b.ts:2']);
        turns = turns.slice(0, 1);
        happened = [];
        const again = registries.execute(UNDO_TURN.id);
        await TestDialog.answer('Cancel');
        await again;
        expect(happened[0]).to.equal('plan new false');
        turns = [];
        expect(registries.isEnabled(UNDO_TURN.id)).to.equal(false);
        expect(registries.handlers.get(UNDO_TURN.id)?.isVisible?.({ uri: 'file:///ws/a.ts', version: 1 }), 'at a file').to.equal(false);
    });

    it('say that there are files beyond those that are known, of one of them or a later one', async () => {
        const asked = async (command: string): Promise<string> => {
            const running = registries.execute(command, turns[1]);
            const text = await TestDialog.answer('Cancel');
            await running;
            return text;
        };
        turns[0] = { ...turns[0], isCut: true };
        expect(await asked(UNDO_TURN.id)).not.to.contain('more than 500 times');
        expect(await asked(UNDO_TO_TURN.id)).to.contain(
            'A turn changed files more than 500 times. What came after that is not known, and stays as it is.'
        );
    });

    it('wait until an agent of theirs stops, if the user says so; the offer to tell counts all agents of what goes', async () => {
        turns[0] = { ...turns[0], agents: ['Qwen Code'] };
        moment = undefined;
        await registries.execute(UNDO_TURN.id, turns[1]);
        expect(happened).to.deep.equal(['asked about Claude Code']);
        moment = 'later';
        const running = registries.execute(UNDO_TO_TURN.id, turns[1]);
        await TestDialog.answer('Undo to Before This Turn');
        await running;
        expect(happened.slice(1, 3)).to.deep.equal(['asked about Claude Code,Qwen Code', 'plan old true']);
        expect(happened.at(-1)).to.equal('told a.ts Claude Code,Qwen Code, b.ts Claude Code,Qwen Code');
    });

    it('have no icon of an agent in the list', async () => {
        turns[0] = { ...turns[0], prompt: '$(check) all kept\u202e' };
        const running = registries.execute(UNDO_TURN.id);
        await TestDialog.answer('Cancel');
        await running;
        expect(labels[0]).to.contain('$\u200b(check) all kept[U+202E]');
    });
});
