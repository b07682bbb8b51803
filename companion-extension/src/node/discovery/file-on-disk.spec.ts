// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { SilentFolders } from '../test/silent-folders';
import { eventually } from '../test/test-cli';
import { DiscoveryFiles, isFor } from './discovery-files';
import { FoundFile } from './file-on-disk';
import { IdeIdentity } from './ide-identity';
import { SupportedClis } from './supported-clis';
import { TestHost } from './test/test-host';

describe('Discovery files that a CLI finds', () => {
    let host: TestHost;
    let files: DiscoveryFiles;

    beforeEach(() => {
        host = new TestHost();
        const container = host.container();
        container.bind(IdeIdentity).toConstantValue({ name: 'theia', displayName: 'My IDE' });
        container.bind(SupportedClis).toConstantValue({ all: [] } as Partial<SupportedClis> as SupportedClis);
        container.bind(DiscoveryFiles).toSelf();
        files = container.get(DiscoveryFiles);
    });

    afterEach(() => host.remove());

    function write(name: string, content: object): string {
        const file = host.temporary(name);
        fs.writeFileSync(file, JSON.stringify(content));
        return file;
    }

    function read(): Promise<FoundFile[]> {
        return files.find(host.temporaryFolder, () => true);
    }

    async function ports(): Promise<number[]> {
        return (await read()).map(({ port }) => port);
    }

    it('are those of the user, whose process lives, with a port', async function () {
        write(`gemini-ide-server-${process.pid}-1.json`, { port: 1 });
        write(`gemini-ide-server-${2 ** 22 + 1}-2.json`, { port: 2 });
        write('3.lock', { pid: 2 ** 22 + 1 });
        write('4.lock', { ppid: process.pid });
        for (const [index, port] of [0, 65_536, -1, 1.5, 'abc', null, {}].entries()) {
            write(`odd-${index}.json`, { port });
        }
        expect((await ports()).sort()).to.deep.equal([1, 4]);
    });

    it('are not those of another user', async function () {
        if (host.uid !== 0) {
            this.skip();
        }
        fs.chownSync(write('1.lock', {}), 12345, 12345);
        expect(await ports()).to.deep.equal([]);
    });

    it('may name folders that do not answer, and very many', async () => {
        const silence = new SilentFolders(['/silent']);
        try {
            write('1.lock', { workspaceFolders: ['/silent/a', '/silent/b', '/silent/c', '/silent/d'] });
            write('2.lock', { workspacePath: '/x:'.repeat(300_000) });
            const [named, many] = await read();
            expect(isFor(named, '/silent/c/src')).to.equal(true);
            expect(isFor(named, '/silent/e')).to.equal(false);
            expect(many.roots).to.have.length(100);
        } finally {
            silence.end();
        }
    });

    it('take one thread of Node if their folder does not answer', async () => {
        ['1.lock', '2.lock', '3.lock', '4.lock'].forEach(name => write(name, {}));
        const silence = new SilentFolders([host.temporaryFolder + path.sep]);
        const reading = read();
        await eventually('the first file to be asked for', () => silence.waiting > 0);
        expect(silence.waiting).to.equal(1);
        silence.end();
        expect(await reading).to.have.length(4);
    });
});
