// SPDX-License-Identifier: Apache-2.0

/** What may be logged of a failure at any level: messages of the file system name paths, which are for the debug level. */
export function errorCode(error: unknown): string {
    return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown error');
}
