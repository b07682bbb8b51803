// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { FileAccess } from '../host/file-access';
import { SilentFolders } from '../test/silent-folders';
import { eventually } from '../test/test-cli';
import { QwenCodeCli } from './qwen-code-cli';
import { TestHost } from './test/test-host';

describe('The defaults that Qwen Code gets', () => {
    let host: TestHost;
    let qwen: QwenCodeCli;

    beforeEach(() => {
        host = new TestHost();
        qwen = host.container().get(QwenCodeCli);
    });

    afterEach(() => host.remove());

    it('turns IDE mode on, and asking before edits if wanted', async () => {
        await qwen.prepareTerminals();
        const read = (ask: boolean): unknown => JSON.parse(fs.readFileSync(qwen.defaultsFile(ask) ?? '', 'utf8'));
        expect(read(true)).to.deep.equal({ $version: 4, ide: { enabled: true }, tools: { approvalMode: 'default' } });
        expect(read(false)).to.deep.equal({ $version: 4, ide: { enabled: true } });
    });

    it('keeps them in the folder of Theia’s configuration, closed to others, and writes them again if they were changed', async () => {
        await qwen.prepareTerminals();
        const file = qwen.defaultsFile(true) ?? '';
        expect(file.startsWith(host.configurationFolder + path.sep)).to.equal(true);
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        const text = fs.readFileSync(file, 'utf8');
        fs.writeFileSync(file, '{');
        await qwen.prepareTerminals();
        expect(fs.readFileSync(file, 'utf8')).to.equal(text);
        expect(fs.readdirSync(path.dirname(file))).to.have.members(['qwen-defaults-ask.json', 'qwen-defaults.json']);
    });

    it('shares them between all backends of a user, and writes them again if they are gone', async () => {
        await qwen.prepareTerminals();
        const other = host.container().get(QwenCodeCli);
        await other.prepareTerminals();
        const file = qwen.defaultsFile(true) ?? '';
        expect(other.defaultsFile(true)).to.equal(file);
        fs.rmSync(file);
        await qwen.prepareTerminals();
        expect(fs.existsSync(file)).to.equal(true);
    });

    it('takes the hooks out of files of earlier versions, which living shells name, and mends those that are broken', async () => {
        const earlier = path.join(host.configurationFolder, 'theia-cli-companion', 'terminals', 'b8f9');
        fs.mkdirSync(earlier, { recursive: true, mode: 0o700 });
        const hooks = { PostToolUse: [{ hooks: [{ type: 'http', headers: { Authorization: 'Bearer secret' } }] }] };
        const common = { $version: 4, ide: { enabled: true } };
        const texts: Record<string, string> = {
            'qwen-defaults-ask.json': '',
            'qwen-defaults.json': JSON.stringify({ ...common, hooks }),
            'claude-settings.json': JSON.stringify({ hooks }),
            'backend.json': '{}'
        };
        Object.entries(texts).forEach(([name, text]) => fs.writeFileSync(path.join(earlier, name), text));
        await qwen.prepareTerminals();
        const read = (name: string): string => fs.readFileSync(path.join(earlier, name), 'utf8');
        const isClean = (): boolean => Object.keys(texts).every(name => read(name) !== '' && !read(name).includes('hooks'));
        await eventually('the hooks to go', isClean);
        const now = Object.fromEntries(Object.keys(texts).map(name => [name, JSON.parse(read(name)) as unknown]));
        expect(now).to.deep.equal({
            'qwen-defaults-ask.json': { ...common, tools: { approvalMode: 'default' } },
            'qwen-defaults.json': common,
            'claude-settings.json': {},
            'backend.json': {}
        });
    });

    it('keeps what was written if the folder stops answering, and makes no blocking call to it', async () => {
        const container = host.container();
        container.rebind(FileAccess).toConstantValue(new FileAccess(1_000));
        qwen = container.get(QwenCodeCli);
        await qwen.prepareTerminals();
        const silence = new SilentFolders([host.configurationFolder]);
        try {
            await qwen.prepareTerminals();
            expect(qwen.terminalProblem).to.deep.include({ code: 'no-defaults' });
            expect(qwen.defaultsFile(true)).to.match(/qwen-defaults-ask\.json$/);
            expect(silence.blocking).to.deep.equal([]);
        } finally {
            silence.end();
        }
    });

    it('reports one problem if the files cannot be written, and terminals start without them', async () => {
        fs.writeFileSync(host.configurationFolder, '');
        await qwen.prepareTerminals();
        expect(qwen.terminalProblem).to.deep.include({ code: 'no-defaults', cliName: 'Qwen Code' });
        expect(qwen.defaultsFile(true)).to.equal(undefined);
        fs.unlinkSync(host.configurationFolder);
        await qwen.prepareTerminals();
        expect(qwen.terminalProblem).to.equal(undefined);
        expect(qwen.defaultsFile(true)).not.to.equal(undefined);
    });

    it('has no file before it is written', () => {
        expect(qwen.defaultsFile(true)).to.equal(undefined);
    });
});
