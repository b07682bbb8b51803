// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { editId, Revision } from '../../common/revision';
import { ModelClock, settle } from '../../test/reviews/model-clock';
import { ExpectedWrites } from './expected-writes';
import { hashOf } from './file-texts';
import { KEPT_DAYS, KeptEdits, StoredEdit } from './kept-edits';
import { Review } from './review';
import { WriteJudge } from './write-judge';

const DAY_MS = 24 * 3_600_000;
const PAGE = '11111111-2222-4333-8444-555555555555';
const REVIEW = '22222222-2222-4333-8444-555555555555';
const FILE = '/w/a.txt';

describe('Kept edits', () => {
    let clock: ModelClock;
    let today: string;
    let file: string | undefined;
    /** How often a file was read. */
    let looks: number;
    let stored: readonly StoredEdit[];
    let onDisk: StoredEdit[];
    let gone: string[];
    let writes: ExpectedWrites;
    let edits: KeptEdits;

    beforeEach(() => {
        clock = new ModelClock();
        today = '2026-11-26';
        file = 'before';
        looks = 0;
        [stored, onDisk, gone] = [[], [], []];
        const files = {
            isGone: async (folder: string) => folder === '/gone',
            look: async () => {
                looks++;
                const text = file;
                return text === undefined ? undefined : { stamp: text, read: async () => ({ bytes: Buffer.from(text), text }) };
            }
        };
        writes = new ExpectedWrites({
            files,
            clock,
            inspector: { inspect: async () => ({ state: 'same' }) },
            isPrivate: async () => false
        });
        edits = new KeptEdits({
            files,
            writes,
            clock,
            today: () => today,
            store: {
                keep: async wanted => void (stored = wanted),
                read: async () => ({ found: onDisk.splice(0), gone: gone.splice(0) })
            },
            concerns: ({ place }) => place.windowId === 'window',
            waiting: () => []
        });
        writes.onDidJudge(path => void edits.lookAt(path));
    });
    afterEach(() => {
        writes.dispose();
        edits.dispose();
    });

    function editOf(text: string, revision: Revision = { page: PAGE, n: 1 }, changes: Partial<StoredEdit> = {}): StoredEdit {
        return {
            id: editId(REVIEW, revision),
            reviewId: REVIEW,
            revision,
            text,
            path: FILE,
            cliName: 'Qwen Code',
            place: { windowId: 'window', roots: [] },
            reason: 'rejected',
            keptAt: 1,
            days: 0,
            lastDay: '',
            ...changes
        };
    }

    function keep(edit: StoredEdit, proposal = ''): void {
        edits.keep(edit, new WriteJudge(proposal, edit.text));
    }

    /** The user has accepted the edit. */
    async function tell(text: string, proposal: string): Promise<void> {
        const file = { path: FILE, realPath: FILE };
        const review = new Review({ owner: undefined, filePath: FILE, proposal, file, place: { windowId: 'window', roots: [] } }, REVIEW);
        await writes.prepare(review);
        const judge = new WriteJudge(proposal, text);
        const write = writes.expect(review, judge);
        edits.keep(editOf(text, undefined, { reason: 'notWritten', told: { at: Date.now(), before: write.before.hash } }), judge, write);
        await settle();
    }

    function listed(): string[] {
        return edits.listed.map(edit => `${edit.write?.isOther ? 'quiet ' : ''}${edit.text}`);
    }

    it('kept edits are listed once the file was looked at, unless it has them, whatever its line ends and byte order mark', async () => {
        keep(editOf('typed'));
        expect(listed(), 'the file may have it').to.deep.equal([]);
        await settle();
        expect(listed()).to.deep.equal(['typed']);
        file = '\uFEFFanother\r\n';
        keep(editOf('another\n', { page: PAGE, n: 2 }));
        await settle();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('kept edits of a folder that is gone are everybody’s after three days in which no window has listed them', async () => {
        const place = (...roots: string[]): StoredEdit['place'] => ({ windowId: 'another', roots });
        const now = Date.now();
        const of = (n: number, changes: Partial<StoredEdit>): void =>
            keep(editOf(`text ${n}`, { page: PAGE, n }, { place: place('/gone'), keptAt: 1, ...changes }));
        of(1, {});
        of(2, { place: place('/gone', '/there') });
        of(3, { keptAt: now - 2 * DAY_MS });
        of(4, { lastDay: new Date(now - 2 * DAY_MS).toISOString().slice(0, 10) });
        of(5, { place: { windowId: 'window', roots: ['/gone'] } });
        await edits.look();
        expect(edits.listed.filter(({ isHomeless }) => isHomeless).map(({ text }) => text)).to.deep.equal(['text 1']);
    });

    it('what a CLI was told is listed after 30 s, if it has not written it', async () => {
        await tell('typed', 'proposed');
        await clock.pass(WRITE_TIME_MS - 1);
        expect(listed()).to.deep.equal([]);
        await clock.pass(1);
        expect(listed()).to.deep.equal(['typed']);
    });

    it('what a CLI was told and has written is never listed', async () => {
        await tell('typed', 'proposed');
        await settle();
        file = 'typed';
        // Also not between the verdict and the look that drops it.
        const seen: string[] = [];
        writes.onDidJudge(() => seen.push(...listed()));
        await writes.lookAtFile(FILE);
        expect(seen).to.deep.equal([]);
        await clock.pass(WRITE_TIME_MS);
        expect(listed()).to.deep.equal([]);
        await edits.store();
        expect(stored).to.deep.equal([]);
    });

    it('kept edits are quiet if the file has become a third text, as by a formatter, and not if it has the proposal', async () => {
        for (const [text, isQuiet] of Object.entries({ 'typed;': true, proposed: false, before: false })) {
            file = 'before';
            await tell(`typed ${text}`, 'proposed');
            file = text;
            await clock.pass(WRITE_TIME_MS);
            expect(listed()).to.deep.equal([`${isQuiet ? 'quiet ' : ''}typed ${text}`]);
            edits.discard(edits.listed[0].id);
        }
    });

    it('what a CLI was told ends if a formatter has changed its form, or other lines than those that the user typed', async () => {
        const proposed = 'f() {\n    one\n}\n';
        const cases: Array<[typed: string, formatted: string, isWritten: boolean]> = [
            ['f() {\n    one\n    mine\n}\n', 'f() {\n\tone\n\tmine\n}\n', true],
            ['f() {\n    one\n    mine\n}\n', 'f()\n{\n    one;\n    mine\n}\n', true],
            ['f() {\n    one\n    mine\n}\n', 'f() {\n    one\n    mine;\n}\n', true],
            ["f() {\n    one\n    'mine'\n}\n", 'f() {\n    one\n    "mine",\n}\n', true],
            ['f() {\n    one\n    mine\n}\n', 'f() {\n    one\n    mine()\n}\n', false],
            ['f() {\n    one\n    mine\n}\n', 'f() {\n    two()\n    mine\n}\n', true],
            // Only the form was typed, and the CLI has dropped it.
            ['f() {\n    one;\n}\n', proposed, false],
            ['f() {\n}\n', 'f() {\n}\n\n', true],
            // What the user took out is there.
            ['f() {\n    mine\n}\n', 'f() {\n    one\n    mine\n}\n', false],
            // The CLI has dropped what was typed.
            ['f() {\n    one\n  mine\n}\n', proposed, false],
            ['f() {\n  one\n}\n', proposed, false],
            ['f() {\n}\n', proposed, false]
        ];
        for (const [typed, formatted, isWritten] of cases) {
            file = 'f() {\n}\n// was there\n';
            await tell(typed, proposed);
            file = formatted;
            await clock.pass(WRITE_TIME_MS);
            const isTheirs = formatted === proposed;
            expect(listed(), formatted).to.deep.equal(isWritten ? [] : [`${isTheirs ? '' : 'quiet '}${typed}`]);
            edits.listed.forEach(({ id }) => edits.discard(id));
        }
    });

    it('a change that only restores what the file has is not written as long as the CLI has written nothing', async () => {
        file = 'one\ntwo\n';
        // The user took one of two changes back.
        await tell('one\nTWO\n', 'ONE\nTWO\n');
        file = 'one\ntwo\nof a colleague\n';
        await clock.pass(WRITE_TIME_MS);
        expect(listed()).to.deep.equal(['quiet one\nTWO\n']);
    });

    it('white space that a user typed over lines of the file is not there as long as nobody has written it', async () => {
        file = 'f() {\n  one\n}\n';
        const [typed, proposed] = ['f() {\n    one\n}\n', 'f() {\n  one\n  wrong\n}\n'];
        await tell(typed, proposed);
        await clock.pass(WRITE_TIME_MS);
        expect(listed()).to.deep.equal([typed]);
        edits.discard(edits.listed[0].id);
        keep(editOf(typed), proposed);
        await settle();
        expect(listed()).to.deep.equal([typed]);
        file = typed;
        await edits.lookAtWritten(FILE);
        expect(listed()).to.deep.equal([]);
    });

    it('what a CLI writes late, after 35 s or an hour, ends by itself: nobody looks', async () => {
        for (const late of [35_000, 3_600_000]) {
            file = 'before';
            await tell('typed', 'proposed');
            await clock.pass(late);
            expect(listed()).to.deep.equal(['typed']);
            file = 'typed';
            await clock.pass(late / 4);
            expect(listed()).to.deep.equal([]);
        }
    });

    it('what another backend had told a CLI is judged by the file before: only if that is still there, the user is told', async () => {
        const at = Date.now() - 60_000;
        const told = async (text: string): Promise<string[]> => {
            file = text;
            onDisk = [editOf('typed', undefined, { reason: 'notWritten', told: { at, before: hashOf(Buffer.from('before')) } })];
            await edits.look();
            await clock.pass(2_000);
            const texts = listed();
            edits.discard(editId(REVIEW, { page: PAGE, n: 1 }));
            return texts;
        };
        expect(await told('before')).to.deep.equal(['typed']);
        expect(await told('typed;'), 'nobody knows whether the CLI has dropped it').to.deep.equal(['quiet typed']);
        expect(await told('typed')).to.deep.equal([]);
    });

    it('stores when a CLI was told, and the hash of the file before, as long as that counts', async () => {
        await tell('typed', 'proposed');
        await edits.store();
        expect(stored[0].told?.before).to.equal(hashOf(Buffer.from('before')));
        edits.release(REVIEW);
        await edits.store();
        expect(stored[0]).not.to.have.property('told');
    });

    it('kept edits are listed at once when the outcome can no longer reach the CLI', async () => {
        await tell('typed', 'proposed');
        await settle();
        edits.release(REVIEW);
        expect(listed()).to.deep.equal(['typed']);
    });

    it('cost nothing while nobody looks', async () => {
        keep(editOf('typed'));
        await settle();
        const before = looks;
        await clock.pass(DAY_MS);
        expect(looks).to.equal(before);
        await edits.look();
        expect(looks).to.equal(before + 1);
    });

    it('of another backend are listed, those of other folders are not looked at, and discarded ones go', async () => {
        onDisk = [
            editOf('typed'),
            editOf('elsewhere', { page: PAGE, n: 2 }, { path: '/other/b.txt', place: { windowId: 'other', roots: [] } })
        ];
        await edits.look();
        expect(listed()).to.deep.equal(['typed']);
        expect(looks).to.equal(1);
        gone = [editId(REVIEW, { page: PAGE, n: 1 })];
        await edits.look();
        expect(listed()).to.deep.equal([]);
    });

    it('that cannot be read count as they were', async () => {
        keep(editOf('typed'));
        await settle();
        file = undefined;
        await edits.look();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('the same text of a review is kept once', async () => {
        keep(editOf('typed'));
        keep(editOf('typed', { page: PAGE, n: 2 }));
        await settle();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('the same text is kept by its last revision: who went on with an earlier one did not go on with that', async () => {
        keep(editOf('typed'));
        keep(editOf('typed', { page: PAGE, n: 3 }));
        edits.dropContinued(REVIEW, [{ page: PAGE, from: 1, to: 1 }]);
        await settle();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('go when the IDE writes the file, by any name of its folder, and has them; a formatter changes white space', async () => {
        const typed = ['typed', '    indented', 'f() {\n  mine\n}\n'];
        keep(editOf(typed[0]), 'proposed');
        keep(editOf(typed[1], { page: PAGE, n: 2 }), 'indented');
        keep(editOf(typed[2], { page: PAGE, n: 3 }), 'f() {\n}\n');
        await settle();
        const written = async (text: string, name = FILE): Promise<string[]> => {
            file = text;
            await edits.lookAtWritten(name);
            return listed();
        };
        expect(await written('another text')).to.deep.equal(typed);
        expect(await written('typed', '/w/b.txt'), 'another file').to.deep.equal(typed);
        expect(await written('typed', '/a/link/a.txt')).to.deep.equal(typed.slice(1));
        expect(await written('indented'), 'only white space was typed').to.deep.equal(typed.slice(1));
        expect(await written('f() {\n\tmine\n}\n')).to.deep.equal([typed[1]]);
        expect(await written('    indented')).to.deep.equal([]);
    });

    it('go when somebody has typed on in them', async () => {
        keep(editOf('typed'));
        keep(editOf('typed more', { page: PAGE, n: 2 }));
        await settle();
        edits.dropContinued(REVIEW, [{ page: PAGE, from: 2, to: 3 }]);
        expect(listed()).to.deep.equal(['typed']);
    });

    it('go after a page has listed them on 14 days, which are counted', async () => {
        keep(editOf('typed'));
        await settle();
        for (let day = 1; day <= KEPT_DAYS; day++) {
            today = `day ${day}`;
            expect(edits.countDay(edits.listed)).to.equal(true);
            expect(edits.countDay(edits.listed), 'a second page of the day').to.equal(false);
            await edits.store();
            await clock.pass(DAY_MS);
        }
        expect(stored.map(({ days }) => days)).to.deep.equal([KEPT_DAYS]);
        today = 'one day more';
        edits.countDay(edits.listed);
        await edits.store();
        expect([listed(), stored]).to.deep.equal([[], []]);
    });

    it('a clock that jumps takes no day: one is counted in 24 hours at most', async () => {
        keep(editOf('typed'));
        await settle();
        today = '1970-01-01';
        edits.countDay(edits.listed);
        today = '2026-11-26';
        expect(edits.countDay(edits.listed)).to.equal(false);
        await clock.pass(DAY_MS);
        expect(edits.countDay(edits.listed)).to.equal(true);
    });

    it('that nobody has listed stay, however long', async () => {
        keep(editOf('typed'));
        await clock.pass(100 * DAY_MS);
        await edits.store();
        expect(stored).to.have.length(1);
    });
});
