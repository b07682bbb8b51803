// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ReviewInfo, WindowState } from '../../common/companion-protocol';
import { BackendPayloads } from './backend-payloads';

const QWEN = { id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' };

describe('BackendPayloads', () => {
    const review: ReviewInfo = {
        id: 'r1',
        path: '/w/a.txt',
        uri: 'file:///w/a.txt',
        cliName: 'Qwen Code',
        outsideWorkspace: false,
        cliGone: false,
        otherClis: [],
        traits: {},
        openedAt: 1,
        version: { writer: 'w', revision: 1 }
    };
    const state: WindowState = {
        windowId: 'w1',
        sequence: 1,
        status: { state: 'ready', problems: [], clis: [QWEN], connections: [] },
        reviews: [review],
        reviewsElsewhere: [],
        droppedEdits: []
    };

    it('takes what the backend sends, with fields that a newer one may add', () => {
        expect(BackendPayloads.isReview({ ...review, newer: 1 })).to.equal(true);
        expect(BackendPayloads.isState({ ...state, newer: 1 })).to.equal(true);
    });

    it('S20: takes nothing of another shape', () => {
        for (const value of [undefined, null, 0, '', [], {}]) {
            expect(BackendPayloads.isReview(value)).to.equal(false);
            expect(BackendPayloads.isState(value)).to.equal(false);
        }
        for (const key of Object.keys(review)) {
            expect(BackendPayloads.isReview({ ...review, [key]: null }), key).to.equal(false);
        }
        for (const key of Object.keys(state)) {
            expect(BackendPayloads.isState({ ...state, [key]: null }), key).to.equal(false);
        }
        expect(BackendPayloads.isReview({ ...review, uri: 'javascript:alert(1)' })).to.equal(false);
        expect(BackendPayloads.isReview({ ...review, modifiedAt: 'today' })).to.equal(false);
        expect(BackendPayloads.isState({ ...state, reviews: [{}] })).to.equal(false);
        expect(BackendPayloads.isState({ ...state, sequence: NaN })).to.equal(false);
    });

    it('S20: takes no status that the status bar could not show', () => {
        const withStatus = (changes: object): unknown => ({ ...state, status: { ...state.status, ...changes } });
        const connection = { cliId: 'qwen-code', displayName: 'Qwen Code' };
        for (const changes of [{ hints: ['Type /ide enable.'] }, { connections: [connection, { ...connection, folder: '/w' }] }]) {
            expect(BackendPayloads.isState(withStatus(changes)), JSON.stringify(changes)).to.equal(true);
        }
        for (const changes of [
            { state: 'odd' },
            { problems: [7] },
            { problems: ['a sentence'] },
            { problems: [{ text: 'No.', command: 7 }] },
            { hints: 'Type' },
            { hints: [null] },
            { clis: undefined },
            { clis: ['qwen'] },
            { clis: [{ ...QWEN, command: 1 }] },
            { connections: {} },
            { connections: [null] },
            { connections: [{}] },
            { connections: [{ ...connection, displayName: 7 }] },
            { connections: [{ ...connection, folder: 7 }] }
        ]) {
            expect(BackendPayloads.isState(withStatus(changes)), JSON.stringify(changes)).to.equal(false);
        }
    });
});
