// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { Variables } from './supported-cli';
import { GeminiCli } from './gemini-cli';
import { QwenCodeCli } from './qwen-code-cli';
import { SpecifiedCli } from './specified-cli';
import { TestHost } from './test/test-host';

describe('The mode in which a CLI was started', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
    });

    afterEach(() => host.remove());

    async function unaskedMode(cli: SpecifiedCli, command: string, variables: Variables): Promise<string | undefined> {
        const { approval } = await cli.configuration({ command: command.split(' '), variables, folder: host.home('ws') });
        return approval.asks ? undefined : approval.name;
    }

    function modeOfQwen(command: string, variables: Variables = {}): Promise<string | undefined> {
        return unaskedMode(host.container().get(QwenCodeCli), command, variables);
    }

    function modeOfGemini(command: string): Promise<string | undefined> {
        return unaskedMode(host.container().get(GeminiCli), command, {});
    }

    function write(settings: object, ...names: string[]): string {
        const file = host.home(...names);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, JSON.stringify(settings));
        return file;
    }

    it('the mode in which a CLI was started is known from the command line, if it lets the CLI write without asking', async () => {
        expect(await modeOfQwen('node qwen --yolo')).to.equal('yolo');
        expect(await modeOfQwen('node qwen -y')).to.equal('yolo');
        expect(await modeOfQwen('node qwen --approval-mode=auto-edit')).to.equal('auto-edit');
        expect(await modeOfQwen('node qwen --approval-mode auto')).to.equal('auto');
        expect(await modeOfQwen('node qwen --approval-mode default')).to.equal(undefined);
        expect(await modeOfGemini('node gemini -- --yolo'), 'a prompt').to.equal(undefined);
        expect(await modeOfGemini('node gemini --approval-mode auto_edit')).to.equal('auto_edit');
    });

    it('the mode in which a CLI was started is known from the settings, which the command line overrides', async () => {
        write({ tools: { approvalMode: 'yolo' } }, '.qwen', 'settings.json');
        write({ general: { defaultApprovalMode: 'auto_edit' } }, '.gemini', 'settings.json');
        expect(await modeOfQwen('node qwen')).to.equal('yolo');
        expect(await modeOfQwen('node qwen --approval-mode default')).to.equal(undefined);
        expect(await modeOfGemini('node gemini')).to.equal('auto_edit');
        write({ tools: { approvalMode: 'plan' } }, '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen')).to.equal(undefined);
    });

    it('the mode in which a CLI was started is known from the defaults that its terminal names, if the user has set nothing', async () => {
        const defaults = write({ tools: { approvalMode: 'auto-edit' } }, 'defaults.json');
        expect(await modeOfQwen('node qwen', { QWEN_CODE_SYSTEM_DEFAULTS_PATH: defaults })).to.equal('auto-edit');
        write({ tools: { approvalMode: 'default' } }, '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen', { QWEN_CODE_SYSTEM_DEFAULTS_PATH: defaults })).to.equal(undefined);
    });

    it('the mode in which a CLI was started is the CLI’s default if none is set: Qwen Code writes, Gemini CLI asks', async () => {
        expect(await modeOfQwen('node qwen')).to.equal('auto');
        expect(await modeOfGemini('node gemini')).to.equal(undefined);
    });

    it('the mode in which a CLI was started is known from the settings of the workspace only if the user trusts it', async () => {
        write({ security: { folderTrust: { enabled: true } }, tools: { approvalMode: 'default' } }, '.qwen', 'settings.json');
        write({ tools: { approvalMode: 'yolo' } }, 'ws', '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen'), 'undecided').to.equal(undefined);
        write({ [host.home('ws')]: 'TRUST_FOLDER' }, '.qwen', 'trustedFolders.json');
        expect(await modeOfQwen('node qwen')).to.equal('yolo');
        write({ [host.home('ws')]: 'DO_NOT_TRUST' }, '.qwen', 'trustedFolders.json');
        expect(await modeOfQwen('node qwen --yolo'), 'it asks in a folder that is not trusted').to.equal(undefined);
    });
});
