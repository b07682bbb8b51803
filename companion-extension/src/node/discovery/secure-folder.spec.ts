// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { findSecureFolder, FolderLocation, FolderProblem, makeSecureFolder } from './secure-folder';
import { TestHost } from './test/test-host';

async function refusal(location: FolderLocation, uid = process.getuid?.()): Promise<string> {
    expect(await findSecureFolder(location, uid)).to.equal(undefined);
    try {
        await makeSecureFolder(location, uid);
    } catch (error) {
        expect(error).to.be.instanceOf(FolderProblem);
        return (error as Error).message;
    }
    throw new Error('The folder was accepted');
}

describe('makeSecureFolder', () => {
    let host: TestHost;
    let location: FolderLocation;
    let umask: number;

    beforeEach(() => {
        umask = process.umask();
        host = new TestHost();
        location = { base: host.temporaryFolder, below: ['gemini', 'ide'], symlinks: 'refuse', variable: 'TMPDIR' };
    });

    afterEach(() => {
        process.umask(umask);
        host.remove();
    });

    for (const mask of [0o000, 0o022, 0o077]) {
        it(`D3 S10: makes missing folders for us alone, with umask ${mask.toString(8)}`, async () => {
            process.umask(mask);
            const folder = await makeSecureFolder(location, host.uid);
            expect(folder).to.equal(host.temporary('gemini', 'ide'));
            for (const made of [folder, path.dirname(folder)]) {
                expect(fs.statSync(made).mode & 0o777).to.equal(0o700);
            }
            expect(await findSecureFolder(location, host.uid)).to.equal(folder);
        });
    }

    it('D3: makes a temporary folder that is missing itself', async () => {
        fs.rmdirSync(host.temporaryFolder);
        expect(fs.statSync(await makeSecureFolder(location, host.uid)).isDirectory()).to.equal(true);
    });

    it('accepts one of ours that others may read, as the CLIs make it, and leaves its mode', async () => {
        fs.mkdirSync(host.temporary('gemini', 'ide'), { recursive: true });
        fs.chmodSync(host.temporary('gemini'), 0o755);
        await makeSecureFolder(location, host.uid);
        expect(fs.statSync(host.temporary('gemini')).mode & 0o777).to.equal(0o755);
    });

    it('S10: refuses a symbolic link below the temporary folder, at each level', async () => {
        fs.mkdirSync(host.home('target', 'ide'), { recursive: true, mode: 0o700 });
        fs.symlinkSync(host.home('target'), host.temporary('gemini'));
        expect(await refusal(location))
            .to.include('symbolic link')
            .and.to.include('TMPDIR');
        fs.unlinkSync(host.temporary('gemini'));
        fs.mkdirSync(host.temporary('gemini'), { mode: 0o700 });
        fs.symlinkSync(host.home('target'), host.temporary('gemini', 'ide'));
        expect(await refusal(location)).to.include(host.temporary('gemini', 'ide'));
    });

    it('S10: follows one in the user’s own folders, and checks what it leads to', async () => {
        const own: FolderLocation = { base: host.homeFolder, below: ['.qwen', 'ide'], symlinks: 'follow', variable: 'QWEN_HOME' };
        fs.mkdirSync(host.home('elsewhere'), { mode: 0o700 });
        fs.symlinkSync(host.home('elsewhere'), host.home('.qwen'));
        await makeSecureFolder(own, host.uid);
        expect(fs.statSync(host.home('elsewhere', 'ide')).isDirectory()).to.equal(true);
        fs.chmodSync(host.home('elsewhere'), 0o777);
        expect(await refusal(own)).to.include('chmod go-w');
    });

    it('S10: refuses one that others may write to, unless it is sticky', async () => {
        fs.mkdirSync(host.temporary('gemini'));
        for (const mode of [0o777, 0o770, 0o707]) {
            fs.chmodSync(host.temporary('gemini'), mode);
            expect(await refusal(location)).to.include(`chmod go-w '${host.temporary('gemini')}'`);
        }
        fs.chmodSync(host.temporary('gemini'), 0o1777);
        await makeSecureFolder(location, host.uid);
    });

    it('S10: refuses one of another user, and says what to do', async () => {
        fs.mkdirSync(host.temporary('gemini'), { mode: 0o755 });
        let uid = host.uid;
        if (uid === 0) {
            fs.chownSync(host.temporary('gemini'), 12345, 12345);
        } else {
            uid = (uid ?? 0) + 1;
        }
        expect(await refusal(location, uid))
            .to.include('belongs to another user')
            .and.to.include('set TMPDIR to a folder of your own');
    });

    it('refuses what is no folder, and what cannot be made', async () => {
        fs.writeFileSync(host.temporary('gemini'), '');
        expect(await refusal(location)).to.include('not a folder');
        expect(await refusal({ ...location, base: host.temporary('gemini', 'x') })).to.include('could not be made');
    });

    it('refuses a relative path, which each program would understand differently', async () => {
        expect(await refusal({ ...location, base: 'tmp' })).to.include('TMPDIR is a relative path');
    });
});
