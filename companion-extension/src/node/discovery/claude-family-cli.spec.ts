// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { OpenCodeCli } from './opencode-cli';
import { ClaudeCodeCli } from './claude-code-cli';
import { CliSurroundings } from './supported-cli';
import { TestHost } from './test/test-host';

describe('The CLIs of Claude Code’s family', () => {
    let host: TestHost;
    let cli: ClaudeCodeCli;

    const terminal = (command = 'claude', variables: Record<string, string> = {}): CliSurroundings => ({
        command: command.split(' '),
        variables,
        folder: host.home('ws')
    });

    function write(content: object, ...names: string[]): string {
        const file = host.home(...names);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, JSON.stringify(content));
        return file;
    }

    beforeEach(() => {
        host = new TestHost();
        fs.mkdirSync(host.home('ws'));
        cli = host.container().get(ClaudeCodeCli);
    });

    afterEach(() => host.remove());

    it('W4: a new terminal has them look for the lock, and nothing of another IDE', () => {
        for (const each of [cli, host.container().get(OpenCodeCli)]) {
            expect(each.terminalVariables({ port: 4711 })).to.deep.equal({
                CLAUDE_CODE_AUTO_CONNECT_IDE: 'true',
                CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: 'true',
                CLAUDE_CODE_SSE_PORT: null,
                ENABLE_IDE_INTEGRATION: null,
                THEIA_COMPANION_PORT: '4711'
            });
        }
    });

    describe('W16: the mode that Claude Code was started in', () => {
        const unasked = async (command?: string): Promise<string | undefined> => {
            const { approval } = await cli.configuration(terminal(command));
            return approval.asks ? undefined : approval.name;
        };

        it('is one without diffs by default', async () => {
            expect(await unasked()).to.equal('auto');
            expect(await unasked(cli.startCommand(host.preferences))).to.equal(undefined);
        });

        it('is in its command line, or else in the settings, those of the folder first', async () => {
            write({ permissions: { defaultMode: 'default' } }, '.claude', 'settings.json');
            expect(await unasked()).to.equal(undefined);
            write({ permissions: { defaultMode: 'acceptEdits' } }, 'ws', '.claude', 'settings.json');
            expect(await unasked()).to.equal('acceptEdits');
            write({ permissions: { defaultMode: 'plan' } }, 'ws', '.claude', 'settings.local.json');
            expect(await unasked()).to.equal(undefined);
            expect(await unasked('claude --permission-mode=acceptEdits')).to.equal('acceptEdits');
            expect(await unasked('claude --dangerously-skip-permissions')).to.equal('bypassPermissions');
        });

        it('is the CLI’s own if the user does not want to be asked', () => {
            host.preferences['companion.claude.askBeforeEdits'] = false;
            expect(cli.startCommand(host.preferences)).to.equal('claude');
        });
    });
});
