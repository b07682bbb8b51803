// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { Draft, DraftRef, PROPOSAL, ReviewContent } from '../../common/companion-protocol';
import { EditableText, ProposalEditor, ProposalText } from './proposal-text';

/** The right side of a diff with a user. */
class Editor implements ProposalEditor {
    edited = false;
    text = 'proposal';

    constructor(readonly draft: DraftRef = PROPOSAL) {}

    get length(): number {
        return this.text.length;
    }

    show({ text, edited }: EditableText): void {
        Object.assign(this, { text, edited });
    }
}

describe('ProposalText', () => {
    const ABOUT = { uri: 'file:///ws/a.txt', cliName: 'Qwen Code' };
    const THEIRS: DraftRef = { id: 'theirs', revision: 7 };
    let clock: SinonFakeTimers;
    let editor: Editor;
    let online: boolean;
    /** What the backend has, by the drafts' ids; the newest is `newest`. */
    let drafts: Map<string, string>;
    let newest: DraftRef;
    let sent: Partial<Draft>[];
    let text: ProposalText;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        online = true;
        drafts = new Map();
        newest = PROPOSAL;
        sent = [];
        let ids = 0;
        text = new ProposalText({
            about: ABOUT,
            newId: () => `mine-${++ids}`,
            read: async () => ({
                review: { draft: newest } as ReviewContent['review'],
                text: drafts.get(newest.id) ?? 'proposal',
                edited: newest.id !== ''
            }),
            readDraft: async id => drafts.get(id),
            send: async draft => {
                if (!online) {
                    throw new Error('The socket is down');
                }
                expect(draft.about).to.equal(ABOUT);
                const { id, revision, text: typed, from } = draft;
                sent.push({ id, revision, ...(typed !== undefined && { text: typed }), ...(from && { from }) });
                drafts.set(draft.id, draft.text ?? 'proposal');
                newest = { id: draft.id, revision: draft.revision };
            },
            sent: () => undefined
        });
        editor = new Editor();
        text.attach(editor);
    });
    afterEach(() => clock.restore());

    function type(value: string, view = editor): void {
        view.show({ text: value, edited: value !== 'proposal' });
        text.changed();
    }

    async function pause(ms = 1_000): Promise<void> {
        clock.tick(ms);
        await new Promise(resolve => setImmediate(resolve));
    }

    /** Another page has typed. */
    function theyType(value: string, draft = THEIRS): void {
        drafts.set(draft.id, value);
        newest = draft;
    }

    it('sends what is typed as one draft, whose revisions grow', async () => {
        type('a');
        type('ab');
        await pause();
        type('abc');
        await pause();
        expect(sent).to.deep.equal([
            { id: 'mine-1', revision: 2, text: 'ab' },
            { id: 'mine-1', revision: 3, text: 'abc' }
        ]);
    });

    it('says that every edit was taken back', async () => {
        type('a');
        await pause();
        type('proposal');
        expect(text.seen).to.deep.equal({ draft: PROPOSAL });
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 2 });
    });

    it('names exactly what the user sees, with the text where the backend may not have it', async () => {
        expect(text.seen).to.deep.equal({ draft: PROPOSAL });
        type('a');
        expect(text.seen).to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'a' });
        await pause();
        expect(text.seen).to.deep.equal({ draft: { id: 'mine-1', revision: 1 } });
        expect(text.seenText).to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'a' });
        text.detach();
        expect(text.seenText, 'also when the editor is closed').to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'a' });
    });

    it('sends what was typed offline when it is online again, also where the editor is closed', async () => {
        online = false;
        type('offline');
        await pause();
        text.detach();
        online = true;
        text.flush();
        await pause(0);
        expect(sent).to.deep.equal([{ id: 'mine-1', revision: 1, text: 'offline' }]);
        expect(text.unsent).to.equal(false);
    });

    it('shows what was typed on another page meanwhile; what is typed then begins a draft that continues it', async () => {
        theyType('theirs');
        await text.compare([THEIRS]);
        expect(editor.text).to.equal('theirs');
        expect(text.seen).to.deep.equal({ draft: THEIRS });
        type('theirs and mine');
        await pause();
        expect(sent).to.deep.equal([{ id: 'mine-1', revision: 1, text: 'theirs and mine', from: THEIRS }]);
    });

    it('keeps on the screen what was typed here and has not arrived', async () => {
        online = false;
        type('mine');
        theyType('theirs');
        await text.compare([THEIRS]);
        expect(editor.text).to.equal('mine');
        online = true;
        text.flush();
        await pause(0);
        expect(sent, 'it continues the proposal: theirs stays beside it').to.deep.equal([{ id: 'mine-1', revision: 1, text: 'mine' }]);
        await text.compare([THEIRS, newest]);
        expect(editor.text).to.equal('mine');
    });

    it('shows another draft and the own one again; each stays as it is, and goes on where it is typed in', async () => {
        type('mine');
        await pause();
        theyType('theirs');
        const mine = { id: 'mine-1', revision: 1 };
        expect(text.otherOf([mine, THEIRS])).to.deep.equal(THEIRS);
        await text.showDraft(THEIRS);
        expect([editor.text, text.seen]).to.deep.equal(['theirs', { draft: THEIRS }]);
        await text.showDraft(mine);
        type('mine again');
        await text.compare([mine, THEIRS]);
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 2, text: 'mine again' });
        await text.showDraft(THEIRS);
        type('theirs and mine');
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-2', revision: 1, text: 'theirs and mine', from: THEIRS });
    });

    it('does not leave a text that has not arrived for another one', async () => {
        online = false;
        type('mine');
        theyType('theirs');
        await text.showDraft(THEIRS);
        expect(editor.text).to.equal('mine');
    });

    it('goes on in the next editor with what was typed here, where the backend had less when it was read', async () => {
        type('mine');
        await pause();
        type('mine, and more');
        text.detach();
        const again = new Editor({ id: 'mine-1', revision: 1 });
        again.show({ text: 'mine', edited: true });
        text.attach(again);
        expect(again.text).to.equal('mine, and more');
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 2, text: 'mine, and more' });
    });

    it('shows in the next editor what another page has made of it', async () => {
        type('mine');
        await pause();
        text.detach();
        const again = new Editor(THEIRS);
        again.show({ text: 'theirs', edited: true });
        text.attach(again);
        expect(again.text).to.equal('theirs');
        expect(text.seen).to.deep.equal({ draft: THEIRS });
    });
});
