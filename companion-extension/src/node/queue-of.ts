// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { isInside } from './path-containment';

/** Types of file systems that another machine or program answers for, and so may stop to. */
const REMOTE = /^(nfs|cifs|smb|9p|ceph|fuse|afs|lustre|gluster|gpfs|beegfs|orangefs|autofs|virtiofs|vboxsf|vmhgfs|prl_fs|drvfs)/;

/**
 * The queue of `OneAtATime` for whatever looks at a path: the remote mount that it lies in, since all of that goes silent together, or else
 * a folder that the caller names. Asks no file system: the kernel tells its mounts by itself.
 *
 * @param path absolute
 * @param folder that counts where the path lies in no remote mount, or where the system does not tell
 */
export function queueOf(path: string, folder: string, mountInfo = readMountInfo()): string {
    const mounts = mountInfo.split('\n').flatMap(line => mountIn(line) ?? []);
    // Of two at one place the later one counts.
    const mount = mounts
        .filter(({ point }) => isInside(point, path))
        .reduce<Mount | undefined>((best, next) => (best && best.point.length > next.point.length ? best : next), undefined);
    return mount && REMOTE.test(mount.type) ? mount.point : folder;
}

interface Mount {
    readonly point: string;
    readonly type: string;
}

/** As in proc(5): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`. */
function mountIn(line: string): Mount | undefined {
    const [place, source] = line.split(' - ');
    const point = place.split(' ')[4]?.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
    return point && source ? { point, type: source.split(' ')[0] } : undefined;
}

function readMountInfo(): string {
    try {
        return fs.readFileSync('/proc/self/mountinfo', 'utf8');
    } catch {
        return '';
    }
}
