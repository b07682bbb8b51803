// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { TestHost } from '../discovery/test/test-host';
import { ForegroundClis } from './foreground-clis';

class TestForegroundClis extends ForegroundClis {
    constructor(protected override readonly procFolder: string) {
        super();
    }
}

describe('ForegroundClis', () => {
    let host: TestHost;
    let clis: TestForegroundClis;

    beforeEach(() => {
        host = new TestHost();
        clis = new TestForegroundClis(host.temporary('proc'));
    });

    afterEach(() => host.remove());

    function run(pid: number, parent: number, group: number, foreground: number, state = 'S'): void {
        const folder = path.join(host.temporary('proc'), String(pid));
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(
            path.join(folder, 'stat'),
            `${pid} (a (b) c) ${state} ${parent} ${group} 1 1 ${foreground} ${'0 '.repeat(13)}99 0`
        );
    }

    it('finds the shell of a process in the foreground, also over launchers', async () => {
        run(100, 1, 100, 110);
        run(110, 100, 110, 110);
        run(111, 110, 110, 110);
        expect(await clis.shellOf(110, new Set([7, 100]))).to.equal(100);
        expect(await clis.shellOf(111, new Set([7, 100]))).to.equal(100);
    });

    it('S23: finds none where the keys would go to something else', async () => {
        run(100, 1, 100, 100);
        run(110, 100, 110, 100, 'T');
        expect(await clis.shellOf(110, new Set([100])), 'stopped by Ctrl+Z').to.equal(undefined);
        run(120, 1, 120, 120);
        expect(await clis.shellOf(120, new Set([100])), 'of another terminal').to.equal(undefined);
        run(130, 100, 130, 130, 'Z');
        expect(await clis.shellOf(130, new Set([100])), 'ended').to.equal(undefined);
        expect(await clis.shellOf(140, new Set([100])), 'gone').to.equal(undefined);
        expect(await clis.shellOf(100, new Set([100])), 'the shell itself').to.equal(undefined);
    });

    it('ends where processes name each other as parents', async () => {
        run(1, 2, 1, 1);
        run(2, 1, 1, 1);
        expect(await clis.shellOf(1, new Set([3]))).to.equal(undefined);
    });
});
