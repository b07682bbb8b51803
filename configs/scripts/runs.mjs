// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setUpFile } from './project.mjs';
import { atEnd, Problem } from './script.mjs';

/** What the name of a folder begins with that a run leaves to be removed after it. */
export const SAMPLE_PREFIX = 'companion-sample-';

/**
 * The scripts that use this clone at the moment, a file for each. Several may run side by side, such as two IDEs, as long as none of them
 * changes what another one has loaded or is testing.
 */
export class Runs {
    constructor(folder, pid = process.pid) {
        this.folder = folder;
        this.pid = pid;
    }

    /** Registers this run until the script ends, and clears up after runs that were killed. */
    async join(command) {
        mkdirSync(this.folder, { recursive: true });
        await this.sweep();
        this.save({
            pid: this.pid,
            startTime: startTimeOf(this.pid),
            command,
            since: performance.timeOrigin + performance.now(),
            isSettingUp: true
        });
        atEnd(() => this.leave());
    }

    leave() {
        rmSync(this.file(this.pid), { force: true });
        this.own = undefined;
    }

    /** From now on this run uses what is installed and built. */
    endSetUp() {
        this.save({ ...this.own, isSettingUp: false });
    }

    /** Has the folder of a sample removed by a later run, should this one be killed. */
    noteSample(folder) {
        this.save({ ...this.own, sample: folder });
    }

    /** Those that must find everything as it is now; of two that set up at the same time, the earlier one goes on. */
    others() {
        return this.all().filter(
            other => other.pid !== this.pid && isAlive(other) && !(other.isSettingUp && this.own && isBefore(this.own, other))
        );
    }

    /**
     * @param {string} change why it cannot stay as it is, such as `the IDE has to be bundled again`
     * @param others those that this would hurt
     */
    demandAlone(change, others = this.others()) {
        const [other] = others;
        if (other) {
            throw new Problem(
                `${other.command} (process ${other.pid}) is at work in this clone, and ${change}: wait for it or stop it, then run this again.`
            );
        }
    }

    async sweep() {
        for (const run of this.all().filter(one => !isAlive(one))) {
            if (run.sample && basename(run.sample).startsWith(SAMPLE_PREFIX)) {
                await rm(run.sample, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
            }
            rmSync(this.file(run.pid), { force: true });
        }
    }

    all() {
        const names = existsSync(this.folder) ? readdirSync(this.folder).filter(name => name.endsWith('.json')) : [];
        return names.flatMap(name => read(join(this.folder, name)) ?? []);
    }

    /** Whole or not at all: others read it at any time. */
    save(own) {
        this.own = own;
        const part = `${this.file(this.pid)}.part`;
        writeFileSync(part, JSON.stringify(own));
        renameSync(part, this.file(this.pid));
    }

    file(pid) {
        return join(this.folder, `${pid}.json`);
    }
}

/** Those of this clone. */
export const runs = new Runs(setUpFile('runs'));

function isBefore(one, other) {
    return one.since < other.since || (one.since === other.since && one.pid < other.pid);
}

function read(file) {
    try {
        return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
        // It has just ended.
        return undefined;
    }
}

/** A process id is given to another process some day, its start time is not. */
function isAlive({ pid, startTime }) {
    return startTimeOf(pid) === startTime;
}

function startTimeOf(pid) {
    try {
        if (existsSync('/proc/self/stat')) {
            // The command stands in parentheses and may hold spaces and parentheses itself.
            const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
            return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
        }
        return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    } catch {
        return undefined;
    }
}
