// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { ChangesView } from '../support/changes-view';
import { eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { PageScan } from '../support/page-scan';
import { daemonProcesses, daemonToken } from '../support/qwen-daemons';
import { ENABLED, numbers, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../support/qwen-chat';
import { Workbench } from '../support/workbench';

/** One pixel. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The daemon that the IDE starts itself, with the real `qwen serve`. */
describe('Qwen in the chat, over a daemon that the IDE starts', () => {
    let workbench: Workbench;
    let chat: QwenChat;
    let scan: PageScan;
    let token: string;

    before(async function () {
        this.timeout(120_000);
        workbench = await Workbench.start({
            model: true,
            files: { 'undone.txt': 'before\n' },
            prepare: addModels,
            prepareTab: async tab => (scan = new PageScan(tab))
        });
        chat = new QwenChat(workbench.page);
    });
    after(() => workbench?.dispose());

    const write = (name: string, content: string): Promise<string> =>
        workbench.model.script({ name: 'write_file', args: { file_path: workbench.ide.file(name), content } });

    it('shows, contacts and starts nothing while the preference is off, but how to turn it on, and takes no message that nobody would answer', async () => {
        await chat.show();
        const offer = chat.view.locator('.qwen-daemon-welcome').getByRole('button', { name: 'Use Qwen Code in the Chat (Experimental)' });
        await offer.waitFor();
        expect(await chat.statusBar.count()).to.equal(0);
        expect(await chat.isInputEnabled(), 'a message that nobody would answer').to.equal(false);
        expect(daemonProcesses(workbench.ide)).to.be.empty;
        await setPreferences(workbench.ide, SHORT_NOTIFICATIONS);
        await offer.click();
        await chat.statusBar.waitFor();
        await eventually('the input', () => chat.isInputEnabled());
        // "off" until the backend knows of the preference, which the page knows first.
        await eventually('the state', async () => (await chat.statusBar.innerText()).includes('not connected yet'));
        expect(daemonProcesses(workbench.ide), 'before the first message').to.be.empty;
    });

    it('streams thoughts and text of an answer, and shows where the daemon is', async () => {
        // Without a mention: there is no other agent here.
        await chat.send(say({ thought: 'Let me count.', count: 60, pause: 30 }));
        // The daemon and its agent process start: on a busy machine that takes more than a minute.
        await chat.waitForAnswer('1 2 3', { timeout: 120_000 });
        expect(await chat.view.locator('.theia-ChatContentInProgress').count(), 'in progress while it streams').to.equal(1);
        await chat.waitUntilDone();
        expect(await chat.spoken()).to.equal(numbers(60));
        expect(await chat.answer.locator('.theia-thinking pre').textContent()).to.equal('Let me count.');
        expect(await chat.statusBar.getAttribute('aria-label'))
            .to.contain('127.0.0.1:')
            .and.to.contain(workbench.ide.workspace)
            .and.to.contain('started by this IDE');
        token = daemonToken(workbench.ide);
    });

    it('shows the diff of an edit while it asks, read-only, and the tool call completes when it is allowed there', async () => {
        await chat.ask(await write('allowed.txt', 'one\ntwo\n'));
        await chat.waitForQuestion();
        const diff = await eventually('the diff of the edit', async () => (await chat.diffs())[0]);
        expect(diff).to.deep.equal({ path: workbench.ide.file('allowed.txt'), before: '', after: 'one\ntwo\n', editable: false });
        const right = workbench.page.page.locator('.monaco-diff-editor .editor.modified');
        await right.locator('.line-insert').first().waitFor();
        expect(await right.locator('.line-delete').count(), 'a line that was not there').to.equal(0);
        expect(await workbench.ide.exists('allowed.txt')).to.equal(false);
        // The keyboard stayed in the chat, where it was.
        await workbench.page.page.keyboard.type('Next');
        await eventually('the text at the input', async () => (await chat.input.innerText()).includes('Next'));
        await workbench.page.press('Backspace', 'Backspace', 'Backspace', 'Backspace');
        await workbench.page.page.locator('.monaco-diff-editor .editor.modified .view-lines:not(.line-delete)').click();
        await workbench.page.page.keyboard.type('x');
        await workbench.page.page.getByText('You cannot edit this proposal').first().waitFor();
        // The daemon's agent is no CLI of the companion.
        expect(await workbench.page.statusDetails())
            .to.match(/^Qwen waits: Writing to allowed\.txt/)
            .and.not.to.match(/×|connected|proposal/);
        // In the title of the diff.
        await workbench.page.page.locator('#theia-main-content-panel').getByTitle('Allow What Qwen Asks For').click();
        await chat.tool('write_file', 'completed').waitFor();
        await chat.waitUntilDone();
        expect(await workbench.ide.read('allowed.txt')).to.equal('one\ntwo\n');
        await eventually('the diff to close', async () => (await chat.diffs()).length === 0);
    });

    it('shows a command whole before it runs, with what allows it for ever last, and does not run it if it is denied', async () => {
        const command = `echo never > ${workbench.ide.file('denied.txt')} && echo "${'a long line '.repeat(20)}"`;
        await chat.ask(await workbench.model.script({ name: 'run_shell_command', args: { command, description: 'Says something' } }));
        await chat.waitForQuestion();
        expect(await chat.permission.locator('pre').innerText()).to.equal(command);
        expect(await chat.permission.innerText()).to.contain('Says something');
        expect(await chat.overflow()).to.equal(0);
        const [first, second, ...others] = await chat.options.allInnerTexts();
        expect([first, second]).to.deep.equal(['Allow', 'Reject']);
        expect(others.length).to.be.greaterThan(0);
        await chat.choose('Reject');
        await chat.tool('run_shell_command', 'rejected').waitFor();
        await chat.waitForAnswer('Rejected. Tell Qwen what to do instead.');
        await chat.waitUntilDone();
        expect(await workbench.ide.exists('denied.txt')).to.equal(false);
        await workbench.page.page.keyboard.type('Instead');
        await eventually('the keyboard at the input', async () => (await chat.inputText()) === 'Instead');
    });

    it('is not overlooked when it asks while the chat is closed: a key shows it, and only then answers', async () => {
        const ask = async (command: string): Promise<void> =>
            chat.ask(await workbench.model.script({ name: 'run_shell_command', args: { command } }));
        await ask(`echo all is well | tee ${workbench.ide.file('allowed-by-key.txt')}`);
        await chat.waitForQuestion();
        expect(await chat.message.count(), 'messages while it is in view').to.equal(0);
        await chat.hide();
        await chat.message.getByRole('button', { name: 'Show' }).waitFor();
        await workbench.page.waitForStatus('Qwen waits: echo all is well');
        expect(await workbench.page.page.title()).to.match(/^\(1\) /);
        expect(await chat.tab.innerText()).to.contain('1');
        // The first key shows it, with the keyboard on it; the second comes too soon.
        await workbench.page.press('Control+Shift+F8', 'Control+Enter');
        await chat.option('Allow').waitFor();
        await chat.message.waitFor({ state: 'detached' });
        expect(await workbench.ide.exists('allowed-by-key.txt')).to.equal(false);
        await eventually('the command', async () => {
            await workbench.page.press('Control+Enter');
            return workbench.ide.exists('allowed-by-key.txt');
        });
        await chat.tool('run_shell_command', 'completed').waitFor();
        await chat.waitUntilDone();
        expect(await chat.tool('run_shell_command').locator('.qwen-daemon-tool-output').innerText()).to.equal('all is well');

        // Not a command that only reads: Qwen runs those without a question.
        await ask(`touch ${workbench.ide.file('never.txt')}`);
        await chat.waitForQuestion();
        // In the first half second a key does not count.
        await eventually('the rejection', async () => {
            if (await chat.option('Reject').isVisible()) {
                await chat.option('Reject').focus();
                await workbench.page.press('Enter');
            }
            return chat.tool('run_shell_command', 'rejected').isVisible();
        });
        await chat.waitUntilDone();
    });

    it('asks before a message is sent in a mode that never asks, and fits into the width that Theia gives the view', async () => {
        await chat.resize(213);
        const [mode, send] = await Promise.all([chat.inputMode, chat.sendButton].map(part => part.boundingBox()));
        expect(mode!.x + mode!.width <= send!.x || mode!.y + mode!.height <= send!.y, 'the mode beside Send').to.equal(true);
        await chat.resize(390);
        await chat.chooseInputMode('Never ask');
        await chat.send(say({ text: 'Nobody wants that.' }));
        await workbench.page.page.locator('.dialogBlock').getByRole('button', { name: 'Cancel' }).click();
        await chat.waitForAnswer('Not sent.');
        await eventually('the message', async () => (await chat.inputText()).includes('Nobody wants that.'));
        await eventually('the mode', async () => (await chat.inputMode.innerText()).includes('Ask for permission'));
        await chat.type('');
        await chat.clearInput();
    });

    it("completes the daemon's commands at the input", async () => {
        await chat.type('/stat');
        await chat.acceptCompletion('stats');
        await eventually('the command', async () => (await chat.inputText()) === '/stats ');
        await chat.clearInput();
    });

    it('sends an image that is pasted, which the message shows, and says which model saw it', async () => {
        await chat.copyImage(IMAGE);
        await chat.type(`@Qwen ${say({ text: 'I see.' })} `);
        const before = await workbench.model.newest();
        await workbench.page.press('Control+V');
        await eventually('the image at the input', async () => (await chat.inputText()).includes('#imageContext:pasted_image'));
        await workbench.page.press('Enter');
        await chat.waitForAnswer('I see.');
        await chat.waitUntilDone();
        const shown = await chat.view.locator('.theia-RequestNode img').getAttribute('src');
        const seen = await workbench.model.waitForRequest('about the image', before, ({ model }) => model === 'second-model');
        expect(shown).to.match(/^data:image\/png;base64,.+/);
        expect(await workbench.model.body(seen)).to.contain(shown);
        expect(await chat.answerText()).to.contain('The model cannot see images. They were sent with the prompt to second-model');
    });

    it('sends a message that waited for the turn', async () => {
        await chat.ask(
            await workbench.model.script(
                { name: 'read_file', args: { file_path: workbench.ide.file('undone.txt') } },
                { name: 'edit', args: { file_path: workbench.ide.file('undone.txt'), old_string: 'before', new_string: 'after' } }
            )
        );
        await chat.waitForQuestion();
        await chat.send(say({ text: 'With tabs, as you say.' }));
        await chat.waitForAnswer('Queued behind 1 other prompt');
        await chat.view.locator('.qwen-daemon-permission-option', { hasText: /^Allow$/ }).click();
        await chat.waitForAnswer('With tabs, as you say.');
        await chat.waitUntilDone();
        expect(await chat.spoken()).to.contain('With tabs, as you say.');
        expect(await workbench.ide.read('undone.txt')).to.equal('after\n');
    });

    it('what two turns changed, also by a command, is in Agent Changes after a reload: one is undone, one kept, and the line above the input counts the rest', async () => {
        const { ide, page } = workbench;
        const command = `printf 'by a command' > ${ide.file('kept.txt')}`;
        await chat.ask(await workbench.model.script({ name: 'run_shell_command', args: { command } }));
        await chat.waitForQuestion();
        await chat.choose('Allow');
        await chat.waitUntilDone();
        await chat.changesLine.filter({ hasText: '4 files changed. Review' }).waitFor();
        await page.reload();
        await chat.show();
        await chat.changesLine.filter({ hasText: '4 files changed. Review' }).waitFor();
        await chat.changesLine.getByText('Review').click();
        await page.page.locator('.lm-TabBar-tab.lm-mod-current', { hasText: '(changed by Qwen)' }).waitFor();
        const changes = new ChangesView(page, ide.workspace);
        await changes.open();
        expect((await changes.groups()).join()).to.contain('Qwen');
        await changes.press('undone.txt', 'discard');
        await changes.waitForRows('added allowed-by-key.txt +1', 'added allowed.txt +2', 'added kept.txt +1');
        await changes.press('kept.txt', 'check');
        await eventually('the text before', async () => (await ide.read('undone.txt')) === 'before\n');
        await changes.waitForRows('added allowed-by-key.txt +1', 'added allowed.txt +2');
        expect(await ide.read('kept.txt')).to.equal('by a command');
        await chat.changesLine.filter({ hasText: '2 files changed. Review' }).waitFor();
    });

    it('shows a plan to approve as text in its card, and works on in the mode that was approved', async () => {
        await chat.chooseInputMode('Plan only');
        const plan = `# The plan\n\n1. Write **it**, ${'in a long line, '.repeat(20)}\n2. Use \`Array<string>\`\n`;
        await chat.ask(
            await workbench.model.script(
                { name: 'exit_plan_mode', args: { plan } },
                { name: 'write_file', args: { file_path: workbench.ide.file('planned.txt'), content: 'planned' } }
            )
        );
        await chat.waitForQuestion();
        expect(await chat.permission.locator('h1').innerText()).to.equal('The plan');
        expect(await chat.permission.locator('li').count()).to.equal(2);
        expect(await chat.permission.locator('code').innerText()).to.equal('Array<string>');
        expect(await chat.overflow()).to.equal(0);
        expect((await chat.options.allInnerTexts())[0]).to.equal('Yes, and manually approve edits');
        await chat.choose('Yes, and auto-accept edits');
        expect(await chat.waitUntilDone()).not.to.contain('Warning');
        expect(await workbench.ide.read('planned.txt')).to.equal('planned');
        expect(await chat.answer.locator('details.qwen-daemon-permission summary').innerText())
            .to.contain('Plan')
            .and.to.contain('Yes, and auto-accept edits');
    });

    it('switches the model, saying that the default changes', async () => {
        await chat.execute('Qwen Daemon: Choose Model…');
        await eventually('the title of the list', async () =>
            (await workbench.page.page.locator('.quick-input-widget').innerText()).includes('also becomes your default model')
        );
        await chat.pick('Second Model');
        await chat.execute('Qwen Daemon: Show Status');
        const rows = workbench.page.page.locator('.quick-input-list .monaco-list-row');
        await rows.filter({ hasText: 'Second Model' }).waitFor();
        await workbench.page.press('Escape');
        await rows.first().waitFor({ state: 'hidden' });
        expect(await chat.view.locator('.theia-ChatNodeHeader').last().innerText(), 'of an answer before').to.contain('Scripted Model');
        const before = await workbench.model.newest();
        await chat.askAndWait(say({ text: 'From the second.' }));
        const request = await workbench.model.waitForRequest('by the second model', before, ({ prompt }) =>
            prompt.includes('From the second.')
        );
        expect(request.model).to.equal('second-model');
    });

    it('never gave a token to the page', async () => {
        // The stream may be cut within any of them.
        const told = await Promise.all(['From', 'second'].map(text => scan.placesOf(text)));
        expect(told.flat(), 'what the page was told').to.include('wire');
        expect(await scan.placesOf(token)).to.deep.equal([]);
    });

    it('takes everything away when the preference is off again', async () => {
        await setPreferences(workbench.ide, { [ENABLED]: false });
        await chat.statusBar.waitFor({ state: 'detached' });
        await eventually('no daemon to run', () => daemonProcesses(workbench.ide).length === 0);
    });
});

/** Two models, so that there is something to choose, both the scripted one, of which the second sees images; and the tool for plans, which is off by default. */
async function addModels(ide: IdeFixture): Promise<void> {
    const file = path.join(ide.home, '.qwen', 'settings.json');
    const settings = JSON.parse(await fs.readFile(file, 'utf8')) as object;
    const baseUrl = ide.env.OPENAI_BASE_URL;
    const model = (id: string, name: string, image: boolean): object => ({
        ...{ id, name, baseUrl, envKey: 'OPENAI_API_KEY' },
        generationConfig: { modalities: { image } }
    });
    const openai = [model('scripted-model', 'Scripted Model', false), model('second-model', 'Second Model', true)];
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
