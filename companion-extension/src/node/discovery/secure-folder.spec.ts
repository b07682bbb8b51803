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

    it('accepts one that the user’s own group can write to, as the CLIs create it with umask 002, and leaves its mode', async () => {
        host.listAccounts(`user:x:${process.getgid?.()}:`);
        process.umask(0o002);
        fs.mkdirSync(host.temporary('gemini', 'ide'), { recursive: true });
        expect(await new SecureFolder(location, host).make()).to.equal(host.temporary('gemini', 'ide'));
        expect(await new SecureFolder(location, host).findFault()).to.equal(undefined);
        expect(fs.statSync(host.temporary('gemini')).mode & 0o777).to.equal(0o775);
    });

    it('S10: refuses one that others can write to, unless it is sticky', async () => {
        const gid = process.getgid?.();
        fs.mkdirSync(host.temporary('gemini'));
        for (const [mode, group] of [
            [0o777, `user:x:${gid}:`],
            [0o707, `user:x:${gid}:`],
            [0o770, `user:x:${gid}:bob`],
            [0o775, 'another:x:1:']
        ] as const) {
            host.listAccounts(group);
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
        expect(await refusal(location, { uid, accountsFolder: host.accountsFolder }))
            .to.include('belongs to another user')
            .and.to.include('Set TMPDIR to a folder of your own')
            .and.to.include('Run: mkdir -p "$HOME/.tmp" && export TMPDIR="$HOME/.tmp"');
    });

    it('S10: accepts one of root’s that nobody else can write to, such as the parent of HOME', async function () {
        const roots: FolderLocation = { ...location, base: '/', below: ['usr', 'share'] };
        if (fs.statSync('/usr/share').uid !== 0) {
            this.skip();
        }
        const { accountsFolder } = host;
        expect(await new SecureFolder(roots, { uid: 12345, accountsFolder }).findFault()).to.equal(undefined);
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

const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada,,,:/home/ada:/bin/bash\nbob:x:1001:1001::/home/bob:/bin/sh\n';
const GROUP = 'root:x:0:\nada:x:1000:\nbob:x:1001:\nteam:x:2000:ada,bob\n';

class TestFolder extends SecureFolder {
    override isPrivateGroup(gid: number): Promise<boolean> {
        return super.isPrivateGroup(gid);
    }
}

describe('SecureFolder.isPrivateGroup', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
        fs.mkdirSync(host.accountsFolder);
    });

    afterEach(() => host.remove());

    function isPrivate(gid: number, passwd = PASSWD, group = GROUP, uid: number | undefined = 1000): Promise<boolean> {
        fs.writeFileSync(path.join(host.accountsFolder, 'passwd'), passwd);
        fs.writeFileSync(path.join(host.accountsFolder, 'group'), group);
        return isPrivateToUser(gid, uid);
    }

    function isPrivateToUser(gid: number, uid: number | undefined): Promise<boolean> {
        const location: FolderLocation = { base: '/', below: [], symlinks: 'refuse', elsewhere: () => elsewhere('NONE', '/') };
        return new TestFolder(location, { uid, accountsFolder: host.accountsFolder }).isPrivateGroup(gid);
    }

    it('is true for a group without other members', async () => {
        expect(await isPrivate(1000)).to.equal(true);
        expect(await isPrivate(1000, PASSWD, GROUP.replace('ada:x:1000:', 'ada:x:1000:ada')), 'named as a member too').to.equal(true);
        const twoNames = `${PASSWD}ada2:x:1000:1000::/home/ada:/bin/sh\n`;
        expect(await isPrivate(1000, twoNames, GROUP.replace('ada:x:1000:', 'ada:x:1000:ada2')), 'one user of two names').to.equal(true);
    });

    it('S10: is false for a group with another member, however that one is listed', async () => {
        expect(await isPrivate(1000, PASSWD, GROUP.replace('ada:x:1000:', 'ada:x:1000:bob'))).to.equal(false);
        expect(await isPrivate(1000, PASSWD.replace('bob:x:1001:1001', 'bob:x:1001:1000')), 'by the primary group').to.equal(false);
        expect(await isPrivate(1000, PASSWD, `${GROUP}same:x:1000:bob\n`), 'by a second name of the group').to.equal(false);
        expect(await isPrivate(1000, PASSWD, GROUP.replace('ada:x:1000:', 'ada:x:1000:gone')), 'a name that nobody has now').to.equal(
            false
        );
    });

    it('S10: is false for every group that is not the primary one', async () => {
        expect(await isPrivate(2000)).to.equal(false);
        expect(await isPrivate(2000, PASSWD, `${GROUP}`.replace('ada,bob', 'ada')), 'also where the user is its only member').to.equal(
            false
        );
        expect(await isPrivate(1001)).to.equal(false);
    });

    it('S10: is false if the files do not say', async () => {
        expect(await isPrivate(1000, PASSWD.replace(/^ada.*\n/m, '')), 'no such user, as in OpenShift').to.equal(false);
        expect(await isPrivate(1000, PASSWD, GROUP.replace(/^ada.*\n/m, '')), 'no such group').to.equal(false);
        expect(await isPrivate(1000, `${PASSWD}+::::::\n`), 'users of NIS').to.equal(false);
        expect(await isPrivate(1000, PASSWD, `${GROUP}+:::\n`), 'groups of NIS').to.equal(false);
        expect(await isPrivate(1000, '', ''), 'empty').to.equal(false);
        fs.rmSync(path.join(host.accountsFolder, 'group'));
        expect(await isPrivateToUser(1000, 1000), 'no file').to.equal(false);
    });
});
