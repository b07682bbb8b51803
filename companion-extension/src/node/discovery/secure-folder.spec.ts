// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { FaultError } from '../host/fault-error';
import { elsewhere, FolderLocation, FolderUser, SecureFolder } from './secure-folder';
import { TestHost } from './test/test-host';

/** @returns what the user reads, with the command at the end */
async function refusal(location: FolderLocation, user: FolderUser): Promise<string> {
    const found = await new SecureFolder(location, user).findFault();
    try {
        await new SecureFolder(location, user).make();
    } catch (error) {
        expect(error).to.be.instanceOf(FaultError);
        expect(found ?? (error as FaultError).fault, 'without making it').to.deep.equal((error as FaultError).fault);
        return (error as Error).message;
    }
    throw new Error('The folder was accepted');
}

function modeOf(folder: string): number {
    return fs.statSync(folder).mode & 0o7777;
}

describe('SecureFolder', () => {
    let host: TestHost;
    let location: FolderLocation;
    let umask: number;

    beforeEach(() => {
        umask = process.umask();
        host = new TestHost();
        location = {
            base: host.temporaryFolder,
            below: ['gemini', 'ide'],
            symlinks: 'refuse',
            elsewhere: () => elsewhere('TMPDIR', '$HOME/.tmp')
        };
    });

    afterEach(() => {
        process.umask(umask);
        host.remove();
    });

    for (const mask of [0o000, 0o002, 0o022, 0o077]) {
        it(`D3 S10: makes missing folders for us alone, with umask ${mask.toString(8)}`, async () => {
            process.umask(mask);
            const folder = await new SecureFolder(location, host).make();
            expect(folder).to.equal(host.temporary('gemini', 'ide'));
            for (const made of [folder, path.dirname(folder)]) {
                expect(fs.statSync(made).mode & 0o777).to.equal(0o700);
            }
            expect(await new SecureFolder(location, host).findFault()).to.equal(undefined);
        });
    }

    it('D3: creates a missing temporary folder, too', async () => {
        fs.rmdirSync(host.temporaryFolder);
        expect(fs.statSync(await new SecureFolder(location, host).make()).isDirectory()).to.equal(true);
    });

    it('accepts one of ours that others can read, as the CLIs create it, and leaves its mode', async () => {
        process.umask(0o022);
        fs.mkdirSync(host.temporary('gemini', 'ide'), { recursive: true });
        await new SecureFolder(location, host).make();
        expect(fs.statSync(host.temporary('gemini')).mode & 0o777).to.equal(0o755);
    });

    it('S10: refuses a symbolic link below the temporary folder, at each level', async () => {
        fs.mkdirSync(host.home('target', 'ide'), { recursive: true, mode: 0o700 });
        fs.symlinkSync(host.home('target'), host.temporary('gemini'));
        expect(await refusal(location, host))
            .to.include('symbolic link')
            .and.to.include(`Run: rm '${host.temporary('gemini')}'`);
        fs.unlinkSync(host.temporary('gemini'));
        fs.mkdirSync(host.temporary('gemini'), { mode: 0o700 });
        fs.symlinkSync(host.home('target'), host.temporary('gemini', 'ide'));
        expect(await refusal(location, host)).to.include(host.temporary('gemini', 'ide'));
    });

    it('S10: follows one in the user’s own folders, and checks what it leads to', async () => {
        const own: FolderLocation = { ...location, base: host.homeFolder, below: ['.qwen', 'ide'], symlinks: 'follow' };
        fs.mkdirSync(host.home('elsewhere'), { mode: 0o700 });
        fs.symlinkSync(host.home('elsewhere'), host.home('.qwen'));
        await new SecureFolder(own, host).make();
        expect(fs.statSync(host.home('elsewhere', 'ide')).isDirectory()).to.equal(true);
        fs.chmodSync(host.home('elsewhere'), 0o777);
        expect(await refusal(own, host)).to.include('chmod go-w');
    });

    it('S10: takes the right to write from the group of one below HOME, as the CLIs create it with umask 002, and says so', async () => {
        const own: FolderLocation = { ...location, base: host.homeFolder, below: ['.qwen', 'ide'], symlinks: 'follow' };
        process.umask(0o002);
        fs.mkdirSync(host.home('.qwen', 'ide'), { recursive: true });
        fs.chmodSync(host.homeFolder, 0o775);
        const said: string[] = [];
        const folder = new SecureFolder(own, host, { info: async message => void said.push(message) });
        expect(await folder.findFault(), 'nothing to complain of').to.equal(undefined);
        expect(modeOf(host.home('.qwen')), 'only looked at').to.equal(0o775);
        await folder.make();
        expect([modeOf(host.home('.qwen')), modeOf(host.home('.qwen', 'ide')), modeOf(host.homeFolder)]).to.deep.equal([
            0o755, 0o755, 0o775
        ]);
        expect(said.map(message => message.includes(host.home('.qwen')))).to.deep.equal([true, true]);
        await folder.make();
        expect(said).to.have.length(2);
    });

    it('S10: leaves HOME itself, what a link leads to, and what everybody may write', async () => {
        const above: FolderLocation = {
            ...location,
            base: path.dirname(host.homeFolder),
            below: [path.basename(host.homeFolder)],
            symlinks: 'follow'
        };
        fs.chmodSync(host.homeFolder, 0o775);
        expect(await refusal(above, host)).to.include('chmod go-w');
        const own: FolderLocation = { ...location, base: host.homeFolder, below: ['.qwen'], symlinks: 'follow' };
        fs.mkdirSync(host.home('elsewhere'));
        fs.chmodSync(host.home('elsewhere'), 0o775);
        fs.symlinkSync(host.home('elsewhere'), host.home('.qwen'));
        expect(await refusal(own, host)).to.include('chmod go-w');
        fs.unlinkSync(host.home('.qwen'));
        fs.renameSync(host.home('elsewhere'), host.home('.qwen'));
        fs.chmodSync(host.home('.qwen'), 0o777);
        expect(await refusal(own, host)).to.include('chmod go-w');
        expect([modeOf(host.homeFolder), modeOf(host.home('.qwen'))]).to.deep.equal([0o775, 0o777]);
    });

    it('S10: refuses one in the temporary folder that others can write to, unless it is sticky', async () => {
        fs.mkdirSync(host.temporary('gemini'));
        for (const mode of [0o777, 0o707, 0o770, 0o775]) {
            fs.chmodSync(host.temporary('gemini'), mode);
            expect(await refusal(location, host), mode.toString(8)).to.include(`Run: chmod go-w '${host.temporary('gemini')}'`);
        }
        fs.chmodSync(host.temporary('gemini'), 0o1777);
        await new SecureFolder(location, host).make();
    });

    it('S10: refuses a sticky one of a CLI that looks at no file’s owner', async () => {
        const own: FolderLocation = { ...location, base: host.homeFolder, below: ['.qwen'], symlinks: 'follow' };
        fs.mkdirSync(host.home('.qwen'));
        fs.chmodSync(host.home('.qwen'), 0o1777);
        expect(await refusal(own, host)).to.include('chmod go-w');
    });

    it('S10: refuses one of another user, and names the variable and the command that help', async () => {
        fs.mkdirSync(host.temporary('gemini'), { mode: 0o755 });
        let { uid } = host;
        if (uid === 0) {
            fs.chownSync(host.temporary('gemini'), 12345, 12345);
        } else {
            uid = (uid ?? 0) + 1;
        }
        expect(await refusal(location, { uid, homeFolder: host.homeFolder }))
            .to.include('belongs to another user')
            .and.to.include('Set TMPDIR to a folder of your own')
            .and.to.include('Run: mkdir -p "$HOME/.tmp" && export TMPDIR="$HOME/.tmp"');
    });

    it('S10: accepts one of root’s that nobody else can write to, such as the parent of HOME', async function () {
        const roots: FolderLocation = { ...location, base: '/', below: ['usr', 'share'] };
        if (fs.statSync('/usr/share').uid !== 0) {
            this.skip();
        }
        const { homeFolder } = host;
        expect(await new SecureFolder(roots, { uid: 12345, homeFolder }).findFault()).to.equal(undefined);
    });

    it('gives a command that a shell understands, whatever the folder is called', async () => {
        const file = host.temporary("it's $HOME");
        fs.writeFileSync(file, '');
        const [, command] = (await refusal({ ...location, below: ["it's $HOME"] }, host)).split('Run: ');
        execFileSync('/bin/sh', ['-c', command]);
        expect(await new SecureFolder({ ...location, below: ["it's $HOME"] }, host).make()).to.equal(file);
    });

    it('refuses what is not a folder, and what cannot be created', async () => {
        fs.writeFileSync(host.temporary('gemini'), '');
        expect(await refusal(location, host)).to.include('not a folder');
        expect(await refusal({ ...location, base: host.temporary('gemini', 'x') }, host)).to.include('could not be created');
    });

    it('refuses a relative path, which each program would understand differently', async () => {
        expect(await refusal({ ...location, base: 'tmp' }, host)).to.include('TMPDIR is a relative path');
    });
});
