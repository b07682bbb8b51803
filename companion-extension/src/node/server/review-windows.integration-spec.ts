// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { restore } from 'sinon';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { CompanionLimits } from '../../common/companion-limits';
import { DraftRef, PROPOSAL, WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { CliProcess } from '../test/cli-process';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { draftOf, TestPage, typed } from '../test/test-page';
import { closedContent } from '../test/tool-results';
import { CompanionBackendService } from './companion-backend-service';
import { OWNER_ABSENCE } from './companion-window';

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

        get service(): CompanionBackendService {
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

        /** Each load of a page has a draft of its own. */
        async edit(id: string, revision: number, text: string | undefined, from?: DraftRef): Promise<DraftRef> {
            await this.service.sendDraft(id, draftOf(text, revision, this.page.loadId, from));
            return { id: this.page.loadId, revision };
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

    it('an answer of a window whose roots are not known yet is no late one: it counts when it is sent again', async () => {
        const id = await propose();
        const device = await openDevice('w2', { roots: [] });
        expect(await device.service.rejectReview(id).catch((error: Error) => error)).to.be.instanceOf(Error);
        await device.service.hello(backend.window(device.page, { windowId: 'w2' }));
        expect(await device.service.rejectReview(id)).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffRejected')).params).to.deep.equal({ filePath: file });
    });

    it('a page with other roots cannot read, edit, answer or move a review, and does not see it', async () => {
        const id = await propose();
        const stranger = await openDevice('w2', { roots: [] });
        for (const shown of [typed('evil'), { draft: PROPOSAL }, {}]) {
            expect(await stranger.service.acceptReview(id, shown).catch((error: Error) => error)).to.be.instanceOf(Error);
        }
        expect(await stranger.service.rejectReview(id).catch((error: Error) => error)).to.be.instanceOf(Error);
        expect(await stranger.service.readReview(id)).to.equal(undefined);
        expect(await stranger.service.showReviewHere(id)).to.equal(false);
        expect(await stranger.edit(id, 99, 'evil').catch((error: Error) => error)).to.be.instanceOf(Error);
        const state = await stranger.hello();
        expect([...state.reviews, ...state.reviewsElsewhere]).to.deep.equal([]);
        expect(await first.service.readReview(id)).to.include({ text: 'new' });
        expect(await first.service.acceptReview(id, { draft: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new' });
    });

    it('a page with the same roots answers from its list what another one shows', async () => {
        const id = await propose();
        const draft = await first.edit(id, 1, 'edited');
        const second = await openDevice('w2');
        expect(await second.service.readReview(id)).to.include({ text: 'edited' });
        const [listed] = (await second.hello()).reviewsElsewhere;
        expect(listed.drafts).to.deep.equal([draft]);
        expect(await second.service.acceptReview(id, { draft })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'edited' });
        expect(await first.service.rejectReview(id)).to.deep.equal({ result: 'late', how: 'accepted' });
        expect(await cli.settled()).to.deep.equal([]);
    });

    it('drafts of two devices stay side by side; the newest is on the right, and an accept is about what was seen', async () => {
        const id = await propose();
        const atDesk = await first.edit(id, 1, 'at the desk');
        const second = await openDevice('w2');
        first.sleep();
        passTime(OWNER_ABSENCE);
        const [served] = (await second.hello()).reviews;
        expect(served.drafts).to.deep.equal([atDesk]);
        const onDevice = await second.edit(id, 9, 'on the device', atDesk);
        const [back] = (await first.wakeUp()).reviews;
        expect(back.drafts).to.deep.equal([onDevice]);
        // Typed while it slept: it knew nothing of the device.
        const later = await first.edit(id, 2, 'at the desk, later');
        const [both] = (await first.hello()).reviews;
        expect(both.drafts).to.deep.equal([onDevice, later]);
        expect(await first.service.readReview(id)).to.include({ text: 'at the desk, later' });
        expect(await first.service.readDraft(onDevice.id)).to.equal('on the device');
        expect(await first.service.acceptReview(id, { draft: onDevice })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'on the device' });
        const [kept, ...others] = (await first.hello()).keptDrafts;
        expect(kept).to.include({ id: later.id, reason: 'elsewhere' });
        expect(others).to.deep.equal([]);
    });

    it('accepting the proposal keeps what another device made of it (H3)', async () => {
        const id = await propose();
        const second = await openDevice('w2');
        const draft = await second.edit(id, 1, 'on the device');
        expect(await first.service.acceptReview(id, { draft: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new' });
        expect((await first.hello()).keptDrafts.map(({ id: kept, reason }) => [kept, reason])).to.deep.equal([[draft.id, 'elsewhere']]);
    });

    it('accepting unedited gives the proposal, whatever was mirrored before: the news that it was taken back may be lost', async () => {
        const id = await propose('new\r\n');
        await first.edit(id, 1, 'edited');
        expect(await first.service.acceptReview(id, { draft: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new\r\n' });
    });

    it('closeDiff answers the proposal if the user undid every edit', async () => {
        const id = await propose('new\r\n');
        await first.edit(id, 1, 'edited');
        first.page.closed = { draft: PROPOSAL };
        expect(await cli.closeDiff(file)).to.deep.include({
            content: [{ type: 'text', text: JSON.stringify({ content: 'new\r\n' }) }]
        });
    });

    it('closeDiff answers what the page shows, and what was mirrored if the page does not answer', async () => {
        const closeDiff = async (): Promise<string | undefined> => closedContent(await cli.closeDiff(file));
        await first.edit(await propose(), 1, 'edited');
        first.page.closed = typed('typed a moment ago', 2, first.page.loadId);
        expect(await closeDiff()).to.equal('typed a moment ago');

        const id = await propose();
        await first.edit(id, 1, 'edited');
        first.page.closed = { draft: { id: first.page.loadId, revision: 1 } };
        expect(await closeDiff()).to.equal('edited');

        await first.edit(await propose(), 1, 'edited again');
        first.page.answers = false;
        expect(await closeDiff()).to.equal('edited again');
        first.page.answerLate();
    });

    it('an accept is about exactly the text that was seen, even if the backend has a later one', async () => {
        const id = await propose();
        await first.edit(id, 1, 'edited');
        await first.edit(id, 2, 'edited again');
        const draft = (revision: number): DraftRef => ({ id: first.page.loadId, revision });
        const unknown = await first.service.acceptReview(id, { draft: draft(1) }).catch((error: Error) => error.message);
        expect(unknown).to.equal('The text that you accepted is not kept any more');
        expect(await cli.settled()).to.deep.equal([]);
        expect(await first.service.acceptReview(id, { draft: draft(1), text: 'edited' })).to.deep.include({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'edited' });
        expect(await first.service.readDraft(draft(2).id)).to.equal('edited again');
    });

    it('a review that moves while its first window opens it waits in the other one', async () => {
        const second = await openDevice('w2');
        first.page.showReview = async ({ id }) => {
            await second.service.showReviewHere(id);
            return { shown: false, reason: 'This proposal was already answered.' };
        };
        expect(await cli.openDiff(file, 'new')).to.deep.equal({ content: [] });
        const [review] = (await second.hello()).reviews;
        expect(await second.service.acceptReview(review.id, { draft: PROPOSAL })).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new' });
    });

    it('closeDiff asks the window that a review was moved to, also if both windows have other roots by now', async () => {
        const id = await propose();
        const second = await openDevice('w2');
        await second.service.showReviewHere(id);
        const roots = [backend.host.homeFolder, backend.host.temporaryFolder].map(folder => FileUri.create(folder).toString());
        for (const { page, service, windowId } of [first, second]) {
            await service.hello(backend.window(page, { windowId, roots }));
        }
        second.page.closed = typed('typed in the other window', 1, second.page.loadId);
        expect(closedContent(await cli.closeDiff(file))).to.equal('typed in the other window');
    });

    it('a short proposal goes to the page with the request to show it', async () => {
        const long = 'x'.repeat(CompanionLimits.shortText + 1);
        await propose('new');
        await propose(long);
        expect(first.page.texts).to.deep.equal(['new', undefined]);
    });

    it('edits are mirrored in the order in which they were made', async () => {
        const id = await propose();
        await first.edit(id, 2, 'second');
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

    it('a review of a window that is away is listed in one with the same roots, shown there when asked, and answered once', async () => {
        first.sleep();
        await cli.openDiff(file, 'new');
        const second = new Device('w2');
        const state = await second.hello();
        expect(state.reviews).to.deep.equal([]);
        const [{ id }] = state.reviewsElsewhere;
        expect(await second.service.showReviewHere(id)).to.equal(true);
        expect(second.page.state?.reviews.map(review => review.id)).to.deep.equal([id]);
        const back = await first.wakeUp();
        expect(back.reviews).to.deep.equal([]);
        expect(back.reviewsElsewhere.map(review => review.id)).to.deep.equal([id]);
        expect(await second.service.acceptReview(id, typed('edited there'))).to.deep.equal({ result: 'done' });
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'edited there' });
        expect(await cli.settled()).to.deep.equal([]);
    });

    it('a review that is shown elsewhere stays there while that window is loaded again, and comes back when it stays away', async () => {
        const id = await propose();
        const second = await openDevice('w2');
        await second.service.showReviewHere(id);
        second.sleep();
        expect((await first.hello()).reviews).to.deep.equal([]);
        expect((await second.wakeUp()).reviews.map(review => review.id)).to.deep.equal([id]);
        second.sleep();
        passTime(OWNER_ABSENCE);
        expect((await first.hello()).reviews.map(review => review.id)).to.deep.equal([id]);
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
            await first.service.acceptReview(ids[1], { draft: PROPOSAL });
            expect((await two.next('ide/diffAccepted')).params).to.deep.equal({ filePath: file, content: 'two' });
            await first.service.rejectReview(ids[0]);
            expect((await one.next('ide/diffRejected')).params).to.deep.equal({ filePath: file });
            expect([...one.received, ...two.received]).to.deep.equal([]);
        } finally {
            await Promise.all([one.end(), two.end()]);
        }
    });
});
