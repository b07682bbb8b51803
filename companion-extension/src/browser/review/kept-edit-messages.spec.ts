// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { KeptEdit, KeptReason } from '../../common/companion-protocol';
import { editId } from '../../common/revision';
import { FakeClosableMessages } from '../test/closable-messages';
import { FakeServices } from '../test/fake-services';
import { ClosableMessages } from '../window/closable-messages';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeKeptTime, KeptEditMessages } from './kept-edit-messages';

describe('Messages about edits that are kept', () => {
    let messages: KeptEditMessages;
    let closable: FakeClosableMessages;
    let answered: string[];

    beforeEach(() => {
        window.sessionStorage.clear();
        closable = new FakeClosableMessages();
        answered = [];
        messages = load();
    });

    afterEach(() => window.sessionStorage.clear());

    /** Loads the page. */
    function load(): KeptEditMessages {
        const services = new FakeServices();
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(ClosableMessages, closable);
        return services.create(KeptEditMessages);
    }

    function kept(id: string, changes: Partial<KeptEdit> = {}): KeptEdit {
        return {
            id,
            reviewId: id,
            path: `/ws/${id}`,
            uri: `file:///ws/${id}`,
            cliName: 'Qwen Code',
            reason: 'rejected',
            keptAt: 0,
            daysLeft: 30,
            ...changes
        };
    }

    function update(...edits: KeptEdit[]): void {
        messages.update(edits, ({ id }, answer) => answered.push(`${answer} ${id}`));
    }

    it('each edit is offered once, also after a reload of the page', () => {
        update(kept('a'));
        update(kept('a'));
        messages = load();
        update(kept('a'), kept('b'));
        expect(closable.texts).to.deep.equal([
            'The proposal for a was rejected. Your edits to it are kept.',
            'The proposal for b was rejected. Your edits to it are kept.'
        ]);
    });

    it('a quiet edit, and one that a discard was undone to, is not offered', () => {
        const revision = { page: 'page', n: 1 };
        messages.rememberText({ about: { reviewId: 'a', uri: 'file:///ws/a', cliName: 'Qwen Code' }, revision, base: [], text: '' });
        update(kept(editId('a', revision)), kept('b', { quiet: true }));
        expect(closable.texts).to.deep.equal([]);
    });

    it('the buttons show or discard the edit; a message that is closed decides nothing', async () => {
        update(kept('a'), kept('b'), kept('c'));
        await closable.press(0, 'Show My Edits');
        await closable.press(1, 'Discard');
        await closable.press(2);
        expect(closable.shown[0].buttons).to.deep.equal(['Show My Edits', 'Discard']);
        expect(answered).to.deep.equal(['show a', 'discard b']);
    });

    it('a message disappears with its edit, and no other does', () => {
        update(kept('a'), kept('b'));
        update(kept('b'));
        expect(closable.shown.map(({ isGone }) => isGone)).to.deep.equal([true, false]);
    });

    it('two edits of one file are told apart by their times', () => {
        const edits = [kept('a', { path: '/ws/same', keptAt: 0 }), kept('b', { path: '/ws/same', keptAt: 86_400_000 })];
        update(...edits);
        expect(closable.texts).to.deep.equal(
            edits.map(edit => `The proposal for same was rejected. Your edits to it are kept. (${describeKeptTime(edit)})`)
        );
    });

    it('a message says why the edit is kept', () => {
        const reasons: KeptReason[] = ['terminal', 'ended', 'stopped', 'replaced', 'notWritten', 'elsewhere', 'late'];
        update(...reasons.map(reason => kept(reason, { reason })));
        expect(closable.texts).to.deep.equal([
            'You answered Qwen Code in its terminal, so your edits to terminal were not used. They are kept here.',
            'Qwen Code ended its proposal for ended without taking your edits. They are kept here.',
            'The IDE was stopped before you answered the proposal for stopped. Your edits to it are kept here.',
            'Qwen Code made a new proposal for replaced. Your edits to the previous one are kept here.',
            'Qwen Code has not written your edits to notWritten. They are kept here.',
            'The proposal for elsewhere no longer has what you typed on one of your pages. That text is kept here.',
            'Your last edits to late arrived after the proposal had ended. They are kept here.'
        ]);
    });
});
