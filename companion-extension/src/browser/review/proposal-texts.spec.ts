// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { Draft, DraftRef, PROPOSAL } from '../../common/companion-protocol';
import { EditableText, ProposalEditor, ProposalText } from './proposal-texts';
import { ReviewOutbox } from './review-outbox';

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
    /** What the answers of the backend wait for. */
    let reading: Promise<void>;
    let sending: Promise<void>;
    /** What the backend has, by the drafts' ids; the newest is `newest`, and it has said that there are those `listed`. */
    let drafts: Map<string, string>;
    let newest: DraftRef;
    let listed: readonly DraftRef[] | undefined;
    let sent: Partial<Draft>[];
    let replaced: number;
    let outbox: ReviewOutbox;
    let text: ProposalText;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        online = true;
        [reading, sending] = [Promise.resolve(), Promise.resolve()];
        drafts = new Map();
        newest = PROPOSAL;
        listed = undefined;
        sent = [];
        replaced = 0;
        let ids = 0;
        const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined, key: () => null, length: 0 };
        outbox = new ReviewOutbox({ connectedSince: () => (online ? 0 : undefined), installation: () => 'here', storage: () => storage });
        text = new ProposalText({
            reviewId: 'review',
            about: ABOUT,
            outbox,
            newId: () => `mine-${++ids}`,
            drafts: () => listed,
            read: async draft => {
                if (!online) {
                    throw new Error('The socket is down');
                }
                await reading;
                const { id } = draft.id === '' ? newest : draft;
                if (id !== '' && !drafts.has(id)) {
                    return undefined;
                }
                return { draft: id === draft.id ? draft : newest, text: drafts.get(id) ?? 'proposal', edited: id !== '' };
            },
            send: async draft => {
                if (!online) {
                    throw new Error('The socket is down');
                }
                await sending;
                expect(draft.about).to.equal(ABOUT);
                const { id, revision, text: typed, from } = draft;
                sent.push({ id, revision, ...(typed !== undefined && { text: typed }), ...(from && { from }) });
                drafts.set(draft.id, draft.text ?? 'proposal');
                newest = { id: draft.id, revision: draft.revision };
                listed = [newest];
            },
            replaced: () => replaced++
        });
        editor = new Editor();
        text.attach(editor);
    });
    afterEach(() => clock.restore());

    function type(value: string, view = editor): void {
        view.show({ text: value, edited: value !== 'proposal' });
        text.changed();
    }

    function compare(drafts: readonly DraftRef[]): Promise<void> {
        listed = drafts;
        return text.update();
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

    function theyTyped(value: string, all = [THEIRS]): Promise<void> {
        theyType(value);
        return compare(all);
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

    it('is emptied if the user left nothing', () => {
        type('');
        expect(text.isEmptied).to.equal(true);
    });

    it('says that every edit was taken back', async () => {
        type('a');
        await pause();
        type('proposal');
        expect(text.seen).to.deep.equal({ draft: PROPOSAL });
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 2 });
    });

    it('names exactly what the user sees, with its text', async () => {
        expect(text.seen).to.deep.equal({ draft: PROPOSAL });
        type('a');
        expect(text.seen).to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'a' });
        await pause();
        expect(text.seen).to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'a' });
        text.detach();
        expect(text.seen, 'also when the editor is closed').to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'a' });
    });

    it('sends what was typed offline when it is online again, even if the editor is closed', async () => {
        online = false;
        type('offline');
        await pause();
        text.detach();
        online = true;
        outbox.reconnected();
        await pause(0);
        expect(sent).to.deep.equal([{ id: 'mine-1', revision: 1, text: 'offline' }]);
        expect(text.isUnsent).to.equal(false);
    });

    it('shows what was typed on another page meanwhile; what is typed next starts a draft that continues it', async () => {
        await theyTyped('theirs');
        expect(editor.text).to.equal('theirs');
        expect(text.seen).to.deep.equal({ draft: THEIRS, text: 'theirs' });
        type('theirs and mine');
        await pause();
        expect(sent).to.deep.equal([{ id: 'mine-1', revision: 1, text: 'theirs and mine', from: THEIRS }]);
    });

    it('shows it instead of its own text that arrived, if it continues that text', async () => {
        type('mine');
        await pause();
        await theyTyped('mine and theirs');
        expect([editor.text, text.seen]).to.deep.equal(['mine and theirs', { draft: THEIRS, text: 'mine and theirs' }]);
        expect(text.other).to.equal(undefined);
    });

    it('shows the proposal byte for byte again if every edit was taken back on another page', async () => {
        type('mine');
        await pause();
        newest = PROPOSAL;
        await compare([]);
        expect([editor.text, text.seen]).to.deep.equal(['proposal', { draft: PROPOSAL }]);
    });

    it('offers no other text that it is about to show', async () => {
        theyType('theirs');
        const compared = compare([THEIRS]);
        expect(text.other).to.equal(undefined);
        await compared;
        await compare([THEIRS]);
        expect(replaced, 'says once that the text is another one').to.equal(1);
    });

    it('shows what could not be read at first, once the backend says again what there is', async () => {
        await theyTyped('theirs');
        const more = { id: 'theirs', revision: 8 };
        theyType('theirs, and more', more);
        online = false;
        await compare([more]);
        expect(editor.text).to.equal('theirs');
        online = true;
        await compare([more]);
        expect(editor.text).to.equal('theirs, and more');
    });

    it('keeps what is typed here while another text is being read, also if it arrives before that', async () => {
        for (const arrives of [false, true]) {
            theyType(`theirs ${arrives}`, { id: `theirs ${arrives}`, revision: 1 });
            const content = new Deferred<void>();
            reading = content.promise;
            const compared = compare([newest]);
            await pause(0);
            const theirs = newest;
            type(`mine ${arrives}`);
            if (arrives) {
                await pause();
                expect(text.isUnsent).to.equal(false);
                newest = theirs;
            }
            content.resolve();
            await compared;
            expect(editor.text).to.equal(`mine ${arrives}`);
            await pause();
            await compare([theirs, text.draft]);
            expect(text.other).to.deep.equal(theirs);
            await compare([]);
        }
    });

    it('stays at the proposal if every edit was undone beside another text, and offers that text', async () => {
        type('mine');
        await pause();
        await theyTyped('theirs', [{ id: 'mine-1', revision: 1 }, THEIRS]);
        expect(editor.text).to.equal('mine');
        type('proposal');
        await pause();
        newest = THEIRS;
        await compare([THEIRS]);
        expect([editor.text, text.seen]).to.deep.equal(['proposal', { draft: PROPOSAL }]);
        expect(text.other).to.deep.equal(THEIRS);
    });

    it('does not replace its own text with an older state of it', async () => {
        type('mine');
        await pause();
        type('mine, and more');
        await compare([{ id: 'mine-1', revision: 1 }]);
        await pause();
        await compare([{ id: 'mine-1', revision: 1 }]);
        await compare([]);
        expect(editor.text).to.equal('mine, and more');
    });

    it('keeps on the screen what was typed here and has not arrived', async () => {
        online = false;
        type('mine');
        await theyTyped('theirs');
        expect(editor.text).to.equal('mine');
        online = true;
        outbox.reconnected();
        await pause(0);
        expect(sent, 'it continues the proposal: theirs stays beside it').to.deep.equal([{ id: 'mine-1', revision: 1, text: 'mine' }]);
        await compare([THEIRS, newest]);
        expect(editor.text).to.equal('mine');
    });

    it('shows another draft and then its own again; each stays as it is until somebody types in it', async () => {
        type('mine');
        await pause();
        const mine = { id: 'mine-1', revision: 1 };
        await theyTyped('theirs', [mine, THEIRS]);
        expect(text.other).to.deep.equal(THEIRS);
        await text.showOther();
        expect([editor.text, text.draft]).to.deep.equal(['theirs', THEIRS]);
        await text.showOther();
        expect([editor.text, text.draft]).to.deep.equal(['mine', mine]);
        type('mine again');
        await compare([mine, THEIRS]);
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 2, text: 'mine again' });
        await compare([THEIRS, { id: 'mine-1', revision: 2 }]);
        await text.showOther();
        type('theirs and mine');
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-2', revision: 1, text: 'theirs and mine', from: THEIRS });
    });

    it('keeps what the user chose while others change, until somebody discards or continues it', async () => {
        const third = { id: 'third', revision: 1 };
        theyType('theirs');
        theyType('third', third);
        await compare([THEIRS, third]);
        expect(editor.text).to.equal('third');
        await text.showOther();
        expect(editor.text).to.equal('theirs');
        const more = { id: 'third', revision: 2 };
        theyType('third, and more', more);
        await compare([THEIRS, more]);
        expect(editor.text).to.equal('theirs');
        const newer = { id: 'theirs', revision: 8 };
        theyType('theirs, and more', newer);
        await compare([more, newer]);
        expect(editor.text, 'as it is typed on').to.equal('theirs, and more');
        newest = more;
        await compare([more]);
        expect(editor.text).to.equal('third, and more');
    });

    it('shows the remaining draft if its own was discarded on another page', async () => {
        theyType('theirs');
        type('mine');
        await pause();
        newest = THEIRS;
        await compare([THEIRS]);
        expect([editor.text, text.draft]).to.deep.equal(['theirs', THEIRS]);
        type('theirs and mine');
        await pause();
        expect(sent.at(-1), 'the id of the discarded draft is not used again').to.deep.equal({
            id: 'mine-2',
            revision: 1,
            text: 'theirs and mine',
            from: THEIRS
        });
    });

    it('uses no revision of a draft twice, even if an earlier one is shown again', async () => {
        type('mine');
        await pause();
        type('mine, and more');
        type('proposal');
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 3 });
        // A page that had read it before says that it is there.
        const mine = { id: 'mine-1', revision: 1 };
        drafts.set('mine-1', 'mine');
        await compare([mine]);
        await text.showOther();
        expect(editor.text).to.equal('mine');
        type('mine again');
        await pause();
        expect(sent.at(-1)).to.deep.equal({ id: 'mine-1', revision: 4, text: 'mine again' });
    });

    it('what is typed after every edit was undone starts another draft', async () => {
        type('mine');
        type('proposal');
        await pause();
        await compare([]);
        expect(text.draft).to.deep.equal(PROPOSAL);
        type('again');
        await pause();
        expect(sent).to.deep.equal([
            { id: 'mine-1', revision: 2 },
            { id: 'mine-2', revision: 1, text: 'again' }
        ]);
    });

    it('stays where it is if the user types while the other draft is being read', async () => {
        type('mine');
        await pause();
        await theyTyped('theirs', [{ id: 'mine-1', revision: 1 }, THEIRS]);
        const content = new Deferred<void>();
        reading = content.promise;
        const shown = text.showOther();
        await pause(0);
        type('mine, and more');
        content.resolve();
        await shown;
        expect([editor.text, replaced]).to.deep.equal(['mine, and more', 0]);
    });

    it('keeps what it shows if the other one is no longer kept', async () => {
        type('mine');
        await pause();
        await compare([THEIRS, { id: 'mine-1', revision: 1 }]);
        await text.showOther();
        expect([editor.text, text.draft]).to.deep.equal(['mine', { id: 'mine-1', revision: 1 }]);
    });

    it('keeps what it shows if the other one cannot be read', async () => {
        type('mine');
        await pause();
        await compare([THEIRS, { id: 'mine-1', revision: 1 }]);
        online = false;
        await text.showOther();
        expect([editor.text, text.other]).to.deep.equal(['mine', THEIRS]);
    });

    it('does not offer its own text while that is still on its way', async () => {
        await theyTyped('theirs');
        type('mine');
        sending = new Promise(() => undefined);
        await text.showOther();
        await compare([{ id: 'mine-1', revision: 1 }, THEIRS]);
        expect([editor.text, text.other]).to.deep.equal(['theirs', undefined]);
    });

    it('keeps its own text that came back if another page types after that', async () => {
        type('mine');
        await pause();
        await theyTyped('theirs');
        expect(editor.text).to.equal('theirs');
        const mine = { id: 'mine-1', revision: 1 };
        newest = mine;
        await compare([mine]);
        expect(editor.text).to.equal('mine');
        await theyTyped('theirs', [mine, THEIRS]);
        expect([editor.text, text.other]).to.deep.equal(['mine', THEIRS]);
    });

    it('shows nothing in an editor that was closed while its text was being read', async () => {
        theyType('theirs');
        const content = new Deferred<void>();
        reading = content.promise;
        const compared = compare([THEIRS]);
        text.detach();
        content.resolve();
        await compared;
        expect([editor.text, text.isShown, replaced]).to.deep.equal(['proposal', false, 0]);
        expect(text.seen, 'what the user saw').to.deep.equal({ draft: PROPOSAL });
    });

    it('shows another draft even if the text that was just typed takes longer to arrive; that text stays as it is', async () => {
        await theyTyped('theirs');
        type('mine');
        await compare([THEIRS]);
        const arrived = new Deferred<void>();
        sending = arrived.promise;
        await text.showOther();
        expect(editor.text).to.equal('theirs');
        arrived.resolve();
        await pause(0);
        expect(sent).to.deep.equal([{ id: 'mine-1', revision: 1, text: 'mine', from: THEIRS }]);
        await pause();
        expect(outbox.has('mine-1')).to.equal(false);
    });

    for (const [name, read] of [
        ['the proposal', PROPOSAL],
        ['what was typed on another page', THEIRS]
    ] as const) {
        it(`continues in the next editor with a text that has not arrived, if that editor read ${name}`, async () => {
            online = false;
            type('mine');
            text.detach();
            const again = new Editor(read);
            again.show({ text: 'read', edited: read !== PROPOSAL });
            text.attach(again);
            expect(again.text).to.equal('mine');
            expect(text.seen).to.deep.equal({ draft: { id: 'mine-1', revision: 1 }, text: 'mine' });
            online = true;
            outbox.reconnected();
            await pause(0);
            expect(sent).to.deep.equal([{ id: 'mine-1', revision: 1, text: 'mine' }]);
        });
    }

    it('continues in the next editor with a text that arrived while that editor was being opened', async () => {
        type('mine');
        text.detach();
        const again = new Editor();
        outbox.reconnected();
        await pause(0);
        expect(text.isUnsent).to.equal(false);
        text.attach(again);
        expect(again.text).to.equal('mine');
        expect(text.draft).to.deep.equal({ id: 'mine-1', revision: 1 });
    });

    it('continues in the next editor with what was typed here if the backend had less when it was read', async () => {
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
        await theyTyped('theirs');
        expect(again.text).to.equal('theirs');
        expect(text.draft).to.deep.equal(THEIRS);
    });
});
