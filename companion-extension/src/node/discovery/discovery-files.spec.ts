// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { problemText } from '../../common/problem-text';
import { FileAccess } from '../host/file-access';
import { Problems } from '../host/problems';
import { eventually } from '../test/test-cli';
import { TEMPORARY_FILE } from './atomic-file';
import { DiscoveryFiles } from './discovery-files';
import { GeminiCli } from './gemini-cli';
import { IdeIdentity } from './ide-identity';
import { QwenCodeCli } from './qwen-code-cli';
import { SupportedClis } from './supported-clis';
import { TestHost } from './test/test-host';

const tokens = new Map([
    ['gemini-cli', 'gemini-token'],
    ['qwen-code', 'qwen-token']
]);

describe('DiscoveryFiles', () => {
    let host: TestHost;
    let files: DiscoveryFiles;
    let problems: Problems;
    let umask: number;
    let gemini: string;
    let lock: string;

    beforeEach(() => {
        umask = process.umask();
        host = new TestHost();
        host.pid = 100;
        host.parentPid = 1;
        gemini = host.temporary('gemini', 'ide', 'gemini-ide-server-100-4711.json');
        lock = host.home('.qwen', 'ide', '4711.lock');
        files = create();
    });

    afterEach(() => {
        process.umask(umask);
        files.removeSync();
        host.remove();
    });

    function create(period = 60_000, fileAccess = new FileAccess(5_000)): DiscoveryFiles {
        const container = host.container();
        problems = container.get(Problems);
        container.rebind(FileAccess).toConstantValue(fileAccess);
        container.bind(IdeIdentity).toConstantValue({ name: 'theia', displayName: 'My IDE' });
        container.bind(SupportedClis).toConstantValue({
            all: [container.get(GeminiCli), container.get(QwenCodeCli)]
        } as Partial<SupportedClis> as SupportedClis);
        class TestDiscoveryFiles extends DiscoveryFiles {
            protected override readonly periodMs = period;
        }
        container.bind(DiscoveryFiles).to(TestDiscoveryFiles);
        return container.get(DiscoveryFiles);
    }

    async function publish(roots = ['/a']): Promise<string[]> {
        await files.publish({ port: 4711, roots, tokens });
        return told();
    }

    function told(): string[] {
        return problems.of('any window').map(problemText);
    }

    function everyFile(): string[] {
        return fs
            .readdirSync(host.folder, { recursive: true, withFileTypes: true })
            .filter(entry => !entry.isDirectory())
            .map(entry => path.join(entry.parentPath, entry.name))
            .sort();
    }

    function read(file: string): Record<string, unknown> {
        return JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    }

    for (const mask of [0o000, 0o002, 0o077]) {
        it(`D1 D3 S10: writes every file for us alone, with umask ${mask.toString(8)}`, async () => {
            process.umask(mask);
            expect(await publish()).to.deep.equal([]);
            expect(everyFile()).to.deep.equal([gemini, host.temporary('qwen', 'ide', 'qwen-code-ide-server-100-4711.json'), lock].sort());
            everyFile().forEach(file => expect(fs.statSync(file).mode & 0o777, file).to.equal(0o600));
        });
    }

    it('D7 D8 D11: every CLI gets its own token, and a CLI without one gets no file', async () => {
        await publish();
        expect(read(gemini)).to.include({ port: 4711, authToken: 'gemini-token' });
        expect(read(lock)).to.include({ port: 4711, authToken: 'qwen-token' });
        await files.publish({ port: 4711, roots: ['/a'], tokens: new Map([['qwen-code', 'qwen-token']]) });
        expect(fs.existsSync(gemini)).to.equal(false);
        expect(fs.existsSync(lock)).to.equal(true);
    });

    it('D10: follows the roots', async () => {
        await publish(['/a']);
        await publish(['/a', '/b']);
        expect(read(gemini)['workspacePath']).to.equal(['/a', '/b'].join(path.delimiter));
        expect(read(lock)['workspacePath']).to.equal(['/a', '/b'].join(path.delimiter));
    });

    it('D5: the file for a parent that has died is removed', async () => {
        host.parentPid = 90;
        await publish();
        expect(everyFile()).to.include(host.temporary('gemini', 'ide', 'gemini-ide-server-90-4711.json'));
        host.parentPid = 1;
        await publish();
        expect(everyFile()).not.to.include(host.temporary('gemini', 'ide', 'gemini-ide-server-90-4711.json'));
    });

    it('S10: a folder that is not ours is a problem for one CLI only', async () => {
        fs.symlinkSync(host.homeFolder, host.temporary('gemini'));
        const problems = await publish();
        expect(problems).to.have.length(1);
        expect(problems[0]).to.include('Gemini CLI cannot connect').and.to.include('symbolic link');
        expect(fs.existsSync(lock)).to.equal(true);
        expect(everyFile().filter(file => file.includes('gemini-ide-server'))).to.deep.equal([]);
    });

    it('S10: a link or a foreign file under the name of ours is replaced, not written through', async () => {
        const victim = host.home('victim');
        fs.writeFileSync(victim, 'precious');
        fs.mkdirSync(path.dirname(gemini), { recursive: true, mode: 0o700 });
        fs.symlinkSync(victim, gemini);
        await publish();
        expect(fs.readFileSync(victim, 'utf8')).to.equal('precious');
        expect(fs.lstatSync(gemini).isFile()).to.equal(true);
    });

    it('L3 S11: removes every file at once, and publishes nothing more', async () => {
        await publish();
        files.removeSync();
        expect(everyFile()).to.deep.equal([]);
        expect(await publish()).to.deep.equal([]);
        expect(everyFile()).to.deep.equal([]);
    });

    it('L3: what is being written when it stops does not appear afterwards', async () => {
        const publishing = publish();
        // Once a temporary file is there, the writing is under way.
        await eventually('the first file', () => everyFile().length > 0);
        files.removeSync();
        await publishing;
        expect(everyFile()).to.deep.equal([]);
    });

    it('L3: what it is about to write when it stops does not appear afterwards', async () => {
        const { open } = fs.promises;
        // The last moment before there is a temporary file to take away.
        fs.promises.open = async (...args) => {
            files.removeSync();
            return open(...args);
        };
        try {
            await publish();
        } finally {
            fs.promises.open = open;
        }
        expect(everyFile()).to.deep.equal([]);
    });

    it('L3: leaves a file that somebody else has put in place of ours', async () => {
        await publish();
        fs.writeFileSync(lock, '{"port":4711,"authToken":"theirs"}');
        files.removeSync();
        expect(everyFile()).to.deep.equal([lock]);
    });

    it('writes again what others remove, with its folder', async () => {
        files = create(20);
        await publish();
        fs.unlinkSync(lock);
        await eventually('the lock to come back', () => fs.existsSync(lock));
        expect(read(lock)['authToken']).to.equal('qwen-token');
        fs.rmSync(host.temporary('gemini'), { recursive: true });
        await eventually('the folder to come back', () => fs.existsSync(gemini));
        expect(fs.statSync(path.dirname(gemini)).mode & 0o777).to.equal(0o700);
        fs.unlinkSync(gemini);
        await eventually('the file to come back once more', () => fs.existsSync(gemini));
    });

    it('writes again what others change or open to other users', async () => {
        files = create(20);
        await publish();
        fs.writeFileSync(gemini, '{"port":1,"authToken":"theirs"}');
        await eventually('our file to come back', () => read(gemini)['authToken'] === 'gemini-token');
        fs.chmodSync(lock, 0o644);
        await eventually('the mode to come back', () => (fs.statSync(lock).mode & 0o777) === 0o600);
    });

    it('recovers by itself when the cause of a problem is gone, and says so', async () => {
        files = create(20);
        fs.writeFileSync(host.temporary('gemini'), '');
        expect(await publish()).to.have.length(1);
        let changes = 0;
        problems.onDidChange(() => changes++);
        fs.unlinkSync(host.temporary('gemini'));
        await eventually('the good news', () => changes > 0);
        expect(told()).to.deep.equal([]);
        expect(fs.existsSync(gemini)).to.equal(true);
    });

    it('touches its files each minute, as a sign of life for other machines with the same HOME', async () => {
        await publish();
        const before = Date.now() / 1000 - 70;
        const justNow = Date.now() / 1000 - 30;
        fs.utimesSync(lock, before, before);
        fs.utimesSync(gemini, justNow, justNow);
        const { ino } = fs.statSync(lock);
        await publish();
        expect(fs.statSync(lock).mtimeMs / 1000).to.be.greaterThan(before + 60);
        expect(fs.statSync(lock).ino, 'not written anew').to.equal(ino);
        expect(fs.statSync(gemini).mtimeMs / 1000).to.be.closeTo(justNow, 1);
    });

    it('leaves no temporary file behind', async () => {
        await Promise.all([publish(['/a']), publish(['/b']), publish(['/c'])]);
        expect(everyFile().filter(file => TEMPORARY_FILE.test(path.basename(file)))).to.deep.equal([]);
        expect(read(gemini)['workspacePath']).to.equal('/c');
    });

    it('many roots with long names: the files are written once, and are removed with the server', async () => {
        await publish(Array.from({ length: 100 }, (_, index) => `/${index}/${'x'.repeat(1_000)}`));
        const { ino } = fs.statSync(lock);
        await publish(Array.from({ length: 100 }, (_, index) => `/${index}/${'x'.repeat(1_000)}`));
        expect(fs.statSync(lock).ino).to.equal(ino);
        await files.remove(4711);
        expect(everyFile()).to.deep.equal([]);
    });
});
