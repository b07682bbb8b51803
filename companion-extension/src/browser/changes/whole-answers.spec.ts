// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, WidgetManager } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { expect } from 'chai';
import { FileChange } from '../../common/changes/changes-protocol';
import { WaitingReviews } from '../review/waiting-reviews';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { AnswerGuard } from '../window/answer-guard';
import { ChangeDiffs } from './change-diff';
import { ChangeOffer } from './change-offer';
import { ChangeOutcomes } from './change-outcomes';
import { ChangeUndo } from './change-undo';
import { ChangesContribution } from './changes-contribution';
import { PageChanges } from './page-changes';
import { PastDiffs } from './past-diffs';
import { UndoTime } from './undo-time';

const FILE: FileChange = { uri: 'file:///ws/a.txt', kind: 'modified', version: 1, authors: [], changedAt: 0, canUndo: true };

async function refuse(): Promise<never> {
    throw new Error('No answer');
}

describe('Keep and Undo of whole files', () => {
    let change: FileChange;
    /** In the diff in front. */
    let editor: { changesNothing: boolean; changeInView: object | undefined };
    let happened: string[];
    let registries: FakeRegistries;

    beforeEach(() => {
        [change, happened, registries] = [FILE, [], new FakeRegistries()];
        editor = { changesNothing: true, changeInView: undefined };
        const shown = {
            isOnScreen: true,
            shownSince: -Infinity,
            revealChange: () => undefined,
            say: (text: string) => happened.push(text)
        };
        const services = new FakeServices();
        services.bind(WidgetManager, {});
        services.bind(CommandRegistry, {});
        services.bind(ContextKeyService, { createKey: () => undefined });
        services.bind(ApplicationShell, {});
        services.bind(MessageService, { error: (text: string) => happened.push(`error: ${text}`) });
        services.bind(WaitingReviews, { isQuiet: true });
        services.bind(AnswerGuard, { takesAnswer: () => true, recordAnswer: () => undefined, restart: () => undefined });
        services.bind(PastDiffs, {});
        services.bind(UndoTime, { comes: async () => 'now' });
        services.bind(ChangeOffer, { tellUndone: () => undefined });
        services.bind(PageChanges, { files: [FILE], toReview: [FILE], list: { undone: [{}], version: 1, more: 0 } });
        services.bind(ChangeDiffs, {
            find: () => ({ change, editor: { ...shown, ...editor }, widget: {} }),
            filesAfter: () => [],
            isShown: () => false,
            shownIn: () => ({ base: '', text: '' }),
            goOn: async () => undefined,
            leave: async () => undefined
        });
        services.bind(ChangeUndo, {
            isAsShown: async () => true,
            keep: async () => {
                happened.push('kept');
                return 'done';
            },
            undo: async () => {
                happened.push('undone in the editor');
                return 'done';
            },
            undoFiles: async () => {
                happened.push('undone');
                return { done: [FILE.uri], left: [] };
            },
            ...{ keepAll: refuse, countUndoAll: refuse, clearUndone: refuse }
        });
        services.bindReal(ChangeOutcomes);
        services.create(ChangesContribution).registerCommands(registries.commands);
    });

    const run = (id: string): Promise<void> => registries.execute(`companion.changes.${id}`);

    it('is what the keys and the bar do where no line differs: line ends do, or there is no line', async () => {
        await run('keep');
        await run('undo');
        expect(happened).to.deep.equal(['kept', 'undone']);
    });

    it('is not undone where nothing can be put back', async () => {
        change = { ...FILE, canUndo: false };
        await run('undo');
        expect(happened).to.deep.equal(['This file cannot be put back.']);
    });

    it('is what they do to a deleted file, which comes back with its permissions', async () => {
        change = { ...FILE, kind: 'deleted' };
        editor = { changesNothing: false, changeInView: {} };
        await run('undo');
        change = { ...change, canUndo: false };
        await run('undo');
        expect(happened).to.deep.equal(['undone', 'undone in the editor']);
    });

    it('says why nothing was done if the backend refuses, or does not answer', async () => {
        for (const id of ['keepAll', 'undoAll', 'clearUndone']) {
            await run(id);
        }
        expect(happened).to.deep.equal(Array.from({ length: 3 }, () => 'error: No answer'));
    });
});
