// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { CommentDraft, CommentLimits, CommentsBackend } from '../../common/comments-protocol';
import { WindowSnapshot } from '../../common/companion-protocol';
import { TestHost } from '../discovery/test/test-host';
import { TestBackend } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { Comments } from './comments';

const ONE = '11111111-2222-4333-8444-000000000001';
const TWO = '11111111-2222-4333-8444-000000000002';

describe('Comments on lines', () => {
    let host: TestHost;
    let backend: TestBackend;
    let page: TestPage;
    let comments: CommentsBackend;

    beforeEach(async () => {
        host = new TestHost();
        backend = new TestBackend(host);
        page = new TestPage();
        comments = await open(page);
    });

    afterEach(() => backend.stop());

    async function open(of: TestPage, changes: Partial<WindowSnapshot> = {}): Promise<CommentsBackend> {
        const { service } = backend.connect(of);
        await service.hello(backend.window(of, changes));
        return service as unknown as CommentsBackend;
    }

    function draft(id: string, text: string, name = 'a.txt'): CommentDraft {
        return { id, text, uri: FileUri.create(host.home(name)).toString(), first: 2, last: 3, quote: 'two\nthree' };
    }

    async function texts(of = comments): Promise<string[]> {
        return (await of.listComments()).map(({ text, isSent }) => (isSent ? `sent: ${text}` : text));
    }

    async function folder(): Promise<string> {
        return path.join(host.configurationFolder, 'theia-cli-companion', 'comments');
    }

    it('are on disk when they are confirmed, for nobody else, in files of their own', async () => {
        await comments.saveComment(draft(ONE, 'one "quoted"\r\n一行'));
        const file = path.join(await folder(), `${ONE}.json`);
        expect((await fs.stat(file)).mode & 0o777).to.equal(0o600);
        expect((await fs.stat(await folder())).mode & 0o777).to.equal(0o700);
        expect(await comments.listComments()).to.deep.equal([
            { ...draft(ONE, 'one "quoted"\r\n一行'), isSent: false, daysLeft: CommentLimits.days }
        ]);
    });

    it('keep the words of another window when only their lines are other ones', async () => {
        await comments.saveComment(draft(ONE, 'first words'));
        await comments.saveComment(draft(ONE, 'first words, and more'));
        await comments.saveComment({ ...draft(ONE, 'first words'), first: 7, last: 8 }, true);
        const listed = await comments.listComments();
        expect(listed.map(({ first, text }) => [first, text])).to.deep.equal([[7, 'first words, and more']]);
    });

    it('are there after the backend was killed', async () => {
        await comments.saveComment(draft(ONE, 'first words'));
        await comments.saveComment(draft(ONE, 'first words, and more'));
        // The next one starts beside what the killed one left.
        const killed = backend;
        backend = new TestBackend(host);
        comments = await open(new TestPage(), { windowId: 'another-device' });
        expect(await texts()).to.deep.equal(['first words, and more']);
        await killed.servers.stop();
    });

    it('are listed in every window of the folder, and each learns of news', async () => {
        const other = new TestPage();
        const beside = await open(other, { windowId: 'window-2' });
        const before = other.state?.comments;
        await comments.saveComment(draft(ONE, 'from the first window'));
        await eventually('the other page to be told', () => other.state?.comments !== before);
        expect(await texts(beside)).to.deep.equal(['from the first window']);
        await beside.discardComment(ONE);
        expect(await texts()).to.deep.equal([]);
    });

    it('are neither listed nor discarded in a window of another folder', async () => {
        await fs.mkdir(host.home('ours'));
        await fs.mkdir(host.home('theirs'));
        const at = (name: string): Partial<WindowSnapshot> => ({ windowId: name, roots: [FileUri.create(host.home(name)).toString()] });
        const ours = await open(new TestPage(), at('ours'));
        const theirs = await open(new TestPage(), at('theirs'));
        await ours.saveComment(draft(ONE, 'of a file', 'ours/a.txt'));
        await ours.saveComment(draft(TWO, 'of a file outside', 'elsewhere.txt'));
        await theirs.discardComment(ONE);
        await theirs.markCommentsSent([TWO]);
        expect(await texts(theirs)).to.deep.equal([]);
        expect(await texts(ours)).to.deep.equal(['of a file', 'of a file outside']);
    });

    it('of a window without a folder are listed there, and in no other one', async () => {
        const of = (windowId: string): Promise<CommentsBackend> => open(new TestPage(), { windowId, roots: [] });
        const [one, other] = [await of('one'), await of('other')];
        await one.saveComment(draft(ONE, 'of a file somewhere'));
        expect([await texts(one), await texts(other)]).to.deep.equal([['of a file somewhere'], []]);
    });

    it('stay marked when they are sent, also if a save is made again, and go with the next batch', async () => {
        await comments.saveComment(draft(ONE, 'one'));
        await comments.markCommentsSent([ONE]);
        await comments.saveComment(draft(ONE, 'one'));
        await comments.saveComment(draft(TWO, 'two'));
        expect(await texts()).to.deep.equal(['sent: one', 'two']);
        // Twice: the answer to the first call may be lost.
        await comments.markCommentsSent([TWO]);
        await comments.markCommentsSent([TWO]);
        expect(await texts()).to.deep.equal(['sent: two']);
    });

    it('go after the days on which they were listed, and not because a clock jumps', async () => {
        let day = 0;
        backend.container.get(Comments).today = () => `day ${day}`;
        await comments.saveComment(draft(ONE, 'one'));
        for (day = 1; day <= CommentLimits.days; day++) {
            const [listed] = await comments.listComments();
            expect(listed.daysLeft).to.equal(CommentLimits.days + 1 - day);
        }
        day = 1_000;
        expect(await texts()).to.deep.equal([]);
        expect(await fs.readdir(await folder())).to.deep.equal([]);
    });

    it('are refused if they are too long, too many, or no comments', async () => {
        const refused = async (value: unknown): Promise<boolean> =>
            comments.saveComment(value as CommentDraft).then(
                () => false,
                () => true
            );
        const good = draft(ONE, 'x');
        for (const bad of [
            null,
            'x',
            { ...good, id: '../x' },
            { ...good, first: 0 },
            { ...good, last: 1 },
            { ...good, uri: 'http://a/b' }
        ]) {
            expect(await refused(bad), JSON.stringify(bad)).to.equal(true);
        }
        expect(await refused({ ...good, text: 'x'.repeat(CommentLimits.text + 1) })).to.equal(true);
        expect(await refused({ ...good, quote: 'x'.repeat(CommentLimits.quote + 1) })).to.equal(true);
        expect(await texts()).to.deep.equal([]);
        await comments.saveComment(good);
        await fill(1, CommentLimits.listed);
        expect(await refused(draft(TWO, 'one too many'))).to.equal(true);
        await comments.saveComment(draft(ONE, 'more words'));
        expect((await texts()).includes('more words')).to.equal(true);
    });

    it('of a folder that is full take no room from another one; all together have a bound', async () => {
        await comments.saveComment(draft(ONE, 'x'));
        await fill(1, CommentLimits.listed);
        await fs.mkdir(host.home('elsewhere'));
        const roots = [FileUri.create(host.home('elsewhere')).toString()];
        const elsewhere = await open(new TestPage(), { windowId: 'elsewhere', roots });
        await elsewhere.saveComment(draft(TWO, 'of another folder', 'somewhere.txt'));
        expect(await texts(elsewhere)).to.deep.equal(['of another folder']);
        await elsewhere.discardComment(TWO);
        await fill(CommentLimits.listed, CommentLimits.stored);
        const error = await elsewhere.saveComment(draft(TWO, 'of another folder', 'somewhere.txt')).catch(String);
        expect(error).to.include('There are 0 comments here, and 2000 in all');
    });

    /** Makes more of the first one. */
    async function fill(from: number, to: number): Promise<void> {
        const stored = JSON.parse(await fs.readFile(path.join(await folder(), `${ONE}.json`), 'utf8')) as object;
        for (let n = from; n < to; n++) {
            const id = `11111111-2222-4333-9444-${String(n).padStart(12, '0')}`;
            await fs.writeFile(path.join(await folder(), `${id}.json`), JSON.stringify({ ...stored, id }));
        }
    }

    it('are not read from files that are none', async () => {
        await comments.saveComment(draft(ONE, 'one'));
        await fs.writeFile(path.join(await folder(), `${TWO}.json`), '{"id":');
        await fs.writeFile(path.join(await folder(), 'note.txt'), 'x');
        expect(await texts()).to.deep.equal(['one']);
    });
});
