// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { FaultError } from './fault-error';
import { HostEnvironment } from './host-environment';

const MAX_BYTES = 64 * 1024;
/** As Linux has it. */
const MAX_LINKS = 40;
const ROOT = 0;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * A file that counts only if those cannot change it whom it binds. Read at once: it is the system's, and nothing is served before it is
 * known.
 */
export class PolicyFile {
    constructor(
        readonly path: string,
        protected readonly host: Pick<HostEnvironment, 'uid' | 'canWrite'>
    ) {}

    /** What cannot be looked at is there. */
    get isMissing(): boolean {
        try {
            fs.lstatSync(this.path);
            return false;
        } catch (error) {
            return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
        }
    }

    /** Throws a {@link FaultError}, or what the system says. */
    read(): string {
        if (!path.isAbsolute(this.path)) {
            throw new Error('The path is not absolute');
        }
        const file = this.follow(this.path);
        const stat = fs.statSync(file);
        // Nobody whom it binds takes its place meanwhile.
        if (!stat.isFile() || stat.size > MAX_BYTES) {
            throw new Error(`It is no file, or has more than ${MAX_BYTES / 1024} KiB`);
        }
        return fs.readFileSync(file, 'utf8');
    }

    /** Judges every folder, link and file on the way. @returns the path without links */
    protected follow(file: string): string {
        const { root } = path.parse(file);
        const names = path.relative(root, file).split(path.sep);
        let [reached, links] = [root, 0];
        this.judge(root);
        for (let name = names.shift(); name !== undefined; name = names.shift()) {
            const next = path.join(reached, name);
            if (!this.judge(next).isSymbolicLink()) {
                reached = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new Error('ELOOP: too many symbolic links');
            }
            const target = fs.readlinkSync(next);
            names.unshift(...target.split(path.sep).filter(Boolean));
            reached = path.isAbsolute(target) ? root : reached;
        }
        return reached;
    }

    /**
     * Who owns it may always write it. The mode says nothing of access control lists, nor of a volume that is mounted read-only, as Kubernetes
     * mounts a ConfigMap whose folder everybody may write: the system does (`access(2)`). To root it says yes, so there the mode counts, too.
     */
    protected judge(place: string): fs.Stats {
        const stat = fs.lstatSync(place);
        const { uid } = this.host;
        const isOurs = uid === ROOT ? stat.uid !== ROOT : uid === undefined || stat.uid === uid;
        // In a sticky folder nobody touches what is not theirs, and who owns what lies there is judged in the next step.
        const isSafe = stat.isSymbolicLink() || (stat.isDirectory() && (stat.mode & STICKY) !== 0);
        const mayBeOpen = uid !== ROOT || (stat.mode & OTHERS_WRITE) !== 0;
        if (isOurs || (!isSafe && mayBeOpen && this.host.canWrite(place))) {
            throw new FaultError({ code: 'policy-open', place });
        }
        return stat;
    }
}
