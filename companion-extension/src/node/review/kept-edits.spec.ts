// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { editId, Revision } from '../../common/revision';
import { ModelClock, settle } from '../../test/reviews/model-clock';
import { KEPT_DAYS, KeptEdits, StoredEdit } from './kept-edits';

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
    let edits: KeptEdits;

    beforeEach(() => {
        clock = new ModelClock();
        today = '2026-11-26';
        file = 'before';
        looks = 0;
        [stored, onDisk, gone] = [[], [], []];
        edits = new KeptEdits({
            files: {
                look: async () => {
                    looks++;
                    const text = file;
                    return text === undefined ? undefined : { stamp: text, decode: async () => text };
                }
            },
            clock,
            today: () => today,
            store: {
                keep: async wanted => void (stored = wanted),
                read: async () => ({ found: onDisk.splice(0), gone: gone.splice(0) })
            },
            concerns: ({ place }) => place.windowId === 'window',
            waiting: () => []
        });
    });
    afterEach(() => edits.dispose());

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

    function listed(): string[] {
        return edits.listed.map(edit => `${edit.isQuiet ? 'quiet ' : ''}${edit.text}`);
    }

    it('kept edits are listed once the file was looked at, unless it has them, whatever its line ends and byte order mark', async () => {
        edits.keep(editOf('typed'));
        expect(listed(), 'the file may have it').to.deep.equal([]);
        await settle();
        expect(listed()).to.deep.equal(['typed']);
        file = '\uFEFFanother\r\n';
        edits.keep(editOf('another\n', { page: PAGE, n: 2 }));
        await settle();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('what a CLI was told is listed after 30 s, if it has not written it', async () => {
        edits.keep(editOf('typed', undefined, { reason: 'notWritten' }), 'proposed', true);
        await clock.pass(WRITE_TIME_MS - 1);
        expect(listed()).to.deep.equal([]);
        await clock.pass(1);
        expect(listed()).to.deep.equal(['typed']);
    });

    it('what a CLI was told and has written is never listed', async () => {
        edits.keep(editOf('typed', undefined, { reason: 'notWritten' }), 'proposed', true);
        await settle();
        file = 'typed';
        await clock.pass(WRITE_TIME_MS);
        expect(listed()).to.deep.equal([]);
        await edits.store();
        expect(stored).to.deep.equal([]);
    });

    it('kept edits are quiet if the file has become a third text, as by a formatter, and not if it has the proposal', async () => {
        for (const [text, isQuiet] of Object.entries({ 'typed;': true, proposed: false, before: false })) {
            file = 'before';
            edits.keep(editOf(`typed ${text}`, undefined, { reason: 'notWritten' }), 'proposed', true);
            await settle();
            file = text;
            await clock.pass(WRITE_TIME_MS);
            expect(listed()).to.deep.equal([`${isQuiet ? 'quiet ' : ''}typed ${text}`]);
            edits.discard(edits.listed[0].id);
        }
    });

    it('what a CLI was told ends if a formatter has changed only white space, or other lines than those that the user typed', async () => {
        const proposed = 'f() {\n    one\n}\n';
        const cases: Array<[typed: string, formatted: string, isWritten: boolean]> = [
            ['f() {\n    one\n    mine\n}\n', 'f() {\n\tone\n\tmine\n}\n', true],
            ['f() {\n    one\n    mine\n}\n', 'f()\n{\n    one;\n    mine\n}\n', true],
            ['f() {\n    one\n    mine\n}\n', 'f() {\n    one\n    mine;\n}\n', false],
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
            edits.keep(editOf(typed, undefined, { reason: 'notWritten' }), proposed, true);
            await settle();
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
        edits.keep(editOf('one\nTWO\n', undefined, { reason: 'notWritten' }), 'ONE\nTWO\n', true);
        await settle();
        file = 'one\ntwo\nof a colleague\n';
        await clock.pass(WRITE_TIME_MS);
        expect(listed()).to.deep.equal(['quiet one\nTWO\n']);
    });

    it('kept edits are listed at once when the outcome can no longer reach the CLI', async () => {
        edits.keep(editOf('typed', undefined, { reason: 'notWritten' }), 'proposed', true);
        await settle();
        edits.release(REVIEW);
        expect(listed()).to.deep.equal(['typed']);
    });

    it('cost nothing while nobody looks', async () => {
        edits.keep(editOf('typed'));
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
        edits.keep(editOf('typed'));
        await settle();
        file = undefined;
        await edits.look();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('the same text of a review is kept once', async () => {
        edits.keep(editOf('typed'));
        edits.keep(editOf('typed', { page: PAGE, n: 2 }));
        await settle();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('the same text is kept by its last revision: who went on with an earlier one did not go on with that', async () => {
        edits.keep(editOf('typed'));
        edits.keep(editOf('typed', { page: PAGE, n: 3 }));
        edits.dropContinued(REVIEW, [{ page: PAGE, from: 1, to: 1 }]);
        await settle();
        expect(listed()).to.deep.equal(['typed']);
    });

    it('go when the IDE writes the file, by any name of its folder, and has them; a formatter changes white space', async () => {
        const typed = ['typed', '    indented', 'f() {\n  mine\n}\n'];
        edits.keep(editOf(typed[0]), 'proposed');
        edits.keep(editOf(typed[1], { page: PAGE, n: 2 }), 'indented');
        edits.keep(editOf(typed[2], { page: PAGE, n: 3 }), 'f() {\n}\n');
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
        edits.keep(editOf('typed'));
        edits.keep(editOf('typed more', { page: PAGE, n: 2 }));
        await settle();
        edits.dropContinued(REVIEW, [{ page: PAGE, from: 2, to: 3 }]);
        expect(listed()).to.deep.equal(['typed']);
    });

    it('go after a page has listed them on 14 days, which are counted', async () => {
        edits.keep(editOf('typed'));
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
        edits.keep(editOf('typed'));
        await settle();
        today = '1970-01-01';
        edits.countDay(edits.listed);
        today = '2026-11-26';
        expect(edits.countDay(edits.listed)).to.equal(false);
        await clock.pass(DAY_MS);
        expect(edits.countDay(edits.listed)).to.equal(true);
    });

    it('that nobody has listed stay, however long', async () => {
        edits.keep(editOf('typed'));
        await clock.pass(100 * DAY_MS);
        await edits.store();
        expect(stored).to.have.length(1);
    });
});
