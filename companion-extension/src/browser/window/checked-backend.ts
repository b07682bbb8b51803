// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CompanionBackend } from '../../common/companion-protocol';
import { BackendPayloads } from './backend-payloads';

type Check = (answer: unknown) => boolean;

/** Of the calls whose answers the page works with. That of `hello` is checked where it is received: it decides what the status says. */
const CHECKS: Partial<Record<keyof CompanionBackend, Check>> = {
    readReview: answer => isAbsent(answer) || BackendPayloads.isContent(answer),
    realPath: answer => isAbsent(answer) || typeof answer === 'string',
    findCliTerminals: BackendPayloads.areCliTerminals,
    acceptReview: BackendPayloads.isAnswer,
    rejectReview: BackendPayloads.isAnswer,
    updateReviewText: BackendPayloads.isEditAnswer,
    readDroppedEdit: answer => isAbsent(answer) || typeof answer === 'string',
    showReviewHere: answer => typeof answer === 'boolean',
    getIdeModeOffers: BackendPayloads.areOffers
};

/** @returns the backend, of which an answer of another shape than the page knows is a failed call */
export function checkedBackend<B extends CompanionBackend>(backend: B): B {
    return new Proxy(backend, {
        get: (target, property, receiver) => {
            const value: unknown = Reflect.get(target, property, receiver);
            const check = CHECKS[property as keyof CompanionBackend];
            if (!check || typeof value !== 'function') {
                return value;
            }
            return async (...parameters: unknown[]): Promise<unknown> => {
                const answer: unknown = await Reflect.apply(value, target, parameters);
                if (!check(answer)) {
                    throw new Error(nls.localize('companion/status/otherBackend', 'it is of another version; reload the page'));
                }
                return answer;
            };
        }
    });
}

/** Theia's RPC turns `undefined` into `null`. */
function isAbsent(answer: unknown): boolean {
    return answer === undefined || answer === null;
}
