// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { backendPreferences } from '../../common/companion-preferences';
import { SilentFolders } from '../test/silent-folders';
import { KiloCli } from './kilo-cli';
import { OpenCodeCli } from './opencode-cli';
import { ClaudeCodeCli } from './claude-code-cli';
import { GeminiCli } from './gemini-cli';
import { QwenCodeCli } from './qwen-code-cli';
import { SecureFolder } from './secure-folder';
import { DiscoverySubject, Variables, SupportedCli } from './supported-cli';
import { SupportedClis } from './supported-clis';
import { TestHost } from './test/test-host';

const subject: DiscoverySubject = {
    port: 4711,
    token: 'secret-token',
    roots: ['/a', '/b c'],
    identity: { name: 'theia', displayName: 'My IDE' }
};

async function paths(cli: SupportedCli): Promise<string[]> {
    return (await cli.discoveryFiles(subject)).map(file => path.join(file.folder.base, ...file.folder.below, file.name));
}

describe('The supported CLIs', () => {
    let host: TestHost;
    let gemini: GeminiCli;
    let qwen: QwenCodeCli;

    beforeEach(() => {
        host = new TestHost();
        host.pid = 100;
        host.parentPid = 90;
        gemini = host.container().get(GeminiCli);
        qwen = host.container().get(QwenCodeCli);
    });

    afterEach(() => host.remove());

    it('D2 D4 D5 D6: Gemini CLI has files named after the backend, its parent, and the port', async () => {
        expect(await paths(gemini)).to.deep.equal([
            host.temporary('gemini', 'ide', 'gemini-ide-server-100-4711.json'),
            host.temporary('gemini', 'ide', 'gemini-ide-server-90-4711.json')
        ]);
    });

    it('D2 D4 D5 D6 K8: Qwen Code has the same, and its lock file in ~/.qwen/ide', async () => {
        expect(await paths(qwen)).to.deep.equal([
            host.temporary('qwen', 'ide', 'qwen-code-ide-server-100-4711.json'),
            host.temporary('qwen', 'ide', 'qwen-code-ide-server-90-4711.json'),
            host.home('.qwen', 'ide', '4711.lock')
        ]);
    });

    it('D5: init is not an IDE, nor is a parent in another pid namespace', async () => {
        for (const parent of [1, 0]) {
            host.parentPid = parent;
            expect((await paths(gemini)).map(file => path.basename(file))).to.deep.equal(['gemini-ide-server-100-4711.json']);
        }
    });

    it('D7 D8 D9 D11 D12 D13: the content is that of the specification', async () => {
        for (const file of [...(await gemini.discoveryFiles(subject)), ...(await qwen.discoveryFiles(subject))]) {
            expect(file.content).to.include({ port: 4711, workspacePath: ['/a', '/b c'].join(path.delimiter), authToken: 'secret-token' });
            expect(file.content['ideInfo']).to.deep.equal({ name: 'theia', displayName: 'My IDE' });
        }
    });

    it('S10: a link is followed in the user’s own folders, and nowhere below the temporary folder', async () => {
        const lockFolder = async (home?: string): Promise<string | undefined> => {
            host.variables['QWEN_HOME'] = home;
            const folders = (await qwen.staleFilePatterns()).map(({ folder }) => folder);
            return new SecureFolder(folders[1], host).make().catch((error: Error) => error.message);
        };
        for (const [link, home] of [
            [host.home('.qwen'), undefined],
            [host.home('q'), host.home('q')],
            [host.home('parent'), host.home('parent', 'b', 'c')]
        ] as const) {
            fs.symlinkSync(fs.mkdtempSync(host.home('target-')), link);
            expect(await lockFolder(home), link).to.equal(path.join(home ?? link, 'ide'));
        }
        for (const names of [['q'], ['a', 'b'], ['c', 'd', 'e']]) {
            const link = host.temporary(names[0]);
            fs.symlinkSync(fs.mkdtempSync(host.home('target-')), link);
            expect(await lockFolder(host.temporary(...names)), link).to.include(
                `${link} is a symbolic link, which the companion does not follow`
            );
        }
        expect(await lockFolder(host.temporary('own', 'q'))).to.equal(host.temporary('own', 'q', 'ide'));
    });

    it('says what helps if a folder is refused: the CLI’s own, or a parent of HOME below the temporary folder', async () => {
        const advice = async (refused: string): Promise<string> => {
            const { folder } = (await qwen.staleFilePatterns())[1];
            return folder.elsewhere(refused).command;
        };
        expect(await advice(host.home('.qwen'))).to.include('export QWEN_HOME=');
        Object.assign(host, { homeFolder: host.temporary('of-another-user', 'home') });
        expect(await advice(host.home('.qwen'))).to.include('export QWEN_HOME=');
        expect(await advice(host.temporary('of-another-user'))).to.include('export TMPDIR=');
    });

    it('K8: the lock names our own process, which Qwen Code can signal as long as the server lives', async () => {
        const lock = (await qwen.discoveryFiles(subject)).find(file => file.name.endsWith('.lock'));
        expect(lock?.content).to.include({ ppid: 100, ideName: 'My IDE' });
    });

    it('D9: without a folder the workspace is empty', async () => {
        expect((await gemini.discoveryFiles({ ...subject, roots: [] }))[0].content['workspacePath']).to.equal('');
    });

    it('A5: new shells get the port and the workspace, and nothing of another IDE', () => {
        const expected = { QWEN_CODE_IDE_SERVER_PORT: '4711', QWEN_CODE_IDE_WORKSPACE_PATH: ['/a', '/b c'].join(path.delimiter) };
        expect(qwen.terminalVariables(subject)).to.include(expected);
        const variables = gemini.terminalVariables(subject);
        expect(variables).to.include({
            GEMINI_CLI_IDE_SERVER_PORT: '4711',
            GEMINI_CLI_IDE_WORKSPACE_PATH: ['/a', '/b c'].join(path.delimiter),
            GEMINI_CLI_IDE_PID: '100'
        });
        for (const name of ['GEMINI_CLI_IDE_AUTH_TOKEN', 'GEMINI_CLI_IDE_SERVER_STDIO_COMMAND', 'GEMINI_CLI_IDE_SERVER_STDIO_ARGS']) {
            expect(variables[name], name).to.equal(null);
        }
        expect(qwen.terminalVariables(subject)['QWEN_CODE_IDE_SERVER_STDIO_COMMAND']).to.equal(null);
    });

    it('S12: no token is in the environment', () => {
        const values = [...Object.values(gemini.terminalVariables(subject)), ...Object.values(qwen.terminalVariables(subject))];
        expect(values.filter(value => value?.includes(subject.token))).to.deep.equal([]);
    });

    it('never sets an empty workspace', () => {
        expect(gemini.terminalVariables({ port: 1, roots: [] })['GEMINI_CLI_IDE_WORKSPACE_PATH']).to.equal(null);
        expect(qwen.terminalVariables({ port: 1, roots: [] })['QWEN_CODE_IDE_WORKSPACE_PATH']).to.equal(null);
    });

    it('Qwen Code keeps an administrator’s defaults, however they are found', async () => {
        await qwen.prepareTerminals();
        host.platform = 'linux';
        const variable = (inherited: Variables): unknown =>
            qwen.terminalDefaults(inherited, backendPreferences())['QWEN_CODE_SYSTEM_DEFAULTS_PATH'];
        expect(variable({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: '/x.json' })).to.equal(undefined);
        expect(variable({})).not.to.equal(undefined);
        host.files.add('/etc/qwen-code/system-defaults.json');
        expect(variable({})).to.equal(undefined);
        const admin = host.temporary('admin');
        fs.mkdirSync(admin);
        const elsewhere = { QWEN_CODE_SYSTEM_SETTINGS_PATH: path.join(admin, 'settings.json') };
        expect(variable(elsewhere), 'not looked at').to.equal(undefined);
        Object.assign(host.variables, elsewhere);
        await qwen.prepareTerminals();
        const silence = new SilentFolders([admin]);
        expect(variable(elsewhere)).not.to.equal(undefined);
        expect(silence.blocking).to.deep.equal([]);
        silence.end();
        fs.writeFileSync(path.join(admin, 'system-defaults.json'), '{}');
        await qwen.prepareTerminals();
        expect(variable(elsewhere)).to.equal(undefined);
    });

    it('a process is known by the name of its script and of its package, not by other folders or by what a person typed', () => {
        const container = host.container();
        const fork = { id: 'fork', displayName: 'Fork', command: 'gemini-fork' } as SupportedCli;
        const all: ContributionProvider<SupportedCli> = {
            getContributions: () => [qwen, gemini, container.get(ClaudeCodeCli), container.get(OpenCodeCli), container.get(KiloCli), fork]
        };
        container.bind(ContributionProvider).toConstantValue(all).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        const clis = container.get(SupportedClis);
        for (const [command, id] of [
            ['node /usr/bin/qwen', 'qwen-code'],
            ['/home/qwen/.nvm/bin/node /home/qwen/.nvm/lib/node_modules/@google/gemini-cli/bundle/gemini.js', 'gemini-cli'],
            ['node /home/qwen/node_modules/@google/gemini-cli/dist/index.js', 'gemini-cli'],
            ['node /opt/node_modules/.pnpm/@qwen-code+qwen-code@1/node_modules/@qwen-code/qwen-code/cli.js', 'qwen-code'],
            ['/usr/lib/node_modules/opencode-ai/bin/opencode', 'opencode'],
            ['/usr/lib/node_modules/@kilocode/cli-linux-x64/bin/kilo', 'kilo'],
            ['node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js', 'claude-code'],
            ['claude gemini', 'claude-code'],
            ['node /usr/bin/gemini-fork', 'fork'],
            ['bash /home/qwen/claude/run.sh', undefined],
            ['vi geminis.txt', undefined],
            ['vim opencode.json', undefined],
            ['bash run.sh claude', undefined],
            ['tmux attach -t claude', undefined]
        ] as const) {
            expect(clis.ofProcess(command.split(' '))?.id, command).to.equal(id);
        }
    });

    it('an agent is known behind what starts it, whether it is served or only seen, and by the user’s own names', () => {
        const container = host.container();
        const all: ContributionProvider<SupportedCli> = { getContributions: () => [qwen, container.get(ClaudeCodeCli)] };
        container.bind(ContributionProvider).toConstantValue(all).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        const clis = container.get(SupportedClis);
        clis.namedAgents = ['my-agent', { command: 'robot.sh', name: 'The Robot' }];
        for (const [command, name] of [
            ['claude -p x', 'Claude Code'],
            ['/nix/store/x/bin/.claude-unwrapped', 'Claude Code'],
            ['nix run nixpkgs#claude-code -- -p x', 'Claude Code'],
            ['nix develop -c claude', 'Claude Code'],
            ['op run --env-file x.env -- claude', 'Claude Code'],
            ['npx --yes @anthropic-ai/claude-code', 'Claude Code'],
            ['env -u A B=1 nice -n 5 claude', 'Claude Code'],
            ['docker exec -it -u root -e A=b c claude -p x', 'Claude Code'],
            ['podman exec -it c env A=b codex', 'Codex'],
            ['kubectl -n ns exec -it pod -c main -- aider', 'Aider'],
            ['ssh -t -p 22 host claude', 'Claude Code'],
            ['ssh|host|cd project && claude --continue', 'Claude Code'],
            ['script|-qc|claude -p x|/dev/null', 'Claude Code'],
            ['sh|-c|codex exec x', 'Codex'],
            ['/usr/bin/python3 /usr/local/bin/aider --yes', 'Aider'],
            ['python3 -m aider', 'Aider'],
            ['/opt/bin/cursor-agent --use-system-ca index.js', 'Cursor CLI'],
            ['node /usr/lib/node_modules/@openai/codex/bin/codex.js', 'Codex'],
            ['goose session', 'Goose'],
            ['my-agent', 'my-agent'],
            ['bash /opt/robot.sh --fast', 'The Robot'],
            // Not the program, or no agent.
            ['vim claude', undefined],
            ['docker exec -it c vim claude', undefined],
            ['docker run claude', undefined],
            ['docker build -t claude .', undefined],
            ['kubectl get pods claude', undefined],
            ['npm view codex', undefined],
            ['ssh claude', undefined],
            ['sudo -u pi bash', undefined],
            ['bash|-c|echo claude', undefined],
            ['claude mcp serve', undefined],
            ['opencode serve', undefined],
            ['qwen --port 1 serve', 'Qwen Code'],
            ['qwen serve', undefined],
            ['codex mcp-server', undefined],
            ['pi-hole', undefined],
            ['amp-server', undefined],
            ['-bash', undefined],
            ['', undefined]
        ] as const) {
            expect(clis.agentOf(command.split(command.includes('|') ? '|' : ' '))?.displayName, command).to.equal(name);
        }
    });

    it('finds its own files by the patterns for stale ones', async () => {
        for (const cli of [gemini, qwen]) {
            for (const file of await cli.discoveryFiles(subject)) {
                const pattern = (await cli.staleFilePatterns()).find(
                    candidate => new SecureFolder(candidate.folder, host).path === new SecureFolder(file.folder, host).path
                );
                expect(pattern?.name.test(file.name), file.name).to.equal(true);
            }
        }
    });
});
