// SPDX-License-Identifier: Apache-2.0

import { spawnSync } from 'child_process';
import { randomUUID } from 'crypto';
import { existsSync, promises as fs, readFileSync } from 'fs';
import * as path from 'path';
import { pathToFileURL } from 'url';
import { expect } from 'chai';
import { LiveSurroundings } from '../test/live-daemon';
import { EventOfKind, TestBackend, TestPage, value } from '../test/test-workspaces';

/** The published Qwen Code, started by this backend, with the scripted model. */
describe('A managed daemon (the real "qwen serve")', function (): void {
    this.timeout(90_000);

    let backend: TestBackend;
    let live: LiveSurroundings;
    let page: TestPage;
    let sessionId: string;
    let chatSessionId: string;

    /** One daemon for all: its start and its end take seconds. */
    before(async () => {
        backend = await TestBackend.create();
        // Qwen Code needs seconds to start, and more on a busy machine.
        backend.patience = 45_000;
        live = new LiveSurroundings(backend.folder);
        await live.start();
        backend.configuration.values['qwen-code.experimentalDaemon.enabled'] = true;
        backend.configuration.values['qwen-code.experimentalDaemon.command'] = live.command;
    });

    beforeEach(async () => {
        page = await backend.page();
        chatSessionId = randomUUID();
        sessionId = (await page.open({ chatSessionId })).session.sessionId;
    });

    afterEach(() => {
        expect(JSON.stringify(page.wire)).not.to.match(/client_[0-9a-f]{8}/);
        backend.close(page);
    });

    after(async () => {
        const pids = daemonPids();
        await backend.dispose();
        await live.stop();
        pids.forEach(pid => expect(existsSync(`/proc/${pid}`), `daemon ${pid} is gone`).to.equal(false));
    });

    function childrenOf(pid: number, pattern = ''): number[] {
        const { stdout } = spawnSync('pgrep', ['-P', String(pid), '-f', pattern], { encoding: 'utf8' });
        return stdout.split('\n').filter(Boolean).map(Number);
    }

    const daemonPids = (): number[] => childrenOf(process.pid, ' serve ');

    async function prompt(text: string, on = page): Promise<string> {
        const requestId = randomUUID();
        value(await on.service.sendPrompt(sessionId, { requestId, text }));
        return requestId;
    }

    function write(file: string): Promise<string> {
        return live.script('write_file', { file_path: path.join(backend.workspace, file), content: 'written by the agent\n' });
    }

    function at(name: string): string {
        return path.join(backend.workspace, name);
    }

    /** Has the model call this tool, and allows it. */
    async function change(name: string, args: object): Promise<string> {
        const turnId = await prompt(await live.script(name, args));
        value(await page.service.answerPermission(sessionId, (await permissionOf(turnId)).permission.id, { optionId: 'proceed_once' }));
        await page.end(sessionId, turnId);
        return turnId;
    }

    function permissionOf(turnId: string, on = page): Promise<EventOfKind<'permission'>> {
        return on.until(`permission of ${turnId}`, () => on.ofKind(sessionId, 'permission').find(event => event.turnId === turnId));
    }

    it('starts with a token that no command line shows, and says where it works', async () => {
        const status = await page.service.connect();
        expect(status).to.deep.include({ state: 'connected', kind: 'managed', workspaceCwd: backend.workspace, version: '0.24.4' });
        const [pid] = daemonPids();
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const token = environment.find(entry => entry.startsWith('QWEN_SERVER_TOKEN='))!.split('=')[1];
        expect(token).to.match(/^[0-9a-f]{64}$/);
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.to.contain(token);
        expect(JSON.stringify([page.wire, page.statuses])).not.to.contain(token);
    });

    it('prompt streams into the page', async () => {
        const turnId = await prompt('Say something.');
        expect((await page.end(sessionId, turnId)).outcome).to.equal('completed');
        expect(page.text(sessionId, turnId)).not.to.equal('');
        expect(page.ofKind(sessionId, 'turn')[0]).to.deep.include({ origin: 'own', turnId });
        expect(page.ofKind(sessionId, 'usage').length).to.be.greaterThan(0);
    });

    it('a page resolves a permission: allowed, the file is written; denied, it is not', async () => {
        const allowed = await prompt(await write('allowed.txt'));
        const { permission } = await permissionOf(allowed);
        expect(permission.diff?.path).to.equal(path.join(backend.workspace, 'allowed.txt'));
        expect((await page.service.readDiff(sessionId, { turnId: allowed, toolId: permission.toolId }))?.newText).to.equal(
            'written by the agent\n'
        );
        expect(value(await page.service.answerPermission(sessionId, permission.id, { optionId: 'proceed_once' }))).to.equal('accepted');
        await page.end(sessionId, allowed);
        expect(await fs.readFile(path.join(backend.workspace, 'allowed.txt'), 'utf8')).to.equal('written by the agent\n');
        expect(page.ofKind(sessionId, 'tool').at(-1)?.tool).to.deep.include({
            status: 'completed',
            name: 'write_file',
            title: 'Writing to allowed.txt'
        });
        expect(page.ofKind(sessionId, 'permissionClosed')[0].by).to.equal('this-ide');

        const denied = await prompt(await write('denied.txt'));
        value(await page.service.answerPermission(sessionId, (await permissionOf(denied)).permission.id, { optionId: 'cancel' }));
        await page.end(sessionId, denied);
        expect(existsSync(path.join(backend.workspace, 'denied.txt'))).to.equal(false);
        expect(page.ofKind(sessionId, 'tool').at(-1)?.tool.status).to.equal('failed');
    });

    it('allowed always: the next edit asks nothing, and that is the mode which the user chose', async () => {
        const first = await prompt(await write('one.txt'));
        value(await page.service.answerPermission(sessionId, (await permissionOf(first)).permission.id, { optionId: 'proceed_always' }));
        await page.end(sessionId, first);
        const mode = await page.until('the mode', () => page.ofKind(sessionId, 'mode').find(({ modeId }) => modeId === 'auto-edit'));
        expect(mode).to.deep.include({ chosenModeId: 'auto-edit', looser: false });
        const second = await prompt(await write('two.txt'));
        expect((await page.end(sessionId, second)).outcome).to.equal('completed');
        expect(page.ofKind(sessionId, 'permission')).to.have.length(1);
    });

    it('answers a question of the model', async () => {
        const questions = [
            {
                question: 'Which colour?',
                header: 'Colour',
                options: [
                    { label: 'Red', description: 'r' },
                    { label: 'Blue', description: 'b' }
                ],
                multiSelect: false
            }
        ];
        const turnId = await prompt(await live.script('ask_user_question', { questions }));
        const { permission } = await permissionOf(turnId);
        expect(permission.questions?.[0]).to.deep.include({ question: 'Which colour?', header: 'Colour' });
        value(
            await page.service.answerPermission(sessionId, permission.id, { optionId: 'proceed_once', answers: { '0': { options: [1] } } })
        );
        await page.end(sessionId, turnId);
        expect(page.ofKind(sessionId, 'tool').at(-1)?.tool.result).to.contain('Blue');
    });

    it('cancel works, also while a permission waits', async () => {
        const turnId = await prompt(await write('never.txt'));
        await permissionOf(turnId);
        value(await page.service.cancelTurn(sessionId, turnId));
        expect((await page.end(sessionId, turnId)).outcome).to.equal('cancelled');
        expect(page.ofKind(sessionId, 'permissionClosed')[0].by).to.equal('turn');
        expect(existsSync(path.join(backend.workspace, 'never.txt'))).to.equal(false);
    });

    it('[F3] each step of a goal that was set elsewhere is a turn of Qwen; Stop ends it, and the goal with it', async () => {
        // Each step asks for a permission, so that it runs when it is stopped.
        await page.end(sessionId, await prompt(`/goal ${await write('goal.txt')}`));
        const { turnId } = await page.until('a turn of Qwen', () => page.ofKind(sessionId, 'turn').find(({ origin }) => origin === 'qwen'));
        await permissionOf(turnId);
        value(await page.service.cancelTurn(sessionId, turnId));
        expect((await page.end(sessionId, turnId)).outcome).to.equal('cancelled');
        const { length } = page.ofKind(sessionId, 'turn');
        const next = await prompt('Anything else?');
        await page.end(sessionId, next);
        expect(
            page
                .ofKind(sessionId, 'turn')
                .slice(length)
                .map(({ origin }) => origin)
        ).to.deep.equal(['own']);
    });

    it('[F4] the end of a command in the background is a notice in a turn of Qwen, which ends', async () => {
        await change('run_shell_command', { command: 'sleep 0.2', description: 'waits', is_background: true });
        const { turnId } = await page.until('a turn of Qwen', () => page.ofKind(sessionId, 'turn').find(({ origin }) => origin === 'qwen'));
        await page.end(sessionId, turnId);
        const notices = page.ofKind(sessionId, 'notice').map(event => [event.turnId, event.notice]);
        expect(notices).to.deep.equal([[turnId, { code: 'background', text: 'Background shell "sleep 0.2" completed.' }]]);
        expect(page.ofKind(sessionId, 'text').filter(({ text }) => /Background shell|bg_/.test(text))).to.be.empty;
    });

    it('sends a message that waited when the turn is over, in its own mode, also after a refusal; taken back, never', async () => {
        const running = await prompt(await write('wait.txt'));
        const { permission } = await permissionOf(running);
        const [waiting, removed] = [randomUUID(), randomUUID()];
        value(await page.service.sendPrompt(sessionId, { requestId: waiting, text: await write('loose.txt'), modeId: 'auto-edit' }));
        value(await page.service.sendPrompt(sessionId, { requestId: removed, text: 'never', modeId: 'default' }));
        await page.until('the queue', () => page.ofKind(sessionId, 'queue').at(-1)?.turnIds.includes(removed));
        value(await page.service.cancelTurn(sessionId, removed));
        expect((await page.end(sessionId, removed)).outcome).to.equal('removed');
        value(await page.service.answerPermission(sessionId, permission.id, { optionId: 'cancel' }));
        expect((await page.end(sessionId, running)).outcome).to.equal('completed');
        expect((await page.end(sessionId, waiting)).outcome).to.equal('completed');
        expect(['wait.txt', 'loose.txt'].map(name => existsSync(at(name)))).to.deep.equal([false, true]);
        expect(page.ofKind(sessionId, 'permission')).to.have.length(1);
    });

    it('a turn keeps its id and its texts after a restart, and can be forgotten', async () => {
        const running = await change('write_file', { file_path: at('restarted.txt'), content: 'x' });
        const { toolId } = page.ofKind(sessionId, 'permission')[0].permission;
        await backend.restart();
        page = await backend.page();
        await page.open({ chatSessionId });
        expect(page.ofKind(sessionId, 'turn').map(({ turnId, origin }) => [turnId, origin])).to.deep.equal([[running, 'own']]);
        expect(await page.service.readDiff(sessionId, { turnId: running, toolId })).to.deep.include({
            path: at('restarted.txt'),
            oldText: ''
        });
        value(await page.service.rewind(sessionId, running));
        expect(existsSync(at('restarted.txt')), 'its file stays').to.equal(true);
        expect((await page.open({ chatSessionId })).events.filter(({ kind }) => kind === 'turn')).to.be.empty;
    });

    it('forgets several turns at once, and again, and after the session was loaded; all files stay', async () => {
        await fs.writeFile(at('edited.txt'), 'before\n');
        await page.end(sessionId, await prompt(await live.script('read_file', { file_path: at('edited.txt') })));
        const first = await change('edit', { file_path: at('edited.txt'), old_string: 'before', new_string: 'after' });
        await change('write_file', { file_path: at('new.txt'), content: 'new' });
        value(await page.service.rewind(sessionId, first));
        const again = await change('write_file', { file_path: at('again.txt'), content: 'again' });
        value(await page.service.rewind(sessionId, again));
        expect(await fs.readFile(at('edited.txt'), 'utf8')).to.equal('after\n');
        // All that the session had: the daemon does not write down that nothing is left.
        const [{ turnId: beginning }] = page.ofKind(sessionId, 'turn');
        value(await page.service.rewind(sessionId, beginning));
        const kept = await change('write_file', { file_path: at('kept.txt'), content: 'kept' });
        await backend.restart();
        page = await backend.page();
        await page.open({ chatSessionId });
        expect(page.ofKind(sessionId, 'turn').map(({ turnId }) => turnId)).to.deep.equal([kept]);
        value(await page.service.rewind(sessionId, kept));
        expect(['new.txt', 'again.txt', 'kept.txt'].filter(name => !existsSync(at(name)))).to.be.empty;
    });

    it('runs no code of a folder that is not trusted, and the hook of that folder once it is', async () => {
        const folder = await fs.mkdtemp(path.join(backend.folder, 'cloned-'));
        const marker = path.join(folder, 'the-hook-has-run');
        const hook = { matcher: '*', hooks: [{ type: 'command', command: `touch ${marker}` }] };
        await fs.mkdir(path.join(folder, '.qwen'));
        await fs.writeFile(path.join(folder, '.qwen', 'settings.json'), JSON.stringify({ hooks: { SessionStart: [hook] } }));
        const before = daemonPids();
        const careful = await backend.page(folder, 'untrusted');
        const opened = await careful.service.openSession({ chatSessionId: randomUUID() });
        expect(existsSync(marker), 'the hook has run').to.equal(false);
        expect(opened.ok ? 'opened' : opened.problem.code).to.equal('untrusted');
        expect(daemonPids()).to.deep.equal(before);

        await careful.service.hello({ roots: [pathToFileURL(folder).href], trust: 'trusted' });
        await careful.open({ chatSessionId: randomUUID() });
        await careful.until('what the folder wants to run', () => existsSync(marker));
        expect(daemonPids()).to.have.length(before.length + 1);
        await careful.service.hello({ roots: [pathToFileURL(folder).href], trust: 'untrusted' });
        await careful.until('the end of its daemon', () => daemonPids().length === before.length);
        backend.close(careful);
    });

    it('switches the model', async () => {
        value(await page.service.setModel(sessionId, 'scripted-b(openai)'));
        await page.until('the model', () => page.ofKind(sessionId, 'model').at(-1)?.modelId.startsWith('scripted-b'));
        expect((await page.open({ chatSessionId, sessionId })).session.models.map(({ id }) => id)).to.include('scripted-b(openai)');
    });

    it('a page that reloads during a permission is asked again', async () => {
        const turnId = await prompt(await write('reload.txt'));
        await permissionOf(turnId);
        backend.close(page);
        const later = await backend.page();
        await later.open({ chatSessionId });
        const { permission } = await permissionOf(turnId, later);
        value(await later.service.answerPermission(sessionId, permission.id, { optionId: 'proceed_once' }));
        expect((await later.end(sessionId, turnId)).outcome).to.equal('completed');
    });

    it('daemon killed in the middle of a turn: it is started again, the session is loaded, and the turn ends as lost', async () => {
        const turnId = await prompt(await write('killed.txt'));
        await permissionOf(turnId);
        const [pid] = daemonPids();
        process.kill(pid, 'SIGKILL');
        expect((await page.end(sessionId, turnId)).outcome).to.equal('lost');
        await page.until('another daemon', () => daemonPids().length === 1 && daemonPids()[0] !== pid);
        await page.until('connected', () => page.statuses.at(-1)?.state === 'connected');
        const next = await prompt('And again.');
        expect((await page.end(sessionId, next)).outcome).to.equal('completed');
    });

    it('agent process killed: says so, and a prompt brings the session back in the mode that was chosen', async () => {
        await page.end(sessionId, await prompt('Something to remember.'));
        const [pid] = daemonPids();
        childrenOf(pid).forEach(agent => process.kill(agent, 'SIGKILL'));
        await page.until('the loss', () => page.ofKind(sessionId, 'session').some(({ problem }) => problem?.code === 'session-died'));
        const turnId = await prompt(await write('after.txt'));
        await permissionOf(turnId);
        value(await page.service.cancelTurn(sessionId, turnId));
        await page.end(sessionId, turnId);
    });

    it("backend restarted: finds the chat's session again, with its turns and their ends", async () => {
        const turnId = await prompt('Before the restart.');
        await page.end(sessionId, turnId);
        const text = page.text(sessionId, turnId);
        // Not the default, which would come back by itself.
        value(await page.service.setApprovalMode(sessionId, 'plan'));
        await backend.restart();
        page = await backend.page();
        const opened = await page.open({ chatSessionId });
        expect(opened.session).to.deep.include({ sessionId, currentModeId: 'plan', chosenModeId: 'plan' });
        expect(page.ofKind(sessionId, 'turn')[0]).to.deep.include({ turnId, origin: 'own', prompt: 'Before the restart.' });
        expect(page.text(sessionId, turnId).trim()).to.equal(text.trim());
        expect((await page.end(sessionId, turnId)).outcome).to.equal('completed');
    });
});
