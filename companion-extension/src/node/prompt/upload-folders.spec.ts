// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { injectable } from '@theia/core/shared/inversify';
import { Agents } from '../agents/agents';
import { ProcessMarkers } from '../discovery/process-marker';
import { QwenCodeCli } from '../discovery/qwen-code-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { ProcessTable } from '../host/process-table';
import { RecordingLogger } from '../test/recording-logger';
import { eventually } from '../test/test-cli';
import { UploadFolders } from './upload-folders';

const SHELL = 100;
const DAY_S = 24 * 60 * 60;

/** Does not wait half a minute between two looks. */
@injectable()
class TestFolders extends UploadFolders {
    protected override readonly periodMs = 10;
}

describe('Folders for what a user gives to a CLI', () => {
    let host: TestHost;
    let folders: UploadFolders;
    let logger: RecordingLogger;
    let cli: object | undefined;
    let lives: boolean;

    beforeEach(() => {
        host = new TestHost();
        [cli, lives] = [{}, true];
        const container = host.container();
        logger = new RecordingLogger();
        container.rebind(ILogger).toConstantValue(logger);
        container.bind<unknown>(Agents).toConstantValue({ foregroundOf: async () => ({ pid: 200, isShell: false, cli }) });
        container.bind<unknown>(ProcessTable).toConstantValue({
            details: async () => ({ variables: { QWEN_HOME: host.home('.qwen') }, folder: host.folder, command: [] })
        });
        container.rebind<unknown>(ProcessMarkers).toConstantValue({ markerOf: (pid: number) => ({ pid }), isAlive: () => lives });
        container.bind<unknown>(SupportedClis).toConstantValue({ all: [container.get(QwenCodeCli)], get: () => cli });
        container.bind(UploadFolders).to(TestFolders);
        folders = container.get(UploadFolders);
    });

    afterEach(async () => {
        await folders.onStop();
        host.remove();
    });

    async function make(): Promise<string> {
        const folder = (await folders.make(SHELL)) ?? '';
        fs.writeFileSync(path.join(folder, 'a.png'), 'a');
        return folder;
    }

    it('are one for each gift, and for nobody else', async () => {
        const [folder, other] = [await make(), await make()];
        expect(path.relative(host.temporaryFolder, folder)).to.match(/^theia-cli-companion-\d*\/[0-9a-f]{12}$/);
        expect(other).not.to.equal(folder);
        [folder, path.dirname(folder)].forEach(each => expect(fs.statSync(each).mode & 0o777).to.equal(0o700));
    });

    it('lie where Qwen Code reads: elsewhere it skips them', async () => {
        cli = host.container().get(QwenCodeCli);
        expect(path.dirname(await make())).to.equal(host.home('.qwen', 'tmp', 'theia-cli-companion'));
    });

    it('take the right to write from the group of a folder of the CLI, and say so', async () => {
        cli = host.container().get(QwenCodeCli);
        fs.mkdirSync(host.home('.qwen', 'tmp'), { recursive: true });
        fs.chmodSync(host.home('.qwen', 'tmp'), 0o775);
        await make();
        expect(fs.statSync(host.home('.qwen', 'tmp')).mode & 0o777).to.equal(0o755);
        expect(logger.lines.filter(line => line.includes(host.home('.qwen', 'tmp')))).to.have.length(1);
    });

    it('are not made for a shell, nor where somebody else has laid a link', async () => {
        cli = undefined;
        expect(await folders.make(SHELL)).to.equal(undefined);
        cli = {};
        fs.symlinkSync(host.homeFolder, host.temporary(`theia-cli-companion-${host.uid}`));
        const refused = await folders.make(SHELL).catch((error: Error) => error);
        expect(refused).to.be.an('error');
        expect(fs.readdirSync(host.homeFolder)).to.deep.equal([]);
    });

    it('go when the CLI has ended, and with the backend', async () => {
        const folder = await make();
        lives = false;
        await eventually('the folder to go', () => !fs.existsSync(folder));
        lives = true;
        const last = await make();
        await folders.onStop();
        expect(fs.existsSync(last)).to.equal(false);
    });

    it('go after a day, also those of a backend that was killed, and nothing else goes', async () => {
        const [old, fresh] = [await make(), await make()];
        const other = path.join(path.dirname(old), 'other');
        fs.mkdirSync(other);
        const yesterday = Date.now() / 1000 - DAY_S - 1;
        [old, other].forEach(folder => fs.utimesSync(folder, yesterday, yesterday));
        await eventually('the old folder to go', () => !fs.existsSync(old));
        expect([other, fresh].map(folder => fs.existsSync(folder))).to.deep.equal([true, true]);
    });
});
