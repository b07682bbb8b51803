// SPDX-License-Identifier: Apache-2.0

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** In milliseconds. */
const PATIENCE = 60_000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Runs the image as an engine would with a read-only root, tmpfs where it writes, no capabilities, and processes and a network of its own.
 *
 * @param image with its root folder and what the Dockerfile says
 * @param {string} user such as `1000:0`
 * @returns {Promise<string>} what was seen. Rejects where it is not as it should be.
 */
export async function tryOut({ root, folder, env, command, health }, user) {
    const [uid, gid] = user.split(':');
    const script = `
        ip link set lo up
        mount --rbind '${root}' '${root}'
        mount --make-rprivate '${root}'
        mount --rbind /dev '${root}/dev'
        mount -t proc proc '${root}/proc'
        for writable in tmp home/ide workspace; do
            mount -t tmpfs -o mode=0770,uid=${uid},gid=${gid} tmpfs "${root}/$writable"
        done
        mount -o remount,bind,ro '${root}'
        exec chroot '${root}' setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all \\
            /bin/sh -c 'cd ${folder} && exec "$@"' sh "$@"`;
    const variables = { PATH, ...env };
    const isolation = ['--mount', '--pid', '--ipc', '--uts', '--net', '--fork', '--kill-child'];
    const ide = spawn('unshare', [...isolation, '/bin/sh', '-euc', script, 'sh', ...command], {
        env: variables,
        stdio: ['ignore', 'pipe', 'pipe']
    });
    let log = '';
    for (const output of [ide.stdout, ide.stderr]) {
        output.setEncoding('utf8').on('data', text => (log += text));
    }
    const ended = once(ide, 'exit');
    const inside = (...words) => {
        const namespaces = [`--target=${firstProcess(ide.pid)}`, '--mount', '--pid', '--net'];
        return spawnSync('nsenter', [...namespaces, 'chroot', root, ...words], { env: variables, encoding: 'utf8' });
    };
    /** In a login shell, which resets PATH. */
    const asUser = line => inside('setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', 'bash', '-lc', line);
    try {
        await untilHealthy(ide, () => asUser(health.join(' ')).status === 0);
        const versions = ['qwen', 'gemini'].map(name => `${name} ${asUser(`${name} --version`).stdout.trim()}`);
        if (inside('touch', '/written').status === 0) {
            throw new Error('The root can be written to');
        }
        process.kill(firstProcess(ide.pid), 'SIGTERM');
        await within(ended, 'it ends on SIGTERM');
        return `As ${user} with a read-only root: healthy, ${versions.join(', ')}, ends on SIGTERM.`;
    } catch (error) {
        throw new Error(`As ${user}: ${error.message}\n${log}`);
    } finally {
        ide.kill('SIGKILL');
    }
}

async function untilHealthy(ide, probe) {
    for (const end = Date.now() + PATIENCE; ide.exitCode !== null || !probe(); await delay(500)) {
        if (ide.exitCode !== null || Date.now() > end) {
            throw new Error('It does not become healthy');
        }
    }
}

function within(promise, what) {
    const tooLate = new AbortController();
    const late = delay(PATIENCE, undefined, { signal: tooLate.signal }).then(() =>
        Promise.reject(new Error(`Waited in vain until ${what}`))
    );
    return Promise.race([promise, late]).finally(() => {
        late.catch(() => undefined);
        tooLate.abort();
    });
}

/** Of the namespace that `unshare` made; 0 where it is not there yet. */
function firstProcess(pid) {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}
