// SPDX-License-Identifier: Apache-2.0

/**
 * Theia's RPC has no time limit, and a call made while the socket is down may never settle (Theia 1.74).
 *
 * @param ms milliseconds
 * @param expired called where no answer came in time
 * @returns the answer, or `undefined` where none came in time or the call failed
 */
export async function answerWithin<T>(ms: number, call: Promise<T>, expired: () => void = () => undefined): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>(resolve => {
        timer = setTimeout(() => {
            expired();
            resolve(undefined);
        }, ms);
        timer.unref();
    });
    try {
        return await Promise.race([call, timeout]);
    } catch {
        return undefined;
    } finally {
        clearTimeout(timer);
    }
}
