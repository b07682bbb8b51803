// SPDX-License-Identifier: Apache-2.0

import { IncomingMessage, ServerResponse } from 'http';
import { MAX_BODY_BYTES } from './http-gate';

/** Bytes of all bodies together: a plain proposal of the largest size from each of sixteen CLIs, or two of the worst escaping. */
const TOTAL = 256 * 1024 * 1024;

/** Bodies up to this size are bounded by the number of connections alone, so that a flood of large ones delays no answer. */
const SMALL = 64 * 1024;

/** Bounds what all the requests under way may hold in memory together; each has a bound of its own. */
export class BodyBudget {
    private taken = 0;

    constructor(private readonly total = TOTAL) {}

    /** @returns whether the body may be read; what it takes is given back when its response has closed */
    take(request: Pick<IncomingMessage, 'headers'>, response: Pick<ServerResponse, 'once'>): boolean {
        const size = Number(request.headers['content-length'] ?? MAX_BODY_BYTES);
        if (size <= SMALL) {
            return true;
        }
        if (this.taken + size > this.total) {
            return false;
        }
        this.taken += size;
        response.once('close', () => (this.taken -= size));
        return true;
    }
}
