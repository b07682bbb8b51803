// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { FileAccessQueues } from '../host/file-access-queues';
import { SilentFolders } from '../test/silent-folders';
import { QwenSystemDefaults } from './qwen-system-defaults';
import { TestHost } from './test/test-host';

describe('QwenSystemDefaults', () => {
    let host: TestHost;
    let defaults: QwenSystemDefaults;

    beforeEach(() => {
        host = new TestHost();
        defaults = host.container().get(QwenSystemDefaults);
    });

    afterEach(() => host.remove());

    it('turns IDE mode on, and asking before edits if wanted', async () => {
        await defaults.prepare();
        const read = (ask: boolean): unknown => JSON.parse(fs.readFileSync(defaults.file(ask) ?? '', 'utf8'));
        expect(read(true)).to.deep.equal({ $version: 4, ide: { enabled: true }, tools: { approvalMode: 'default' } });
        expect(read(false)).to.deep.equal({ $version: 4, ide: { enabled: true } });
    });

    it('keeps them in the folder of Theia’s configuration, closed to others, and writes them again if they were changed', async () => {
        await defaults.prepare();
        const file = defaults.file(true) ?? '';
        expect(file.startsWith(host.configurationFolder + path.sep)).to.equal(true);
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        const text = fs.readFileSync(file, 'utf8');
        fs.writeFileSync(file, '{');
        await defaults.prepare();
        expect(fs.readFileSync(file, 'utf8')).to.equal(text);
        expect(fs.readdirSync(path.dirname(file))).to.have.length(2);
    });

    it('keeps what was written if the folder stops answering, and makes no blocking call to it', async () => {
        const container = host.container();
        container.rebind(FileAccessQueues).toConstantValue(new FileAccessQueues(1_000));
        defaults = container.get(QwenSystemDefaults);
        await defaults.prepare();
        const silence = new SilentFolders([host.configurationFolder]);
        try {
            await defaults.prepare();
            expect(defaults.problem).to.deep.include({ code: 'no-defaults' });
            expect(defaults.file(true)).to.match(/qwen-defaults-ask\.json$/);
            expect(silence.blocking).to.deep.equal([]);
        } finally {
            silence.end();
        }
    });

    it('reports one problem if the files cannot be written, and terminals start without them', async () => {
        fs.writeFileSync(host.configurationFolder, '');
        await defaults.prepare();
        expect(defaults.problem).to.deep.include({ code: 'no-defaults', cliName: 'Qwen Code' });
        expect(defaults.file(true)).to.equal(undefined);
        fs.unlinkSync(host.configurationFolder);
        await defaults.prepare();
        expect(defaults.problem).to.equal(undefined);
        expect(defaults.file(true)).not.to.equal(undefined);
    });

    it('has no file before it is written', () => {
        expect(defaults.file(true)).to.equal(undefined);
    });
});
