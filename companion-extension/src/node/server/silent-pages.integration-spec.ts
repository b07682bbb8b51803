// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WindowState } from '../../common/companion-protocol';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

/** Where `frontendConnectionTimeout` is negative or long, the connection of a tab that died stays open. */
describe('Pages that are silent while their connections are open', () => {
    let backend: TestBackend;
    let owner: TestPage;
    let ownerConnection: TestConnection;
    let cli: TestCli;
    let file: string;

    beforeEach(async () => {
        backend = new TestBackend();
        file = backend.host.home('a.txt');
        owner = new TestPage();
        ownerConnection = backend.connect(owner);
        await hello(owner, ownerConnection, 'w1');
        const { port, token } = backend.discovered('w1');
        cli = await TestCli.connect(port, token);
    });

    afterEach(async () => {
        await cli.disconnect();
        await backend.stop();
    });

    function hello(page: TestPage, connection: TestConnection, windowId: string): Promise<WindowState> {
        return connection.service.hello(backend.window(page, { windowId }));
    }

    async function open(windowId: string): Promise<TestPage> {
        const page = new TestPage();
        await hello(page, backend.connect(page), windowId);
        return page;
    }

    function listed(page: TestPage): string[] | undefined {
        return page.state?.reviews.map(({ path }) => path);
    }

    function opens(page: TestPage): boolean | undefined {
        return page.state?.reviews.some(review => review.opens);
    }

    it('a diff that a dead tab leaves unanswered opens in the live window beside it, with the answer to the CLI', async () => {
        const beside = await open('w2');
        owner.answers = false;
        expect(await cli.openDiff(file, 'new')).to.deep.equal({ content: [] });
        expect(beside.shown.map(({ path }) => path)).to.deep.equal([file]);
        await eventually('the review to be listed there', () => listed(beside)?.length === 1);
        // From now on nobody waits for the dead tab.
        owner.shown.length = 0;
        await cli.openDiff(backend.host.home('b.txt'), 'new');
        expect(owner.shown).to.deep.equal([]);
        expect(beside.shown).to.have.length(2);
    });

    it('dead tabs are skipped one after the other', async () => {
        const alive = await open('w2');
        const dead = await open('w3');
        owner.answers = dead.answers = false;
        await cli.openDiff(file, 'new');
        expect(alive.shown).to.have.length(1);
    });

    it('the reason why the live window cannot show a diff reaches the CLI', async () => {
        const beside = await open('w2');
        owner.answers = false;
        beside.refusal = 'no room';
        expect(await cli.openDiff(file, 'new')).to.deep.include({ isError: true, content: [{ type: 'text', text: 'no room' }] });
    });

    it('a window that calls again serves again', async () => {
        const beside = await open('w2');
        owner.answers = false;
        await cli.openDiff(file, 'new');
        await eventually('the review to go to the live window', () => opens(beside) === true && opens(owner) === false);
        owner.answers = true;
        await ownerConnection.service.updateContext({ sequence: 1, context: { workspaceState: { isTrusted: true } } });
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { isTrusted: true } });
        await eventually('the review to come back', () => opens(beside) === false && opens(owner) === true);
        expect(listed(beside), 'where it was shown meanwhile').to.deep.equal([file]);
    });

    it('a window that was only slow serves again when its answer comes', async () => {
        const beside = await open('w2');
        owner.answers = false;
        await cli.openDiff(file, 'new');
        await eventually('the review to go to the live window', () => opens(beside) === true && opens(owner) === false);
        owner.answerLate();
        await eventually('the review to come back', () => opens(beside) === false && opens(owner) === true);
        expect(listed(beside), 'where it was shown meanwhile').to.deep.equal([file]);
    });

    it('a window that reports a failure counts as alive', async () => {
        const beside = await open('w2');
        owner.fails = true;
        await cli.openDiff(file, 'new');
        await eventually('the review to be listed', () => listed(owner)?.[0] === file);
        expect(beside.shown).to.deep.equal([]);
    });

    it('the only window keeps what it may still show', async () => {
        owner.answers = false;
        expect(await cli.openDiff(file, 'new')).to.deep.equal({ content: [] });
        expect((await hello(owner, ownerConnection, 'w1')).reviews.map(({ path }) => path)).to.deep.equal([file]);
    });

    it('a hundred dead tabs do not keep the next one out, and the live ones stay', async () => {
        const dead = await Promise.all(Array.from({ length: 98 }, (_, index) => open(`dead-${index}`)));
        const alive = await open('alive');
        dead.forEach(page => (page.answers = false));
        const next = await open('next');
        expect(next.state?.windowId ?? 'next').to.equal('next');
        expect(backend.windows.serverFor('next')).not.to.equal(undefined);
        expect(backend.windows.serverFor('alive')).not.to.equal(undefined);
        expect(backend.windows.serverFor('w1'), 'the window of a CLI').not.to.equal(undefined);
        expect(dead.filter((_, index) => backend.windows.serverFor(`dead-${index}`))).to.have.length(97);
        await cli.openDiff(file, 'new');
        expect(owner.shown).to.have.length(1);
        expect(alive.shown).to.deep.equal([]);
    });

    it('a hundred open tabs do keep the next one out, and notice nothing', async () => {
        await Promise.all(Array.from({ length: 99 }, (_, index) => open(`alive-${index}`)));
        const refused = await open('next').catch((error: Error) => error);
        expect(refused).to.be.instanceOf(Error).with.property('message').that.includes('100 windows');
    });
});
