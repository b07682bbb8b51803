// SPDX-License-Identifier: Apache-2.0

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
