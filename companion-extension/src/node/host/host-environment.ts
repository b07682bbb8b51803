// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as os from 'os';
import { injectable } from '@theia/core/shared/inversify';

export const HostEnvironment = Symbol('HostEnvironment');
/** What discovery and terminals need to know of the machine, apart from the process so that tests need no real HOME. */
export interface HostEnvironment {
    readonly platform: NodeJS.Platform;
    readonly variables: Readonly<Record<string, string | undefined>>;
    /** As the CLIs compute it; empty if the system knows none. */
    readonly homeFolder: string;
    /** As the CLIs compute it. */
    readonly temporaryFolder: string;
    readonly pid: number;
    /** 1 once the parent has died, 0 if it lives in another pid namespace. */
    readonly parentPid: number;
    /** `undefined` if the system has no such thing. */
    readonly uid: number | undefined;
    /** Where the system lists users and groups, in `passwd` and `group`. */
    readonly accountsFolder: string;
    /** At once, and so only for the system's own folders: the user's may lie on a file system that never answers. */
    exists(path: string): boolean;
}

/** This process's own surroundings. */
@injectable()
export class ProcessHostEnvironment implements HostEnvironment {
    readonly platform = process.platform;
    readonly pid = process.pid;
    readonly uid = process.getuid?.();
    readonly accountsFolder = '/etc';

    get variables(): NodeJS.ProcessEnv {
        return process.env;
    }

    get homeFolder(): string {
        try {
            return os.homedir();
        } catch {
            // A user without an entry in the password database, as in OpenShift, and without HOME.
            return '';
        }
    }

    get temporaryFolder(): string {
        return os.tmpdir();
    }

    /** Changes when the parent dies, so it is asked for each time. */
    get parentPid(): number {
        return process.ppid;
    }

    exists(path: string): boolean {
        return fs.existsSync(path);
    }
}
