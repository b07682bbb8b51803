// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { CliDiagnosis, DiagnosisStep } from '../../common/diagnosis';
import { WindowSnapshot } from '../../common/companion-protocol';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { specifiedContent, specifiedFolder, SupportedCli } from '../discovery/supported-cli';
import { OWNER_ABSENCE_MS } from '../server/window';
import { DisconnectedClis } from '../agents/disconnected-clis';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection } from '../test/test-backend';
import { TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { TestTerminal } from '../test/test-terminal';

/** One thing is broken in each case: all else is as it should be. */
describe('The doctor, in a real terminal', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    const terminals: TestTerminal[] = [];
    let showClis: () => void;

    beforeEach(() => {
        showClis = TestTerminal.hideClis();
        backend = new TestBackend();
        backend.container.rebind(DisconnectedClis).toSelf().inSingletonScope();
        page = new TestPage();
        connection = backend.connect(page);
        TestTerminal.install(backend.host, 'qwen', '0.24.4');
        TestTerminal.install(backend.host, 'gemini', '0.61.0');
        settings('.qwen', { ide: { enabled: true }, tools: { approvalMode: 'default' } });
        settings('.gemini', { ide: { enabled: true }, security: { folderTrust: { enabled: false } } });
    });

    afterEach(async () => {
        await Promise.all(terminals.splice(0).map(terminal => terminal.close()));
        connection.disconnect();
        await backend.stop();
        showClis();
    });

    function settings(folder: '.qwen' | '.gemini', content: object): void {
        write(path.join(folder, 'settings.json'), content);
    }

    function write(file: string, content: object): void {
        const target = backend.host.home(file);
        fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
        fs.writeFileSync(target, JSON.stringify(content));
    }

    async function start(changes: Partial<WindowSnapshot> = {}): Promise<void> {
        await connection.service.hello(backend.window(page, changes));
    }

    /** A terminal of the window. */
    function open(variables: Record<string, string | null> = {}, folder = backend.host.homeFolder): TestTerminal {
        const server = backend.windows.serverFor('window-1');
        const given = server
            ? backend.container.get(TerminalEnvironment).variables(server, {}, backend.windows.preferencesOf('window-1'))
            : {};
        const terminal = TestTerminal.open(backend.host, folder, { ...given, ...variables });
        terminals.push(terminal);
        return terminal;
    }

    async function diagnose(terminal?: TestTerminal): Promise<Record<'qwen' | 'gemini', CliDiagnosis>> {
        const { clis } = await connection.service.diagnose(terminal?.pid);
        const of = (id: string): CliDiagnosis => clis.find(({ cliId }) => cliId === id) as CliDiagnosis;
        return { qwen: of('qwen-code'), gemini: of('gemini-cli') };
    }

    /** What the report has on top. */
    function first({ steps }: CliDiagnosis): DiagnosisStep | undefined {
        return steps.find(({ verdict }) => verdict === 'failure') ?? steps.find(({ verdict }) => verdict === 'warning');
    }

    function ids({ steps }: CliDiagnosis): string[] {
        return steps.map(({ id }) => id);
    }

    function found({ steps }: CliDiagnosis, id: string): DiagnosisStep {
        const step = steps.find(candidate => candidate.id === id);
        expect(step, `${id} in ${steps.map(candidate => candidate.id).join(', ')}`).not.to.equal(undefined);
        return step as DiagnosisStep;
    }

    it('reports nothing if all is well, and does not count its own connection', async () => {
        await start();
        const states: number[] = [];
        page.notifyState = state => void states.push(state.status.connections.length);
        const { qwen, gemini } = await diagnose(open());
        expect(first(qwen)).to.equal(undefined);
        expect(first(gemini)).to.equal(undefined);
        expect(ids(qwen)).to.deep.equal([
            'companion',
            'program',
            'environment',
            'folder',
            'file',
            'workspace',
            'host',
            'handshake',
            'ideMode',
            'approval',
            'trust'
        ]);
        expect(found(qwen, 'program').found?.[1]).to.equal('0.24.4');
        expect(states.filter(count => count > 0)).to.deep.equal([]);
        const { lines } = await connection.service.readLog(0);
        expect(lines.filter(line => line.includes('connected'))).to.deep.equal([]);
    });

    it('contains no token', async () => {
        await start();
        const files = [backend.host.home('.qwen', 'ide'), backend.host.temporary('gemini', 'ide')];
        const tokens = files.flatMap(folder =>
            fs.readdirSync(folder).map(name => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).authToken as string)
        );
        expect(tokens).not.to.have.length(0);
        const report = JSON.stringify(await connection.service.diagnose(open({ GEMINI_API_KEY: 'sk-secret' }).pid));
        [...tokens, 'sk-secret'].forEach(secret => expect(report).not.to.include(secret));
    });

    it('without a terminal says what a new one would have', async () => {
        await start();
        const diagnosis = await connection.service.diagnose();
        expect(diagnosis.terminal).to.equal(undefined);
        expect(found(diagnosis.clis[0], 'handshake').verdict).to.equal('ok');
    });

    it('the preference is off', async () => {
        await start({ enabled: false });
        const { qwen, gemini } = await diagnose(open());
        expect([first(qwen)?.id, first(gemini)?.id]).to.deep.equal(['companion.off', 'companion.off']);
    });

    it('another TMPDIR: Gemini CLI looks there, Qwen Code does not mind', async () => {
        await start();
        const other = path.join(backend.host.folder, 'other tmp');
        fs.mkdirSync(other);
        const { qwen, gemini } = await diagnose(open({ TMPDIR: other }));
        expect(first(gemini)).to.include({ id: 'environment.elsewhere', command: `export TMPDIR='${backend.host.temporaryFolder}'` });
        expect(first(gemini)?.values).to.include({ folder: path.join(other, 'gemini', 'ide'), variable: 'TMPDIR' });
        expect(found(gemini, 'file.missing').verdict).to.equal('failure');
        expect(first(qwen)).to.equal(undefined);
    });

    it('another TMPDIR that was set in the running shell: what the CLI was started with counts', async () => {
        await start();
        const terminal = open();
        await terminal.type(`export TMPDIR=${backend.host.folder}/elsewhere`);
        await terminal.run('gemini');
        expect(first((await diagnose(terminal)).gemini)?.id).to.equal('environment.elsewhere');
    });

    it('begins with the CLI that runs in the terminal, and knows that it reads the keys', async () => {
        await start();
        const terminal = open();
        const before = await connection.service.diagnose(terminal.pid);
        expect(before.clis.filter(({ runsHere }) => runsHere)).to.deep.equal([]);
        expect(before.terminal).not.to.have.property('runsProgram');
        await terminal.run('gemini');
        const running = await connection.service.diagnose(terminal.pid);
        expect(running.clis.map(({ displayName, runsHere }) => runsHere && displayName).slice(0, 2)).to.deep.equal([
            'Gemini CLI',
            undefined
        ]);
        expect(running.terminal).to.deep.include({ runsProgram: true });
    });

    it('another QWEN_HOME: Qwen Code looks there', async () => {
        await start();
        const { qwen, gemini } = await diagnose(open({ QWEN_HOME: backend.host.temporary('own-qwen') }));
        expect(first(qwen)?.id).to.equal('environment.elsewhere');
        expect(first(gemini)).to.equal(undefined);
    });

    it('the files are deleted, and the companion cannot write them again', async () => {
        await start();
        const terminal = open();
        backend.container.get(DiscoveryFiles).removeSync();
        const { qwen, gemini } = await diagnose(terminal);
        expect([first(qwen)?.id, first(gemini)?.id]).to.deep.equal(['file.missing', 'file.missing']);
        expect(ids(gemini)).not.to.include('handshake');
    });

    it('a refused folder, with the command that fixes it', async () => {
        const refused = backend.host.temporary('gemini');
        fs.mkdirSync(refused);
        fs.chmodSync(refused, 0o777);
        await start();
        const { qwen, gemini } = await diagnose(open());
        expect(first(gemini)).to.include({ id: 'folder.refused', command: `chmod go-w '${refused}'` });
        expect(first(qwen)).to.equal(undefined);
    });

    it('the terminal is in another folder', async () => {
        await start();
        const outside = path.join(backend.host.folder, 'outside');
        fs.mkdirSync(outside);
        const { qwen, gemini } = await diagnose(open({}, outside));
        expect(first(qwen)).to.include({ id: 'workspace.outside', command: `cd '${backend.host.homeFolder}'` });
        expect(first(gemini)?.id).to.equal('workspace.outside');
    });

    it('the terminal is in a worktree beside the project: no command leads to the other checkout', async () => {
        const [worktree, nested] = [path.join(backend.host.folder, 'worktree'), path.join(backend.host.homeFolder, 'nested')];
        fs.mkdirSync(path.join(backend.host.homeFolder, '.git'));
        [worktree, nested].forEach(folder => {
            fs.mkdirSync(path.join(folder, 'src'), { recursive: true });
            fs.writeFileSync(path.join(folder, '.git'), 'gitdir: elsewhere\n');
        });
        await start();
        const { qwen, gemini } = await diagnose(open({}, path.join(worktree, 'src')));
        expect([qwen, gemini].map(first).map(step => [step?.id, step?.command])).to.deep.equal([
            ['workspace.checkout', undefined],
            ['workspace.checkout', undefined]
        ]);
        const { clis } = await connection.service.diagnose(open({}, nested).pid);
        const copilot = clis.find(({ cliId }) => cliId === 'copilot')?.steps.find(({ id }) => id.startsWith('workspace'));
        expect([copilot?.id, copilot?.command], 'it connects only in an open folder').to.deep.equal(['workspace.checkout', undefined]);
    });

    it('a container without the hint: Gemini CLI looks for another host', async () => {
        await start();
        backend.host.files.add('/.dockerenv');
        const { qwen, gemini } = await diagnose(open({ REMOTE_CONTAINERS: null }));
        expect(first(gemini)).to.include({ id: 'host.container', command: 'export REMOTE_CONTAINERS=true' });
        expect(first(qwen)).to.equal(undefined);
        expect(first((await diagnose(open())).gemini)).to.equal(undefined);
    });

    it('IDE mode is off: undecided, which the companion can fix, and decided', async () => {
        settings('.gemini', { security: { folderTrust: { enabled: false } } });
        await start();
        const undecided = first((await diagnose(open())).gemini);
        expect(undecided).to.include({ id: 'ideMode.off', command: '/ide enable' });
        settings('.gemini', { ide: { enabled: false } });
        settings('.qwen', { ide: { enabled: false }, tools: { approvalMode: 'default' } });
        const { qwen, gemini } = await diagnose(open());
        expect([first(qwen)?.id, first(gemini)?.id]).to.deep.equal(['ideMode.off', 'ideMode.off']);
        expect(first(gemini)?.values?.['file']).to.equal(backend.host.home('.gemini', 'settings.json'));
    });

    it('IDE mode is switched off while the CLI runs', async () => {
        await start();
        const terminal = open();
        await terminal.run('qwen');
        settings('.qwen', { ide: { enabled: false }, tools: { approvalMode: 'default' } });
        const { qwen } = await diagnose(terminal);
        expect(first(qwen)).to.include({ id: 'ideMode.off', command: '/ide enable' });
        expect(ids(qwen), 'one reason').to.include('session').and.not.include('session.missing');
    });

    it('no diffs: yolo by the command line, auto by default and by the settings', async () => {
        settings('.qwen', { ide: { enabled: true } });
        await start();
        const terminal = open({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: null });
        await terminal.run('gemini --yolo');
        const { qwen, gemini } = await diagnose(terminal);
        expect(found(gemini, 'approval.silent').values?.['mode']).to.equal('yolo');
        expect(first(qwen)).to.include({ id: 'approval.silent', verdict: 'warning', command: 'qwen --approval-mode default' });
        expect(first(qwen)?.values?.['mode']).to.equal('auto');
        settings('.gemini', {
            ide: { enabled: true },
            security: { folderTrust: { enabled: false } },
            general: { defaultApprovalMode: 'auto_edit' }
        });
        expect(first((await diagnose(open())).gemini)?.values?.['mode']).to.equal('auto_edit');
    });

    it('Qwen Code asks if only the companion’s own defaults say so', async () => {
        settings('.qwen', {});
        await start();
        expect(first((await diagnose(open())).qwen)).to.equal(undefined);
    });

    it('a folder that is not trusted, and one that nobody has decided on', async () => {
        settings('.gemini', { ide: { enabled: true } });
        await start();
        expect(first((await diagnose(open())).gemini)).to.include({ id: 'trust.missing', verdict: 'warning' });
        write('.gemini/trustedFolders.json', { [backend.host.folder]: 'TRUST_FOLDER', [backend.host.homeFolder]: 'DO_NOT_TRUST' });
        expect(first((await diagnose(open())).gemini)).to.include({ id: 'trust.missing', command: '/permissions' });
    });

    it('a CLI that is missing, and one that is too old', async () => {
        fs.rmSync(path.join(TestTerminal.bin(backend.host), 'gemini'));
        TestTerminal.install(backend.host, 'qwen', '0.10.1');
        await start();
        const { qwen, gemini } = await diagnose(open());
        expect(first(qwen)).to.include({ id: 'program.tooOld', command: 'npm install -g @qwen-code/qwen-code@latest' });
        expect(first(qwen)?.values).to.include({ version: '0.10.1', minimum: '0.12.0' });
        expect(found(gemini, 'program.missing')).to.include({ verdict: 'unknown', command: 'npm install -g @google/gemini-cli' });
    });

    it('a CLI that only the shell’s own settings put on the PATH is no problem, and found once it runs', async () => {
        const own = path.join(backend.host.folder, 'own');
        fs.renameSync(TestTerminal.bin(backend.host), own);
        fs.writeFileSync(backend.host.home('rc'), `touch ${backend.host.home('rc.ran')}\nPATH=${own}:$PATH\n`);
        await start();
        // An interactive POSIX shell reads it.
        const terminal = open({ ENV: backend.host.home('rc') });
        const { verdict, values } = found((await diagnose(terminal)).qwen, 'program.missing');
        expect([verdict, values?.['pid']]).to.deep.equal(['unknown', String(terminal.pid)]);
        expect(fs.existsSync(backend.host.home('rc.ran')), 'settings of a shell that were run').to.equal(false);
        fs.renameSync(own, TestTerminal.bin(backend.host));
        await terminal.run('qwen');
        expect(found((await diagnose(terminal)).qwen, 'program').found?.[1]).to.equal('0.24.4');
    });

    it('a CLI that is connected: since when, whatever else could keep it from connecting', async () => {
        await start();
        const terminal = open();
        await terminal.run('qwen');
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        settings('.qwen', { ide: { enabled: false }, tools: { approvalMode: 'default' } });
        const { qwen } = await diagnose();
        expect(qwen.connectedSince).to.be.a('number');
        expect(ids(qwen)).to.deep.equal(['companion', 'session', 'approval']);
        expect(first((await diagnose(terminal)).qwen)?.id, 'another one').to.equal('ideMode.off');
        await cli.disconnect();
    });

    it('a terminal of an earlier window: this window serves it, so it is not foreign', async () => {
        await start();
        const terminal = open();
        connection.disconnect();
        const takeBack = passTime(OWNER_ABSENCE_MS);
        try {
            const successor = new TestPage();
            connection = backend.connect(successor);
            await connection.service.hello(backend.window(successor, { windowId: 'window-2' }));
            expect(ids((await diagnose(terminal)).qwen))
                .to.include('file')
                .and.not.to.include('file.foreign');
            await connection.service.hello(backend.window(successor, { windowId: 'window-2', roots: [] }));
            expect(ids((await diagnose(terminal)).qwen)).to.include('file.foreign');
        } finally {
            takeBack();
        }
    });

    it('two locks for one folder: Claude Code takes none, unless the process of one has ended', async () => {
        await start();
        const lock = (pid: number): void =>
            write('.claude/ide/1.lock', { pid, workspaceFolders: [backend.host.homeFolder], ideName: 'Other' });
        const claude = async (): Promise<string[]> =>
            ids((await connection.service.diagnose(open().pid)).clis.find(({ cliId }) => cliId === 'claude-code') as CliDiagnosis);
        lock(process.pid);
        expect(await claude()).to.include('file.ambiguous');
        lock(2 ** 22 + 1);
        expect(await claude())
            .to.include('file')
            .and.to.include('handshake');
    });

    it('an odd discovery file is diagnosed as any other, and so are the other CLIs', async () => {
        await start();
        const odd = backend.host.temporary('gemini', 'ide', `gemini-ide-server-${process.pid}-1.json`);
        fs.writeFileSync(odd, JSON.stringify({ port: 1, authToken: 'a\nb', workspacePath: backend.host.homeFolder }));
        const { qwen, gemini } = await diagnose(open({ GEMINI_CLI_IDE_SERVER_PORT: '1' }));
        expect(found(gemini, 'handshake.failed').values?.['path']).to.equal(odd);
        expect(first(qwen)).to.equal(undefined);
    });

    it('a CLI that outlived a backend: its port is no longer served', async () => {
        await start();
        const terminal = open({ QWEN_CODE_IDE_SERVER_PORT: '1' });
        await terminal.run('qwen');
        const { qwen } = await diagnose(terminal);
        expect(first(qwen)).to.include({ id: 'session.missing', command: '/ide enable' });
        const elsewhere = await diagnose(open());
        expect(first(elsewhere.qwen)?.id).to.equal('session.missing');
    });

    it('a CLI that an application contributes: what is known about it', async () => {
        const acme: SupportedCli = {
            id: 'acme',
            displayName: 'Acme Agent',
            command: 'acme',
            portVariable: 'ACME_PORT',
            discoveryFiles: async subject => [
                { folder: specifiedFolder(backend.host, 'acme'), name: `${subject.port}.json`, content: specifiedContent(subject) }
            ],
            staleFilePatterns: async () => [],
            terminalVariables: ({ port }) => ({ ACME_PORT: String(port) })
        };
        backend.container.bind(SupportedCli).toConstantValue(acme);
        TestTerminal.install(backend.host, 'acme', '1.2.3');
        await start();
        const terminal = open({ ACME_PORT: '1' });
        await terminal.run('acme');
        const { clis } = await connection.service.diagnose(terminal.pid);
        const diagnosis = clis.find(({ cliId }) => cliId === 'acme') as CliDiagnosis;
        expect(first(diagnosis)).to.include({ id: 'session.missing' });
        expect(ids(diagnosis)).to.deep.equal([
            'companion',
            'program',
            'environment',
            'folder',
            'file',
            'workspace',
            'host',
            'handshake',
            'session.missing'
        ]);
    });

    it('refuses what is not a process, and says if one is gone', async () => {
        await start();
        expect((await connection.service.diagnose(2 ** 22 + 1)).terminal).to.equal(undefined);
        const refused = await connection.service.diagnose(-1).then(
            () => false,
            () => true
        );
        expect(refused).to.equal(true);
    });
});
