// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as os from 'os';
import { injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from './host-environment';

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
