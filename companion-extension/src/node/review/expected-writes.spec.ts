// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { FileFacts } from '../../common/companion-protocol';
import { ModelClock, settle } from '../../test/reviews/model-clock';
import { ExpectedWrite } from './expected-write';
import { ExpectedWrites } from './expected-writes';
import { hashOf } from './file-texts';
import { Review, ReviewState } from './review';
import { WriteJudge } from './write-judge';

const FILE = '/w/a.txt';
const MIB = 1024 * 1024;

describe('Writes of CLIs that are expected', () => {
    let clock: ModelClock;
    let files: Map<string, Buffer>;
    /** Another one each time that a file is written. */
    let stamps: Map<string, number>;
    /** Other names of files. */
    let links: Map<string, string>;
    /** How often a file was looked at. */
    let looks: number;
    let facts: FileFacts;
    let isPrivate: boolean;
    let writes: ExpectedWrites;

    beforeEach(() => {
        clock = new ModelClock();
        files = new Map([[FILE, Buffer.from('before\n')]]);
        [stamps, links] = [new Map(), new Map()];
        [looks, facts, isPrivate] = [0, { state: 'same' }, false];
        writes = new ExpectedWrites({
            files: {
                look: async path => {
                    looks++;
                    const real = links.get(path) ?? path;
                    const bytes = files.get(real);
                    const text = bytes?.includes(0xff) ? undefined : bytes?.toString('utf8');
                    const stamp = bytes ? `${real} ${stamps.get(real)}` : 'missing';
                    return { stamp, read: async () => ({ bytes: bytes ?? null, ...(text !== undefined && { text }) }) };
                }
            },
            inspector: { inspect: async () => facts },
            clock,
            isPrivate: async () => isPrivate
        });
    });
    afterEach(() => writes.dispose());

    function write(text: string | Buffer, path = FILE): void {
        files.set(path, Buffer.from(text));
        stamps.set(path, (stamps.get(path) ?? 0) + 1);
    }

    function reviewOf(id: string, path = FILE): Review {
        const place = { windowId: 'window', roots: [] };
        return new Review({ owner: undefined, filePath: path, proposal: '', file: { path, realPath: path }, place }, id);
    }

    async function accept(text: string, { id = text, path = FILE, state = 'accepted' as ReviewState } = {}): Promise<void> {
        const review = reviewOf(id, path);
        await writes.prepare(review);
        review.state = state;
        writes.expect(review, new WriteJudge(text, text));
        await settle();
    }

    function verdicts(): string[] {
        return writes.judged.map(({ review: { id }, verdict }) => `${id.trim()}: ${verdict}`);
    }

    /** What an undo would bring back, and what it would take away. */
    function textsOf(id: string): Array<string | undefined> {
        const { before, after } = writes.find(id) ?? ({ before: {} } as ExpectedWrite);
        return [before.content?.bytes?.toString(), after?.toString()];
    }

    it('are written as soon as the file has the text, whatever its line ends and byte order mark', async () => {
        await accept('accepted\n');
        await clock.pass(1_000);
        expect(verdicts()).to.deep.equal([]);
        write('\uFEFFaccepted\r\n');
        await clock.pass(1_000);
        expect(verdicts()).to.deep.equal(['accepted: written']);
        expect(textsOf('accepted\n')).to.deep.equal(['before\n', '\uFEFFaccepted\r\n']);
    });

    it('have the text from before the CLI for an undo, also if a formatter indents what it wrote 10 ms later', async () => {
        for (const [id, isSeen] of [
            ['seen', true],
            ['unseen', false]
        ] as const) {
            write('before\n');
            await accept('f() {\n  one\n}\n', { id });
            write('f() {\n  one\n}\n');
            await (isSeen ? writes.lookAtFile(FILE) : settle());
            await clock.pass(10);
            write('f() {\n\tone;\n}\n');
            await clock.pass(2_000);
            expect(writes.find(id)?.verdict).to.equal('formatted');
            expect(textsOf(id)).to.deep.equal(['before\n', 'f() {\n\tone;\n}\n']);
            await clock.pass(WRITE_TIME_MS);
        }
    });

    it('are written differently if another text stays, and not while it is half of one', async () => {
        await accept('accepted\n');
        write('acc');
        await clock.pass(500);
        write('accepted\n');
        await clock.pass(1_000);
        expect(verdicts()).to.deep.equal(['accepted: written']);
        await accept('another\n');
        write('of the CLI\n');
        await clock.pass(2_000);
        expect(writes.find('another\n')?.verdict).to.equal('different');
        expect(textsOf('another\n')).to.deep.equal(['accepted\n', 'of the CLI\n']);
    });

    it('are not written if nothing comes in time, which is no write: a touched file, or one that vanishes', async () => {
        await accept('accepted\n');
        write('before\n');
        await clock.pass(1_500);
        files.delete(FILE);
        facts = { state: 'same', obstacle: 'EACCES: permission denied' };
        await clock.pass(WRITE_TIME_MS - 1_501);
        expect(verdicts()).to.deep.equal([]);
        await clock.pass(1);
        expect(verdicts()).to.deep.equal(['accepted: notWritten']);
        expect(writes.judged[0].facts?.obstacle).to.equal('EACCES: permission denied');
    });

    it('that come late, after 35 s or an hour, are written; an undo then has what stood there last', async () => {
        for (const late of [35_000, 3_600_000]) {
            const text = `after ${late}\n`;
            await accept(text);
            await clock.pass(late);
            expect(writes.find(text)?.verdict).to.equal('notWritten');
            write('of the user\n');
            await clock.pass(late / 2);
            expect(writes.find(text)?.verdict).to.equal('notWritten');
            write(text);
            await clock.pass(late / 2);
            expect(writes.find(text)?.verdict).to.equal('written');
            expect(textsOf(text)).to.deep.equal(['of the user\n', text]);
        }
    });

    it('are written, though nobody can read the file as text, if it has these bytes; else that is unknown, and not different', async () => {
        write(Buffer.from([0xff, 0xff]));
        await accept('# \0 \u6d4b\u8bd5\n', { id: 'exact' });
        write('# \0 \u6d4b\u8bd5\n');
        await clock.pass(1_000);
        await accept('accepted\n');
        write(Buffer.from([0xff, 0xfe, 0xff]));
        await clock.pass(2_000);
        expect(verdicts().sort()).to.deep.equal(['accepted: unknown', 'exact: written']);
    });

    it('need nothing where the file has the text already', async () => {
        await accept('before\n');
        await clock.pass(WRITE_TIME_MS);
        expect(verdicts()).to.deep.equal(['before: written']);
    });

    describe('of one file', () => {
        it('have a verdict each, and each the text before itself', async () => {
            await accept('first\n');
            await accept('second\n');
            write('first\n');
            await clock.pass(1_000);
            expect(verdicts()).to.deep.equal(['first: written']);
            write('second\n');
            await clock.pass(1_000);
            expect(verdicts().sort()).to.deep.equal(['first: written', 'second: written']);
            expect([textsOf('first\n'), textsOf('second\n')]).to.deep.equal([
                ['before\n', 'first\n'],
                ['first\n', 'second\n']
            ]);
        });

        it('may come in another order, and one that nobody saw is unknown', async () => {
            await accept('first\n');
            await accept('second\n');
            write('second\n');
            await clock.pass(1_000);
            expect(verdicts()).to.deep.equal(['second: written']);
            await clock.pass(WRITE_TIME_MS);
            expect(verdicts().sort()).to.deep.equal(['first: unknown', 'second: written']);
            write('first\n');
            await clock.pass(WRITE_TIME_MS);
            expect(verdicts().sort()).to.deep.equal(['first: written', 'second: written']);
            expect(textsOf('first\n')).to.deep.equal(['second\n', 'first\n']);
        });

        it('are not both taken for one text that is none of theirs', async () => {
            await accept('first\n');
            await accept('second\n');
            write('first, and more\n');
            await clock.pass(2_000);
            write('second\n');
            await clock.pass(2_000);
            expect(verdicts().sort()).to.deep.equal(['first: different', 'second: written']);
            expect(textsOf('second\n')).to.deep.equal(['first, and more\n', 'second\n']);
        });
    });

    it('of the same text, again after it was not written, are the one that was accepted last', async () => {
        await accept('accepted\n', { id: 'refused' });
        await clock.pass(WRITE_TIME_MS);
        await accept('accepted\n', { id: 'again' });
        write('accepted\n');
        await clock.pass(1_000);
        await accept('accepted\n', { id: 'once more' });
        await clock.pass(WRITE_TIME_MS);
        expect(verdicts()).to.deep.equal(['once more: written', 'again: written', 'refused: notWritten']);
    });

    describe('and saves of the IDE', () => {
        it('are told apart: an undo brings back what the user has saved', async () => {
            await accept('accepted\n');
            write('of the user\n');
            await clock.pass(300);
            await writes.lookAtFile(FILE, true);
            await clock.pass(5_000);
            expect(verdicts()).to.deep.equal([]);
            write('accepted\n');
            await clock.pass(5_000);
            expect(verdicts()).to.deep.equal(['accepted: written']);
            expect(textsOf('accepted\n')).to.deep.equal(['of the user\n', 'accepted\n']);
            write('of the user, again\n');
            await writes.lookAtFile(FILE, true);
            expect(textsOf('accepted\n')).to.deep.equal(['of the user\n', 'accepted\n']);
        });

        it('are known by other names of the folders, and not by the name of the file alone', async () => {
            links.set('/a/link/a.txt', FILE);
            write('x', '/other/a.txt');
            for (const [name, verdict] of [
                ['/other/a.txt', 'different'],
                ['/a/link/a.txt', undefined]
            ] as const) {
                write('before\n');
                await accept('accepted\n', { id: name });
                write('of the user, or of the CLI\n');
                await writes.lookAtFile(name, true);
                await clock.pass(5_000);
                expect(writes.find(name)?.verdict, name).to.equal(verdict);
                writes.remove(name);
            }
        });
    });

    describe('keep texts', () => {
        it('never of a file that is shared with no CLI, also not what comes later', async () => {
            isPrivate = true;
            await accept('TOKEN=2\n');
            write('TOKEN=3\n');
            await writes.lookAtFile(FILE, true);
            write('TOKEN=2\n');
            await clock.pass(2_000);
            const { verdict, before, after } = writes.judged[0];
            expect([verdict, before.notKept]).to.deep.equal(['written', 'private']);
            expect([before.content, after]).to.deep.equal([undefined, undefined]);
        });

        it('of 32 MiB, the newest ones', async () => {
            for (const name of ['small', 'old', 'middle', 'new']) {
                write(Buffer.alloc(name === 'small' ? 1 : 10 * MIB, 'x'));
                await accept(name, { id: name });
                write(name);
                await clock.pass(WRITE_TIME_MS);
            }
            write(Buffer.alloc(25 * MIB, 'x'));
            await accept('newest', { id: 'newest' });
            write('newest');
            await clock.pass(2_000);
            const kept = ['newest', 'new', 'middle', 'old'].map(id => writes.find(id)?.before.notKept);
            expect(kept).to.deep.equal([undefined, 'room', 'room', 'room']);
            expect([writes.find('small')?.before.notKept, verdicts().length]).to.deep.equal([undefined, 5]);
        });

        it('of the last 20 verdicts; no accept goes before it has one', async () => {
            const all = Array.from({ length: 30 }, (_, index) => `/w/${index}.py`);
            for (const path of all) {
                write('before\n', path);
                await accept("x = 'a'\n", { id: path, path });
            }
            const judged: string[] = [];
            writes.onDidJudge(path => judged.push(path));
            // By black, in a hook.
            all.forEach(path => write('x = "a"\n', path));
            await clock.pass(2_000);
            expect(judged).to.have.members(all);
            expect(writes.judged.map(({ verdict }) => verdict)).to.deep.equal(Array.from({ length: 20 }, () => 'formatted'));
        });
    });

    it('in the terminal, where the user may say no, are told only when they are written', async () => {
        await accept('no\n', { state: 'closed' });
        write('another text\n');
        await clock.pass(WRITE_TIME_MS);
        expect(verdicts()).to.deep.equal([]);
        await accept('yes\n', { state: 'closed' });
        write('yes\n');
        await clock.pass(2_000);
        expect(verdicts()).to.deep.equal(['yes: written']);
    });

    it('are no change for the list of changes if they are what was accepted, once, also as a formatter leaves it', async () => {
        expect(await writes.takeAccepted(FILE)).to.equal(undefined);
        await accept('accepted\n');
        expect(await writes.takeAccepted(FILE), 'not written yet').to.equal(undefined);
        write('accepted\n');
        await writes.lookAtFile(FILE);
        write('  accepted\n');
        const { from, to } = (await writes.takeAccepted(FILE)) ?? {};
        expect([from?.toString(), to?.toString()]).to.deep.equal(['before\n', '  accepted\n']);
        expect(await writes.takeAccepted(FILE)).to.equal(undefined);
        write('\taccepted\n');
        const next = await writes.takeAccepted(FILE);
        expect([next?.from?.toString(), next?.to.toString()], 'what is known is the beginning').to.deep.equal([
            '  accepted\n',
            '\taccepted\n'
        ]);
        expect(await writes.takeAccepted(FILE)).to.equal(undefined);
    });

    it('of a backend that has ended are judged by the hash of the file before', async () => {
        const resume = async (id: string, hash: string | undefined): Promise<string | undefined> => {
            const write = writes.resume(reviewOf(id), new WriteJudge('', id), 60_000, hash);
            await clock.pass(2_000);
            return write.verdict;
        };
        expect(await resume('same', hashOf(Buffer.from('before\n')))).to.equal('notWritten');
        expect(await resume('another', 'another hash')).to.equal('different');
        expect(await resume('none', undefined)).to.equal('unknown');
        write('written');
        expect(await resume('written', 'another hash')).to.equal('written');
        expect(verdicts()).to.deep.equal([]);
    });

    it('are judged in time, whatever fractions of milliseconds the clock counts', async () => {
        for (let fraction = 0.001; fraction < 1; fraction += 0.0137) {
            await clock.pass(fraction * 3);
            const write = writes.resume(reviewOf(`${fraction}`), new WriteJudge('', 'typed'), fraction, hashOf(Buffer.from('before\n')));
            await clock.pass(WRITE_TIME_MS / 2);
            await clock.pass(WRITE_TIME_MS);
            expect(write.verdict).to.equal('notWritten');
        }
    });

    it('cost few looks, however long nothing comes', async () => {
        await accept('accepted\n');
        await clock.pass(30 * 24 * 3_600_000);
        expect(looks).to.be.lessThan(200);
    });
});
