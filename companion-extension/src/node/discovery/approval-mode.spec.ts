// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { ProcessDetails } from '../host/process-table';
import { GeminiCli } from './gemini-cli';
import { QwenCodeCli } from './qwen-code-cli';
import { TestHost } from './test/test-host';

describe('The mode in which a CLI was started', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
    });

    afterEach(() => host.remove());

    function process(command: string, environment: string[] = []): ProcessDetails {
        return { pid: 7, parent: 1, command: command.split(' '), environment, folder: host.home('ws'), umask: 0o022 };
    }

    async function modeOfQwen(command: string, environment?: string[]): Promise<string | undefined> {
        return host.container().get(QwenCodeCli).unaskedMode(process(command, environment));
    }

    async function modeOfGemini(command: string): Promise<string | undefined> {
        return host.container().get(GeminiCli).unaskedMode(process(command));
    }

    function write(settings: object, ...names: string[]): string {
        const file = host.home(...names);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, JSON.stringify(settings));
        return file;
    }

    it('is known from the command line, if it lets the CLI write unasked', async () => {
        expect(await modeOfQwen('node qwen --yolo')).to.equal('yolo');
        expect(await modeOfQwen('node qwen -y')).to.equal('yolo');
        expect(await modeOfQwen('node qwen --approval-mode=auto-edit')).to.equal('auto-edit');
        expect(await modeOfQwen('node qwen --approval-mode auto')).to.equal('auto');
        expect(await modeOfQwen('node qwen --approval-mode default')).to.equal(undefined);
        expect(await modeOfQwen('node qwen -- --yolo'), 'a prompt').to.equal(undefined);
        expect(await modeOfGemini('node gemini --approval-mode auto_edit')).to.equal('auto_edit');
    });

    it('is known from the settings, which the command line overrides', async () => {
        write({ tools: { approvalMode: 'yolo' } }, '.qwen', 'settings.json');
        write({ general: { defaultApprovalMode: 'auto_edit' } }, '.gemini', 'settings.json');
        expect(await modeOfQwen('node qwen')).to.equal('yolo');
        expect(await modeOfQwen('node qwen --approval-mode default')).to.equal(undefined);
        expect(await modeOfGemini('node gemini')).to.equal('auto_edit');
        write({ tools: { approvalMode: 'plan' } }, '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen')).to.equal(undefined);
    });

    it('is known from the defaults that its terminal names, where the user has set nothing', async () => {
        const defaults = write({ tools: { approvalMode: 'auto-edit' } }, 'defaults.json');
        expect(await modeOfQwen('node qwen', [`QWEN_CODE_SYSTEM_DEFAULTS_PATH=${defaults}`])).to.equal('auto-edit');
        write({ tools: { approvalMode: 'default' } }, '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen', [`QWEN_CODE_SYSTEM_DEFAULTS_PATH=${defaults}`])).to.equal(undefined);
    });

    it('is not known where nobody names one, or where it depends on trust in the folder', async () => {
        expect(await modeOfQwen('node qwen')).to.equal(undefined);
        write({ tools: { approvalMode: 'yolo' } }, 'ws', '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen')).to.equal(undefined);
        write({ tools: { approvalMode: 'auto' } }, '.qwen', 'settings.json');
        expect(await modeOfQwen('node qwen')).to.equal(undefined);
    });
});
