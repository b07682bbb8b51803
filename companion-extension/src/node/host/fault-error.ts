// SPDX-License-Identifier: Apache-2.0

import { Fault } from '../../common/companion-problem';
import { faultText } from '../../common/problem-text';
import { NoAnswer } from './file-access';

/** A failure whose sentence the page knows. */
export class FaultError extends Error {
    constructor(readonly fault: Fault) {
        super(faultText(fault));
    }

    /** Why something failed, for a {@link CompanionProblem}. */
    static faultOf(error: unknown): Fault {
        if (error instanceof FaultError) {
            return error.fault;
        }
        return error instanceof NoAnswer ? { code: 'silent', places: [...error.places] } : { code: 'failed', cause: describeCause(error) };
    }
}

/**
 * Why something failed, such as `EACCES: permission denied`. Without the path, which the caller's sentence names: the one in the message of
 * a file system may be that of a temporary file, and another one each time.
 */
export function describeCause(error: unknown): string {
    if (!(error instanceof Error)) {
        return String(error);
    }
    const { syscall } = error as NodeJS.ErrnoException;
    const end = syscall ? error.message.indexOf(`, ${syscall}`) : -1;
    return end === -1 ? error.message : error.message.slice(0, end);
}
