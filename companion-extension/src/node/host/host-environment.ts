// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as os from 'os';
import { injectable } from '@theia/core/shared/inversify';

/**
 * The machine, as discovery and terminals need it; apart from the process, so that tests need no real HOME.
 *
 * Promised: `homeFolder`, `temporaryFolder` and `variables`.
 * @since 0.1
 */
@injectable()
export class HostEnvironment {
    readonly platform: NodeJS.Platform = process.platform;
    readonly pid: number = process.pid;
    /** `undefined` if the system has no such thing. */
    readonly uid: number | undefined = process.getuid?.();

    /** Where a platform puts its `Policy`. */
    readonly policyFile: string = '/etc/theia-cli-companion/policy.json';

    get variables(): Readonly<Record<string, string | undefined>> {
        return process.env;
    }

    /** The HOME as the CLIs compute it. Where the system knows none, the temporary folder, as Gemini CLI (0.61) and Qwen Code (0.24) do. */
    get homeFolder(): string {
        try {
            // With an empty HOME it is empty, and paths below would lie in the working folder.
            return os.homedir() || this.temporaryFolder;
        } catch {
            // A user without an entry in the password database, as in OpenShift, and without HOME.
            return this.temporaryFolder;
        }
    }

    /** The temporary folder as the CLIs compute it. */
    get temporaryFolder(): string {
        return os.tmpdir();
    }

    /** 1 once the parent has died, 0 if it lives in another pid namespace. */
    get parentPid(): number {
        return process.ppid;
    }

    /** Whether this process may write there, also by an access control list; false on what is mounted read-only. At once, as {@link exists}. */
    canWrite(path: string): boolean {
        try {
            fs.accessSync(path, fs.constants.W_OK);
            return true;
        } catch {
            return false;
        }
    }

    /** At once, and so only for the system's own folders: the user's may lie on a file system that never answers. */
    exists(path: string): boolean {
        return fs.existsSync(path);
    }
}
