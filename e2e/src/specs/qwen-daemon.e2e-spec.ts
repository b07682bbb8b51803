// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { PageScan } from '../support/page-scan';
import { daemonProcesses, daemonToken, killDaemon } from '../support/qwen-daemons';
import { ENABLED, numbers, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../support/qwen-chat';
import { Workbench } from '../support/workbench';

/** The daemon that the IDE starts itself, with the real `qwen serve`. */
describe('Qwen in the chat, over a daemon that the IDE starts', () => {
    let workbench: Workbench;
    let chat: QwenChat;
    let scan: PageScan;
    /** Of all daemons, also of those that ended. */
    const tokens: string[] = [];

    before(async function () {
        this.timeout(120_000);
        workbench = await Workbench.start({
            model: true,
            prepare: addModels,
            prepareTab: async tab => (scan = new PageScan(tab))
        });
        chat = new QwenChat(workbench.page);
    });
    after(() => workbench?.dispose());

    const write = (name: string, content: string): Promise<string> =>
        workbench.model.script({ name: 'write_file', args: { file_path: workbench.ide.file(name), content } });

    it('shows, contacts and starts nothing while the preference is off', async () => {
        await chat.show();
        expect(await chat.statusBar.count()).to.equal(0);
        expect(await chat.banner.count()).to.equal(0);
        expect(await chat.view.locator('.qwen-daemon-welcome').count()).to.equal(0);
        expect(daemonProcesses(workbench.ide)).to.be.empty;
    });

    it('says where files, MCP servers, skills and credentials live, and starts nothing before the first message', async () => {
        await setPreferences(workbench.ide, { ...SHORT_NOTIFICATIONS, [ENABLED]: true });
        const welcome = chat.view.locator('.qwen-daemon-welcome');
        await welcome.waitFor();
        const text = await welcome.innerText();
        for (const word of ['Files', 'MCP servers', 'Skills', 'Credentials']) {
            expect(text).to.contain(word);
        }
        expect(await chat.statusBar.innerText()).to.contain('not connected yet');
        expect(daemonProcesses(workbench.ide)).to.be.empty;
    });

    it('streams thoughts and text of an answer, and shows where the daemon is', async () => {
        await chat.ask(say({ thought: 'Let me count.', count: 60, pause: 30 }));
        await chat.waitForAnswer('1 2 3');
        expect(await chat.view.locator('.theia-ChatContentInProgress').count(), 'in progress while it streams').to.equal(1);
        await chat.waitUntilDone();
        expect(await chat.spoken()).to.equal(numbers(60));
        expect(await chat.answer.locator('.theia-thinking pre').textContent()).to.equal('Let me count.');
        for (const place of [await chat.statusBar.innerText(), await chat.banner.innerText()]) {
            expect(place).to.contain('127.0.0.1:').and.to.contain(workbench.ide.workspace).and.to.contain('started by this IDE');
        }
        tokens.push(daemonToken(workbench.ide));
    });

    it('shows the diff of an edit while it asks, read-only, and the tool call completes when it is allowed', async () => {
        await chat.ask(await write('allowed.txt', 'one\ntwo\n'));
        await chat.waitForQuestion();
        const diff = await eventually('the diff of the edit', async () => (await chat.diffs())[0]);
        expect(diff).to.deep.equal({ path: workbench.ide.file('allowed.txt'), before: '', after: 'one\ntwo\n', editable: false });
        expect(await workbench.ide.exists('allowed.txt')).to.equal(false);
        // Where IDE mode is on, the daemon's agent is one more CLI of the companion beside it, and asks nothing there.
        expect(await workbench.page.statusDetails())
            .to.match(/^(Ready|Qwen Code connected)/)
            .and.not.to.match(/×|[Ww]aiting/);
        await chat.choose('Allow');
        await chat.tool('write_file', 'completed').waitFor();
        await chat.waitUntilDone();
        expect(await workbench.ide.read('allowed.txt')).to.equal('one\ntwo\n');
        await eventually('the diff to close', async () => (await chat.diffs()).length === 0);
    });

    it('does not do what is denied', async () => {
        await chat.ask(await write('denied.txt', 'never'));
        await chat.choose('Reject');
        await chat.tool('write_file', 'failed').waitFor();
        await chat.waitUntilDone();
        expect(await workbench.ide.exists('denied.txt')).to.equal(false);
    });

    it('lets the user answer a question of the model', async () => {
        const options = ['Blue', 'Green'].map(label => ({ label, description: `All in ${label.toLowerCase()}` }));
        const before = await workbench.model.newest();
        await chat.ask(
            await workbench.model.script({
                name: 'ask_user_question',
                args: { questions: [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }] }
            })
        );
        await chat.choose('Green');
        await chat.waitUntilDone();
        await workbench.model.waitForRequest('with the answer', before, ({ calls }) =>
            calls.some(({ result }) => result?.includes('Green'))
        );
    });

    it('shows the plan as it is now', async () => {
        const todo = (id: string, content: string, status: string): object => ({ id, content, status });
        await chat.askAndWait(
            await workbench.model.script(
                { name: 'todo_write', args: { todos: [todo('1', 'Look around', 'in_progress'), todo('2', 'Write it', 'pending')] } },
                { name: 'todo_write', args: { todos: [todo('1', 'Look around', 'completed'), todo('2', 'Write it', 'in_progress')] } }
            )
        );
        expect(await chat.answer.locator('.qwen-daemon-plan-completed').allInnerTexts()).to.deep.equal(['Look around']);
        expect(await chat.answer.locator('.qwen-daemon-plan-in_progress').allInnerTexts()).to.deep.equal(['Write it']);
    });

    it('says that it waits for a model that does not answer, and can be stopped', async () => {
        await chat.ask(say({ status: 503 }));
        await chat.waitForAnswer('waiting for the model');
        await chat.stop();
        await chat.waitUntilDone();
    });

    it('stops a turn', async () => {
        // Much longer than anything here waits: where it went on in the daemon, the next one would wait in the queue.
        await chat.ask(say({ count: 50_000, pause: 20 }));
        await chat.waitForAnswer('1 2 3');
        await chat.stop();
        await chat.waitUntilDone();
        expect(await chat.askAndWait(say({ text: 'Ready again.' }))).to.contain('Ready again.');
    });

    it('asks again for a permission after a reload of the page', async () => {
        await chat.ask(await write('reloaded.txt', 'kept'));
        await chat.waitForQuestion();
        await workbench.page.reload();
        await chat.waitForQuestion();
        await eventually('the diff of the edit', async () => (await chat.diffs())[0]);
        await chat.choose('Allow');
        await chat.tool('write_file', 'completed').waitFor();
        await chat.waitUntilDone();
        expect(await workbench.ide.read('reloaded.txt')).to.equal('kept');
    });

    it('goes on to show a turn that runs while the page reloads', async () => {
        await chat.ask(say({ count: 300, pause: 25 }));
        await chat.waitForAnswer('1 2 3');
        await workbench.page.reload();
        await chat.waitForAnswer('1 2 3');
        await chat.waitForAnswer('299 300');
        await chat.waitUntilDone();
        expect(await chat.spoken()).to.equal(numbers(300));
    });

    it('warns when an answer loosens the mode, and asks no more', async () => {
        await chat.ask(await write('first.txt', 'first'));
        await chat.choose('Allow All Edits');
        await chat.waitForAnswer('Warning');
        await chat.waitUntilDone();
        expect(await chat.banner.locator('.looser').count()).to.equal(1);
        await chat.askAndWait(await write('second.txt', 'second'));
        expect(await workbench.ide.read('second.txt')).to.equal('second');
    });

    it('switches the model, saying that the default changes', async () => {
        await chat.execute('Qwen Daemon: Choose Model...');
        await eventually('the title of the list', async () =>
            (await workbench.page.page.locator('.quick-input-widget').innerText()).includes('also becomes your default model')
        );
        await chat.pick('Second Model');
        await eventually('the model in the banner', async () => (await chat.banner.innerText()).includes('Second Model'));
        const before = await workbench.model.newest();
        await chat.askAndWait(say({ text: 'From the second.' }));
        const request = await workbench.model.waitForRequest('by the second model', before, ({ prompt }) =>
            prompt.includes('From the second.')
        );
        expect(request.model).to.equal('second-model');
    });

    it('says that a turn was lost with a killed daemon, and connects to a new one', async () => {
        await chat.ask(say({ count: 2_000, pause: 20 }));
        await chat.waitForAnswer('1 2 3');
        const killed = daemonProcesses(workbench.ide).map(({ pid }) => pid);
        killDaemon(workbench.ide);
        await chat.answer.locator('.qwen-daemon-problem').first().waitFor({ timeout: 60_000 });
        await chat.waitUntilDone();
        // By itself.
        await eventually('a new daemon', () => daemonProcesses(workbench.ide).some(({ pid }) => !killed.includes(pid)));
        await chat.bannerProblem.waitFor({ state: 'detached' });
        expect(await chat.askAndWait(say({ text: 'Back again.' }))).to.contain('Back again.');
        tokens.push(daemonToken(workbench.ide));
    });

    it('lists earlier sessions and opens one', async () => {
        await chat.execute('Qwen Daemon: Open Earlier Session...');
        await chat.pick('SAY:');
        await chat.waitForAnswer('Back again.');
    });

    it('never gave a token to the page', async () => {
        expect(await scan.placesOf('Back again.'), 'what the page was told').to.include('wire');
        expect(new Set(tokens).size).to.equal(2);
        for (const token of tokens) {
            expect(await scan.placesOf(token)).to.deep.equal([]);
        }
    });

    it('takes everything away when the preference is off again', async () => {
        await setPreferences(workbench.ide, { [ENABLED]: false });
        await chat.statusBar.waitFor({ state: 'detached' });
        await chat.banner.waitFor({ state: 'detached' });
        await eventually('no daemon to run', () => daemonProcesses(workbench.ide).length === 0);
    });
});

/** Two models, so that there is something to choose, both the scripted one; and the tool for plans, which is off by default. */
async function addModels(ide: IdeFixture): Promise<void> {
    const file = path.join(ide.home, '.qwen', 'settings.json');
    const settings = JSON.parse(await fs.readFile(file, 'utf8')) as object;
    const baseUrl = ide.env.OPENAI_BASE_URL;
    const model = (id: string, name: string): object => ({ id, name, baseUrl, envKey: 'OPENAI_API_KEY' });
    const openai = [model('scripted-model', 'Scripted Model'), model('second-model', 'Second Model')];
    await fs.writeFile(
        file,
        JSON.stringify(
            {
                ...settings,
                tools: { approvalMode: 'default', useRipgrep: false, todoWrite: { enabled: true } },
                model: { name: 'scripted-model' },
                modelProviders: { openai }
            },
            undefined,
            4
        )
    );
}
