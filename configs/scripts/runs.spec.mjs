// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Runs, SAMPLE_PREFIX } from './runs.mjs';
import { Problem } from './script.mjs';

describe('runs in one clone', () => {
    let folder;
    let peer;
    let ours;
    let theirs;

    beforeEach(async () => {
        folder = mkdtempSync(join(tmpdir(), 'runs-'));
        peer = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
        await once(peer, 'spawn');
        ours = new Runs(folder);
        theirs = new Runs(folder, peer.pid);
    });
    afterEach(() => {
        peer.kill('SIGKILL');
        rmSync(folder, { recursive: true, force: true });
    });

    it('may change what is installed and built while there is no other', async () => {
        await ours.join('npm start');
        expect(() => ours.demandAlone('it has changed')).not.to.throw();
    });

    it('leave alone what another one uses, and say which', async () => {
        await theirs.join('npm test');
        theirs.endSetUp();
        await ours.join('npm start');
        expect(() => ours.demandAlone('it has changed')).to.throw(Problem, `npm test (process ${peer.pid}) is at work in this clone`);
        theirs.leave();
        expect(() => ours.demandAlone('it has changed')).not.to.throw();
    });

    it('that set up at the same time leave it to the earlier one', async () => {
        await theirs.join('npm test');
        await ours.join('npm start');
        expect(() => ours.demandAlone('it has changed')).to.throw(Problem);
        expect(() => theirs.demandAlone('it has changed')).not.to.throw();
        ours.endSetUp();
        expect(() => theirs.demandAlone('it has changed')).to.throw(Problem);
    });

    it('that were killed count no more, and their sample is removed by the next one', async () => {
        const sample = join(folder, `${SAMPLE_PREFIX}x`);
        mkdirSync(sample);
        await theirs.join('npm start');
        theirs.noteSample(sample);
        theirs.endSetUp();
        peer.kill('SIGKILL');
        await once(peer, 'exit');
        expect(() => ours.demandAlone('it has changed')).not.to.throw();
        await ours.join('npm start');
        expect(existsSync(sample)).to.equal(false);
        expect(readdirSync(folder)).to.deep.equal([`${process.pid}.json`]);
    });

    it('are told from a later process with the same id', async () => {
        await theirs.join('npm start');
        theirs.endSetUp();
        const file = join(folder, `${peer.pid}.json`);
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), startTime: 'another' }));
        expect(() => ours.demandAlone('it has changed')).not.to.throw();
    });
});
