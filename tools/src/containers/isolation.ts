// SPDX-License-Identifier: Apache-2.0
// Shell scripts for `Pod.start`: each makes one property of a container with Linux's own means, then runs its arguments.

import * as path from 'path';
import { PROJECT } from '../../../e2e/lib/support/project-paths';

/** OpenShift's first user of a namespace: it is in no list of users. */
const USER = '--reuid 1000770000 --regid 0 --no-new-privs --bounding-set=-all';

/** Runs the script with its own mounts. @param script without single quotes */
function inMounts(script: string, options = ''): string {
    return `exec unshare --mount ${options} /bin/sh -euc '${script}' sh "$@"`;
}

export const FIRST_PROCESS = 'exec unshare --pid --fork --kill-child --mount-proc "$@"';

/** A folder that Kubernetes makes for a pod (`emptyDir`) is open to all, and not sticky. */
export const OPENSHIFT_USER = `
chown -R 1000770000:0 "$FOLDER"
chmod 2777 "$TMPDIR"
exec setpriv ${USER} --clear-groups "$@"`;

/** What Kubernetes does to a volume for `fsGroup`, at each start of a pod. */
export const VOLUME_GROUP = `
mkdir -p "$HOME/.qwen/ide"
chown -R 1000770000:0 "$FOLDER"
chgrp -R 4242 "$HOME"
chmod -R g+rwX "$HOME"
find "$HOME" -type d -exec chmod g+s {} +
exec setpriv ${USER} --groups 4242 "$@"`;

export const READ_ONLY_ROOT = inMounts(`
mount --bind "$FOLDER" "$FOLDER"
mount -o remount,bind,ro /
if touch /writable 2>/dev/null; then exit 1; fi
exec "$@"`);

export const WITHOUT_PS = inMounts(`
mkdir "$FOLDER/programs"
mount --bind /usr/bin "$FOLDER/programs"
mount -t tmpfs tmpfs /usr/bin
"$FOLDER/programs/ln" -s "$FOLDER"/programs/* /usr/bin/
rm /usr/bin/ps
exec "$@"`);

/** A root folder with the same content, but of these two files just one. */
export function markedBy(file: '/.dockerenv' | '/run/.containerenv'): string {
    return inMounts(`
mount -t tmpfs tmpfs /mnt
for entry in /*; do
    if [ -L "$entry" ]; then
        cp -P "$entry" "/mnt$entry"
    elif [ -d "$entry" ] && [ "$entry" != /mnt ]; then
        mkdir "/mnt$entry"
        mount --rbind "$entry" "/mnt$entry"
    fi
done
mount -t tmpfs tmpfs /mnt/run
touch /mnt${file}
exec chroot /mnt /bin/sh -euc "cd \\"$PWD\\"; exec \\"\\$@\\"" sh "$@"`);
}

/**
 * HOME lies in the temporary folder, in a folder of the user with this id. The second time that the backend is started, TMPDIR is as the
 * status advises.
 */
export function homeBelowTmp(owner: number): string {
    return `
export TMPDIR="$FOLDER" HOME="$FOLDER/somebody/home" GEMINI_CLI_HOME="$FOLDER/somebody/home"
export QWEN_HOME="$HOME/.qwen" THEIA_CONFIG_DIR="$HOME/.theia"
if [ -e "$FOLDER/somebody" ]; then
    export TMPDIR="$HOME/.tmp"
else
    mkdir "$FOLDER/somebody"
    mv "$FOLDER/home" "$HOME"
    chown -R 1000:1000 "$FOLDER"
    chown ${owner} "$FOLDER" "$FOLDER/somebody"
    chmod 1777 "$FOLDER"
    chmod 755 "$FOLDER/somebody"
fi
exec setpriv --reuid 1000 --regid 1000 --clear-groups "$@"`;
}

/** A pod has its own name, processes and /tmp. HOME and workspace are on volumes. */
export const POD = inMounts(
    `
hostname "pod-$(date +%N)"
mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR"
exec "$@"`,
    '--uts --pid --fork --kill-child --mount-proc'
);

/** What `npm run image-check` built, as `docker run --read-only` would run it, with this sample's HOME and workspace. */
export const IMAGE_ROOT = path.join(PROJECT, '.setup/image/root');
export const IMAGE = inMounts(
    `
root=${IMAGE_ROOT}
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root$FOLDER"
mount --bind "$FOLDER" "$root$FOLDER"
mount -o remount,bind,ro "$root"
rm -rf "$FOLDER/bin"
chown -R 1000770000:0 "$FOLDER"
workspace=$3
while [ $# -gt 1 ]; do shift; done
export PORT="$1" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec chroot "$root" setpriv ${USER} --clear-groups /usr/bin/tini -- /bin/sh /opt/ide/start.sh "$workspace"`,
    '--pid --fork --kill-child'
);
