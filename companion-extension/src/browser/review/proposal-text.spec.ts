// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { PROPOSAL_VERSION, ReviewContent, ReviewEdit, ReviewEditAnswer, ShownText, TextVersion } from '../../common/companion-protocol';
import { EditableText, ProposalEditor, ProposalText } from './proposal-text';

/** The right side of a diff with a user. */
class Editor implements ProposalEditor {
    base: TextVersion = PROPOSAL_VERSION;
    edited = false;
    text = 'proposal';

    get length(): number {
        return this.text.length;
    }

    show({ text, edited }: EditableText, base: TextVersion): void {
        Object.assign(this, { text, edited, base });
    }
}

describe('ProposalText', () => {
    const theirs: TextVersion = { writer: 'device', revision: 7 };
    let clock: SinonFakeTimers;
    let editor: Editor;
    let online: boolean;
    let backend: ReviewContent;
    let sent: ReviewEdit[];
    let events: string[];
    let text: ProposalText;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        editor = new Editor();
        online = true;
        sent = [];
        events = [];
        backendHas('proposal', PROPOSAL_VERSION);
        text = open(editor);
    });
    afterEach(() => clock.restore());

    function open(view: Editor): ProposalText {
        return new ProposalText({
            editor: view,
            loadId: 'desk',
            read: async () => backend,
            send,
            refused: () => events.push('refused'),
            diverged: () => events.push('diverged'),
            done: () => events.push('done')
        });
    }

    function backendHas(value: string, version: TextVersion): void {
        const review = { version } as ReviewContent['review'];
        backend = { review, text: value, edited: value !== 'proposal' };
    }

    /** As the backend takes it: over a text that the page has seen. */
    async function send(edit: ReviewEdit): Promise<ReviewEditAnswer> {
        if (!online) {
            throw new Error('The socket is down');
        }
        const { version } = backend.review;
        const seen = version.writer === 'desk' || (version.writer === edit.base.writer && version.revision === edit.base.revision);
        if (seen) {
            sent.push(edit);
            backendHas(edit.text ?? 'proposal', { writer: 'desk', revision: edit.revision });
        }
        return { result: seen ? 'done' : 'late' };
    }

    function type(value: string): void {
        Object.assign(editor, { text: value, edited: value !== 'proposal' });
        text.changed();
    }

    async function pass(milliseconds: number): Promise<void> {
        clock.tick(milliseconds);
        await new Promise(resolve => setImmediate(resolve));
    }

    function shownAs(value: string): ShownText {
        return value === 'proposal' ? { unedited: true } : { text: value };
    }

    for (const mine of ['proposal', 'typed at the desk']) {
        it(`replaces "${mine}" by what was edited elsewhere, once this page is back`, async () => {
            if (mine !== 'proposal') {
                type(mine);
                await pass(400);
            }
            expect(text.shown).to.deep.equal(shownAs(mine));
            backendHas('typed on the device', theirs);
            await text.compare(theirs);
            expect(text.shown).to.deep.equal({ text: 'typed on the device' });
            expect(text.hasOther).to.equal(false);
            type('both');
            await pass(400);
            expect(backend.text).to.equal('both');
        });
    }

    it('shows the proposal byte for byte again if the edits were taken back elsewhere', async () => {
        type('typed at the desk');
        await pass(400);
        backendHas('proposal', theirs);
        await text.compare(theirs);
        expect(text.shown).to.deep.equal({ unedited: true });
    });

    it('does not replace its own text by an older version of it', async () => {
        type('typed');
        await pass(400);
        type('typed more');
        await text.compare(backend.review.version);
        await text.compare(PROPOSAL_VERSION);
        expect(text.shown).to.deep.equal({ text: 'typed more' });
        expect(events).to.deep.equal([]);
    });

    it('sends what was typed while its answer was under way, and nothing that the answer had', () => {
        type('answered');
        text.answered(text.changeCount);
        text.sendChanges();
        expect(sent).to.be.empty;
        const { changeCount } = text;
        type('answered, and more');
        text.answered(changeCount);
        text.sendChanges();
        expect(sent.map(edit => edit.text)).to.deep.equal(['answered, and more']);
    });

    it('keeps both texts if the user typed here while somebody typed elsewhere', async () => {
        online = false;
        type('typed while the socket was down');
        await pass(400);
        backendHas('typed on the device', theirs);
        online = true;
        await pass(1000);
        expect(backend.text, 'not overwritten unseen').to.equal('typed on the device');
        expect(events).to.deep.equal(['refused']);
        await text.compare(theirs);
        expect(text.shown).to.deep.equal({ text: 'typed while the socket was down' });
        expect(text.hasOther).to.equal(true);
        expect(events).to.deep.equal(['refused', 'diverged']);
        // Not as long as a call may take: nothing is answered while the clock ticks.
        await pass(5_000);
        expect(backend.text).to.equal('typed while the socket was down');
        text.swap();
        expect(text.shown).to.deep.equal({ text: 'typed on the device' });
        // Not as long as a call may take: nothing is answered while the clock ticks.
        await pass(5_000);
        expect(backend.text).to.equal('typed on the device');
        text.swap();
        expect(text.shown).to.deep.equal({ text: 'typed while the socket was down' });
    });

    it('keeps what was typed here while the other text was being read', async () => {
        backendHas('typed on the device', theirs);
        const compared = text.compare(theirs);
        type('typed just now');
        await compared;
        expect(text.shown).to.deep.equal({ text: 'typed just now' });
        expect(text.hasOther).to.equal(true);
    });

    it('is done when its editor is closed and the backend has it', async () => {
        type('typed');
        await pass(400);
        expect(events).to.deep.equal([]);
        text.leave();
        expect(events).to.deep.equal(['done']);
    });

    it('is kept after its editor is closed, until the backend has it', async () => {
        online = false;
        type('typed while the socket was down');
        text.leave();
        // The model is gone.
        editor.show({ text: 'something else', edited: true }, PROPOSAL_VERSION);
        text.flush();
        await pass(400);
        expect(text.shown).to.deep.equal({ text: 'typed while the socket was down' });
        expect(events).to.deep.equal([]);
        online = true;
        // Not as long as a call may take: nothing is answered while the clock ticks.
        await pass(5_000);
        expect(backend.text).to.equal('typed while the socket was down');
        expect(events).to.deep.equal(['done']);
    });

    for (const writer of ['', 'device']) {
        it(`goes on with it in a new editor that read ${writer === '' ? 'the proposal' : 'what was typed elsewhere'} in the meantime`, async () => {
            online = false;
            type('typed while the socket was down');
            text.leave();
            text.dispose();
            online = true;
            if (writer !== '') {
                backendHas('typed on the device', theirs);
            }
            const again = new Editor();
            again.show(backend, backend.review.version);
            const next = open(again);
            next.resume(text);
            expect(next.shown).to.deep.equal({ text: 'typed while the socket was down' });
            expect(next.hasOther).to.equal(writer !== '');
            await pass(400);
            expect(backend.text).to.equal('typed while the socket was down');
        });
    }

    it('goes on with what the backend took while an editor was opened with the text before', async () => {
        type('typed just before closing');
        text.leave();
        const again = new Editor();
        await pass(400);
        expect(events).to.deep.equal(['done']);
        const next = open(again);
        next.resume(text);
        expect(next.shown).to.deep.equal({ text: 'typed just before closing' });
        expect(again.base).to.deep.equal(backend.review.version);
    });

    it('shows what was edited elsewhere after the backend took the text from here', async () => {
        type('typed just before closing');
        text.leave();
        await pass(400);
        const again = new Editor();
        backendHas('typed on the device', theirs);
        again.show(backend, theirs);
        const next = open(again);
        next.resume(text);
        expect(next.shown).to.deep.equal({ text: 'typed on the device' });
    });

    it('answers with a version instead of a text that the backend has', async () => {
        expect(text.answer).to.deep.equal({ unedited: true });
        type('typed here');
        expect(text.answer).to.deep.equal({ text: 'typed here' });
        await pass(400);
        expect(text.answer).to.deep.equal({ version: { writer: 'desk', revision: sent[0].revision } });
        type('typed on');
        expect(text.answer).to.deep.equal({ text: 'typed on' });
        type('proposal');
        await pass(400);
        expect(text.answer).to.deep.equal({ unedited: true });
    });

    it('names the text that is on its way in an answer that comes after it, and no other', async () => {
        expect(text.orderedAnswer).to.deep.equal({ unedited: true });
        type('typed here');
        expect(text.orderedAnswer).to.deep.equal({ text: 'typed here' });
        clock.tick(400);
        // The backend has not answered yet.
        expect(text.answer).to.deep.equal({ text: 'typed here' });
        expect(text.orderedAnswer).to.deep.equal({ version: { writer: 'desk', revision: sent[0].revision } });
        type('typed on');
        expect(text.orderedAnswer).to.deep.equal({ text: 'typed on' });
    });

    it('answers with the version that was read, until something is typed', async () => {
        type('typed here');
        await pass(400);
        backendHas('typed on the device', theirs);
        await text.compare(theirs);
        expect(text.answer).to.deep.equal({ version: theirs });
        online = false;
        type('both');
        await pass(400);
        expect(text.answer).to.deep.equal({ text: 'both' });
    });
});
