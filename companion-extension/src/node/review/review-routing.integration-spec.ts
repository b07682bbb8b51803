// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { restore, stub } from 'sinon';
import { CompanionLimits } from '../../common/companion-limits';
import { ReviewAnswer, WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { editId, PROPOSAL, Revision } from '../../common/revision';
import { CliProcess } from '../test/cli-process';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection, TestService } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { saveOf, TestPage, typed } from '../test/test-page';
import { closedContent } from '../test/tool-results';
import { OWNER_ABSENCE_MS } from '../server/window';
import { Windows } from '../server/windows';

describe('Reviews of several windows', () => {
    let backend: TestBackend;
    let first: Device;
    let cli: TestCli;
    let file: string;

    beforeEach(async () => {
        backend = new TestBackend();
        file = backend.host.home('a.txt');
        first = new Device('w1');
        await first.hello();
        const { port, token } = backend.discovered('w1');
        cli = await TestCli.connect(port, token);
    });

    afterEach(async () => {
        restore();
        await cli.disconnect();
        await backend.stop();
    });

    /** One browser tab somewhere. */
    class Device {
        readonly page = new TestPage();
        private connection: TestConnection = backend.connect(this.page);

        constructor(
            readonly windowId: string,
            private readonly changes: Partial<WindowSnapshot> = {}
        ) {}

        get service(): TestService {
            return this.connection.service;
        }

        hello(): Promise<WindowState> {
            return this.service.hello(backend.window(this.page, { windowId: this.windowId, ...this.changes }));
        }

        sleep(): void {
            this.connection.disconnect();
        }

        async wakeUp(): Promise<WindowState> {
            this.connection = backend.connect(this.page);
            return this.hello();
        }

        /** @param base what it was typed on */
        async edit(id: string, n: number, text: string | undefined, base: Revision = PROPOSAL): Promise<Revision> {
            const save = saveOf(id, text, n, this.page.loadId, [base]);
            await this.service.saveReview(save);
            return save.revision;
        }

        /** What it lists, after a look at the files. */
        kept(): Promise<WindowState['keptEdits']> {
            return eventually('the kept edits', async () => {
                const { keptEdits } = await this.hello();
                return keptEdits.length > 0 && keptEdits;
            });
        }
    }

    async function openDevice(windowId: string, changes?: Partial<WindowSnapshot>): Promise<Device> {
        const device = new Device(windowId, changes);
        await device.hello();
        return device;
    }

    /** @returns the review's id */
    async function propose(content = 'new'): Promise<string> {
        await cli.openDiff(file, content);
        return first.page.shown[first.page.shown.length - 1].id;
    }

    it('what comes before the roots of a window are known is refused, and counts when it is sent again: a text, a read, an answer', async () => {
        const id = await propose();
        const device = new Device('w2');
        const isKnown = new Deferred<void>();
        const { realpath } = fs;
        stub(fs, 'realpath').callsFake(async (file, ...rest) => {
            await isKnown.promise;
            return realpath(file, ...rest);
        });
        const greeted = device.hello();
        await eventually('the window', () => backend.container.get(Windows).get('w2')?.live);
        const failed = async (call: Promise<unknown>): Promise<boolean> => call.then(() => false).catch(() => true);
        expect(await failed(device.edit(id, 1, 'typed')), 'the text').to.equal(true);
        expect(await failed(device.service.readReview(id)), 'the read').to.equal(true);
        expect(await failed(device.service.rejectReview(id)), 'the answer').to.equal(true);
        expect(await failed(device.service.closeReview(id)), 'the close').to.equal(true);
        isKnown.resolve();
        expect((await greeted).keptEdits).to.deep.equal([]);
        const revision = await device.edit(id, 1, 'typed');
        expect(await device.service.readReview(id)).to.deep.include({ text: 'typed' });
        expect(await device.service.acceptReview(id, { revision })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'typed' });
    });

    it('a close rejects only from the last page that shows the review, and a page that goes away closes nothing', async () => {
        const id = await propose();
        const copy = await openDevice('w2');
        const another = await openDevice('w3');
        [copy, another].forEach(({ page }) => page.open.add(id));
        const close = ({ page, service }: Device): Promise<ReviewAnswer> => {
            page.open.delete(id);
            return service.closeReview(id);
        };
        expect(await close(copy), 'a copy').to.deep.equal({ result: 'shownElsewhere' });
        expect(await close(first), 'the first one').to.deep.equal({ result: 'shownElsewhere' });
        another.sleep();
        expect((await first.hello()).reviews.map(review => review.id)).to.deep.equal([id]);
        expect(await cli.settled()).to.deep.equal([]);
        expect(await close(first), 'the last one').to.deep.equal({ result: 'done' });
        expect(await close(first), 'sent again').to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffRejected')).params).to.deep.equal({ filePath: file });
        expect(await close(copy)).to.deep.equal({ result: 'late', how: 'rejected' });
    });

    it('a close rejects nothing while another page does not say whether it shows the review', async () => {
        const id = await propose();
        const copy = await openDevice('w2');
        first.page.answers = false;
        expect(await copy.service.closeReview(id)).to.deep.equal({ result: 'shownElsewhere' });
        // It is silent now: its tab may be dead.
        expect(await copy.service.closeReview(id)).to.deep.equal({ result: 'done' });
        first.page.answerLate();
    });

    it('a page is asked also while the roots of its window are not known: what it shows, and what it has not sent', async () => {
        const id = await propose();
        const copy = await openDevice('w2');
        const waking = new Device('w3');
        waking.page.open.add(id);
        const isKnown = new Deferred<void>();
        const { realpath } = fs;
        stub(fs, 'realpath').callsFake(async (path, ...rest) => {
            await isKnown.promise;
            return realpath(path, ...rest);
        });
        const greeted = waking.hello();
        await eventually('the window', () => backend.container.get(Windows).get('w3')?.live);
        first.page.open.delete(id);
        expect(await copy.service.closeReview(id)).to.deep.equal({ result: 'shownElsewhere' });
        waking.page.unsent = saveOf(id, 'typed there', 1, waking.page.loadId);
        expect(closedContent(await cli.closeDiff(file))).to.equal('typed there');
        isKnown.resolve();
        await greeted;
    });

    it('an accept does not count if the file is not what the page has read: no outcome leaves, and the review waits with its text', async () => {
        await fs.writeFile(file, 'one\n');
        const { mtime, size } = await fs.stat(file);
        const seen = { modifiedAt: mtime.getTime(), size };
        const id = await propose();
        const revision = await first.edit(id, 1, 'typed');
        await fs.appendFile(file, 'of a colleague\n');
        expect(await first.service.acceptReview(id, { revision }, seen)).to.deep.equal({ result: 'notSame', file: 'changed' });
        expect((await first.service.readReview(id))?.text).to.equal('typed');
        expect(await first.service.lookAtFile(`file://${file}`, seen)).to.deep.equal({ state: 'changed' });
        const now = await fs.stat(file);
        const again = { modifiedAt: now.mtime.getTime(), size: now.size };
        expect(await first.service.acceptReview(id, { revision }, again)).to.deep.equal({ result: 'done' });
        expect(await first.service.acceptReview(id, { revision }, seen), 'sent again').to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'typed' });
    });

    it('says where a link leads', async () => {
        await fs.writeFile(file, 'one\n');
        await propose();
        expect(first.page.shown[0].leadsTo).to.equal(undefined);
        const link = backend.host.home('link.txt');
        await fs.symlink('a.txt', link);
        await cli.openDiff(link, 'new');
        expect(first.page.shown[1]).to.include({ path: link, leadsTo: file });
        expect(await first.service.lookAtFile(`file://${link}`)).to.deep.equal({ state: 'same', isLink: true });
    });

    it('a page with other roots cannot read, edit or answer a review, and does not see it', async () => {
        const id = await propose();
        const stranger = await openDevice('w2', { roots: [] });
        const unknown = { result: 'late', how: 'unknown' };
        for (const shown of [typed('evil'), { revision: PROPOSAL }]) {
            expect(await stranger.service.acceptReview(id, shown)).to.deep.equal(unknown);
        }
        expect(await stranger.service.rejectReview(id)).to.deep.equal(unknown);
        expect(await stranger.service.closeReview(id)).to.deep.equal(unknown);
        expect(await stranger.service.readReview(id)).to.equal(undefined);
        expect((await stranger.hello()).reviews).to.deep.equal([]);
        expect(await first.service.readReview(id)).to.include({ proposal: 'new' });
        expect(await first.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new' });
    });

    it('what was typed in a window that has opened another folder since is kept for the windows of the review, and changes nothing', async () => {
        const id = await propose();
        const stranger = await openDevice('w2', { roots: [] });
        await stranger.edit(id, 99, 'typed before');
        expect(await first.service.readReview(id))
            .to.include({ proposal: 'new' })
            .and.not.to.have.property('text');
        expect((await stranger.hello()).keptEdits).to.deep.equal([]);
        const [kept] = (await first.hello()).keptEdits;
        expect(kept).to.include({ reviewId: id, reason: 'elsewhere' });
        expect(await first.service.readEdit(kept.id)).to.equal('typed before');
    });

    it('a page with the same roots lists what another one opens, and answers it', async () => {
        const id = await propose();
        const revision = await first.edit(id, 1, 'edited');
        const second = await openDevice('w2');
        expect(await second.service.readReview(id)).to.include({ proposal: 'new', text: 'edited' });
        const [listed] = (await second.hello()).reviews;
        expect(listed).to.deep.include({ id, revision }).and.not.to.have.property('opens');
        expect((await first.hello()).reviews[0]).to.include({ opens: true });
        expect(await second.service.acceptReview(id, { revision })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'edited' });
        expect(await first.service.rejectReview(id)).to.deep.equal({ result: 'late', how: 'accepted' });
        expect(await cli.settled()).to.deep.equal([]);
    });

    it('of two devices that typed, the text of the last one is shown, and the other one becomes a kept edit', async () => {
        const id = await propose();
        const atDesk = await first.edit(id, 1, 'at the desk');
        const second = await openDevice('w2');
        const onDevice = await second.edit(id, 9, 'on the device', atDesk);
        expect((await first.hello()).keptEdits, 'it was typed on that of the desk').to.deep.equal([]);
        // Typed while it slept: it knew nothing of the device.
        const later = await first.edit(id, 2, 'at the desk, later', atDesk);
        expect((await second.hello()).reviews[0].revision).to.deep.equal(later);
        expect(await second.service.readReview(id)).to.include({ text: 'at the desk, later' });
        const [kept, ...others] = await first.kept();
        expect(kept).to.include({ id: editId(id, onDevice), reason: 'elsewhere' });
        expect(others).to.deep.equal([]);
        // Its page has not heard of that yet.
        expect(await second.service.acceptReview(id, { revision: onDevice })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'on the device' });
        await eventually('the other text', async () => (await first.kept()).some(edit => edit.id === editId(id, later)));
    });

    it('of two devices that typed, the text of the one that was away is not the last one only because it comes later', async () => {
        const id = await propose();
        const second = await openDevice('w2');
        await first.edit(id, 1, 'at 10:00');
        await second.service.saveReview({ ...saveOf(id, 'at 9:00', 1, second.page.loadId), ago: 3_600_000 });
        expect(await second.service.readReview(id)).to.deep.include({ text: 'at 10:00' });
        expect((await second.kept()).map(({ reason }) => reason)).to.deep.equal(['elsewhere']);
    });

    it('accepting the proposal keeps what another device made of it', async () => {
        const id = await propose();
        const second = await openDevice('w2');
        const revision = await second.edit(id, 1, 'on the device');
        expect(await first.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new' });
        expect((await first.kept()).map(({ id: kept, reason }) => [kept, reason])).to.deep.equal([[editId(id, revision), 'elsewhere']]);
    });

    it('accepting unedited gives the proposal, whatever was mirrored before: the news that it was taken back may be lost', async () => {
        const id = await propose('new\r\n');
        await first.edit(id, 1, 'edited');
        expect(await first.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new\r\n' });
    });

    it('closeDiff answers the proposal if the user undid every edit', async () => {
        const id = await propose('new\r\n');
        const revision = await first.edit(id, 1, 'edited');
        first.page.unsent = saveOf(id, undefined, 2, first.page.loadId, [revision]);
        expect(closedContent(await cli.closeDiff(file))).to.equal('new\r\n');
    });

    it('closeDiff answers what a page has not sent, and what the backend has if the page does not answer', async () => {
        const closeDiff = async (): Promise<string | undefined> => closedContent(await cli.closeDiff(file));
        const id = await propose();
        const revision = await first.edit(id, 1, 'edited');
        first.page.unsent = saveOf(id, 'typed a moment ago', 2, first.page.loadId, [revision]);
        expect(await closeDiff()).to.equal('typed a moment ago');

        await first.edit(await propose(), 1, 'edited');
        first.page.unsent = undefined;
        expect(await closeDiff()).to.equal('edited');

        await first.edit(await propose(), 1, 'edited again');
        first.page.answers = false;
        expect(await closeDiff()).to.equal('edited again');
        first.page.answerLate();
    });

    it('closeDiff asks every window that may show the diff', async () => {
        const id = await propose();
        const second = await openDevice('w2');
        second.page.unsent = saveOf(id, 'typed in the other window', 1, second.page.loadId);
        expect(closedContent(await cli.closeDiff(file))).to.equal('typed in the other window');
    });

    it('an accept is about exactly the text that was seen: where the backend has a later one, it asks for it', async () => {
        const id = await propose();
        const seen = await first.edit(id, 1, 'edited');
        const later = await first.edit(id, 2, 'edited again', seen);
        expect(await first.service.acceptReview(id, { revision: seen })).to.deep.equal({ result: 'textNeeded' });
        expect(await cli.settled()).to.deep.equal([]);
        expect(await first.service.acceptReview(id, { revision: seen, text: 'edited' })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'edited' });
        expect((await first.kept()).map(edit => edit.id)).to.deep.equal([editId(id, later)]);
    });

    it('a short proposal goes to the page with the request to show it', async () => {
        const long = 'x'.repeat(CompanionLimits.shortText + 1);
        await propose('new');
        await propose(long);
        expect(first.page.texts).to.deep.equal(['new', undefined]);
    });

    it('edits are mirrored in the order in which they were made', async () => {
        const id = await propose();
        const earlier = { page: first.page.loadId, n: 1 };
        await first.edit(id, 2, 'second', earlier);
        await first.edit(id, 1, 'first');
        expect(await first.service.readReview(id)).to.include({ text: 'second' });
    });

    it('a page whose hello is not answered yet must try again, and does not learn that the review is decided', async () => {
        const id = await propose();
        const after = new Device('w1');
        // The page before is asked whether it is there: until then the one that comes is nobody.
        first.page.answers = false;
        const greeted = after.hello();
        await new Promise(resolve => setImmediate(resolve));
        const answer = await after.service.rejectReview(id).catch((error: Error) => error);
        expect(answer).to.be.instanceOf(Error);
        await greeted;
        expect(await after.service.rejectReview(id)).to.deep.equal({ result: 'done' });
    });

    it('a review of a window that is away is listed in one with the same roots, and opened by it when the window stays away', async () => {
        first.sleep();
        await cli.openDiff(file, 'new');
        const second = new Device('w2');
        const [listed] = (await second.hello()).reviews;
        expect(listed).not.to.have.property('opens');
        passTime(OWNER_ABSENCE_MS);
        expect((await second.hello()).reviews[0]).to.include({ id: listed.id, opens: true });
        expect((await first.wakeUp()).reviews[0]).to.include({ id: listed.id, opens: true });
        expect(await second.service.acceptReview(listed.id, typed('edited there'))).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'edited there' });
        expect(await cli.settled()).to.deep.equal([]);
    });

    it('two CLIs that propose changes to the same file are distinguished, and answered separately', async () => {
        const server = backend.discovered('w1');
        const one = await CliProcess.open(server, file, 'one');
        const two = await CliProcess.open(server, file, 'two');
        try {
            const names = (): string[] => (first.page.state?.reviews ?? []).map(({ cliName }) => cliName);
            // The names come with the processes, a moment after the sessions.
            await eventually('two names', async () => new Set(names()).size === 2);
            expect(
                names().every(name => /^Qwen Code( \d)?$/.test(name)),
                names().join(', ')
            ).to.equal(true);
            const ids = first.page.shown.map(review => review.id);
            await first.service.acceptReview(ids[1], { revision: PROPOSAL });
            expect((await two.next('ide/diffAccepted')).params).to.deep.equal({ filePath: file, content: 'two' });
            await first.service.rejectReview(ids[0]);
            expect((await one.next('ide/diffRejected')).params).to.deep.equal({ filePath: file });
            expect([...one.received, ...two.received]).to.deep.equal([]);
        } finally {
            await Promise.all([one.end(), two.end()]);
        }
    });
});
