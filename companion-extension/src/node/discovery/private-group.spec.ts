// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { isPrivateGroup } from './secure-folder';
import { TestHost } from './test/test-host';

const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada,,,:/home/ada:/bin/bash\nbob:x:1001:1001::/home/bob:/bin/sh\n';
const GROUP = 'root:x:0:\nada:x:1000:\nbob:x:1001:\nteam:x:2000:ada,bob\n';

describe('isPrivateGroup', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
        fs.mkdirSync(host.accountsFolder);
    });

    afterEach(() => host.remove());

    function isPrivate(gid: number, passwd = PASSWD, group = GROUP, uid: number | undefined = 1000): Promise<boolean> {
        fs.writeFileSync(path.join(host.accountsFolder, 'passwd'), passwd);
        fs.writeFileSync(path.join(host.accountsFolder, 'group'), group);
        return isPrivateGroup(gid, { uid, accountsFolder: host.accountsFolder });
    }

    it('is true of the group that a user has alone', async () => {
        expect(await isPrivate(1000)).to.equal(true);
        expect(await isPrivate(1000, PASSWD, GROUP.replace('ada:x:1000:', 'ada:x:1000:ada')), 'named as a member too').to.equal(true);
        const twoNames = `${PASSWD}ada2:x:1000:1000::/home/ada:/bin/sh\n`;
        expect(await isPrivate(1000, twoNames, GROUP.replace('ada:x:1000:', 'ada:x:1000:ada2')), 'one user of two names').to.equal(true);
    });

    it('S10: is false of a group with another member, however that one is listed', async () => {
        expect(await isPrivate(1000, PASSWD, GROUP.replace('ada:x:1000:', 'ada:x:1000:bob'))).to.equal(false);
        expect(await isPrivate(1000, PASSWD.replace('bob:x:1001:1001', 'bob:x:1001:1000')), 'by the primary group').to.equal(false);
        expect(await isPrivate(1000, PASSWD, `${GROUP}same:x:1000:bob\n`), 'by a second name of the group').to.equal(false);
        expect(await isPrivate(1000, PASSWD, GROUP.replace('ada:x:1000:', 'ada:x:1000:gone')), 'a name that nobody has now').to.equal(
            false
        );
    });

    it('S10: is false of every group that is not the primary one', async () => {
        expect(await isPrivate(2000)).to.equal(false);
        expect(await isPrivate(2000, PASSWD, `${GROUP}`.replace('ada,bob', 'ada')), 'also where the user is its only member').to.equal(
            false
        );
        expect(await isPrivate(1001)).to.equal(false);
    });

    it('S10: is false where the files do not tell', async () => {
        expect(await isPrivate(1000, PASSWD.replace(/^ada.*\n/m, '')), 'no such user, as in OpenShift').to.equal(false);
        expect(await isPrivate(1000, PASSWD, GROUP.replace(/^ada.*\n/m, '')), 'no such group').to.equal(false);
        expect(await isPrivate(1000, `${PASSWD}+::::::\n`), 'users of NIS').to.equal(false);
        expect(await isPrivate(1000, PASSWD, `${GROUP}+:::\n`), 'groups of NIS').to.equal(false);
        expect(await isPrivate(1000, '', ''), 'empty').to.equal(false);
        fs.rmSync(path.join(host.accountsFolder, 'group'));
        expect(await isPrivateGroup(1000, { uid: 1000, accountsFolder: host.accountsFolder }), 'no file').to.equal(false);
    });
});
