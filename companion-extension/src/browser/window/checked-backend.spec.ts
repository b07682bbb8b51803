// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CompanionBackend, PROPOSAL_VERSION, ReviewContent } from '../../common/companion-protocol';
import { checkedBackend } from './checked-backend';

describe('checkedBackend', () => {
    const content: ReviewContent = {
        review: {
            id: 'r1',
            path: '/w/a.txt',
            uri: 'file:///w/a.txt',
            cliName: 'Qwen Code',
            outsideWorkspace: false,
            cliGone: false,
            otherClis: [],
            traits: {},
            openedAt: 1,
            version: PROPOSAL_VERSION
        },
        text: 'new',
        edited: false
    };
    const offer = { cliId: 'gemini-cli', displayName: 'Gemini CLI', path: '/s', change: '"ide"' };
    let answer: unknown;
    let asked: unknown[];
    let backend: CompanionBackend;

    beforeEach(() => {
        asked = [];
        const respond = async (...parameters: unknown[]): Promise<never> => {
            asked.push(parameters);
            return answer as never;
        };
        backend = checkedBackend({
            hello: respond,
            updateContext: respond,
            realPath: respond,
            findCliTerminals: respond,
            readReview: respond,
            acceptReview: respond,
            rejectReview: respond,
            readDroppedEdit: respond,
            discardDroppedEdit: respond,
            showReviewHere: respond,
            updateReviewText: respond,
            getIdeModeOffers: respond,
            acceptIdeModeOffer: respond,
            rememberIdeModeOffer: respond
        });
    });

    const calls: Array<[string, () => Promise<unknown>, unknown[], unknown[]]> = [
        [
            'readReview',
            () => backend.readReview('r1'),
            [content, null, undefined, { ...content, newer: 1 }],
            [
                { ...content, text: null },
                { ...content, edited: 1 },
                { ...content, review: {} }
            ]
        ],
        ['acceptReview', () => backend.acceptReview('r1', {}), [{ result: 'done' }, { result: 'emptied' }], [null, { result: 'maybe' }]],
        [
            'updateReviewText',
            () => backend.updateReviewText('r1', { revision: 1, base: PROPOSAL_VERSION }),
            [{ result: 'done' }, { result: 'late' }, { result: 'full' }],
            [null, { result: 'emptied' }]
        ],
        [
            'rejectReview',
            () => backend.rejectReview('r1', {}),
            [{ result: 'late', how: 'moved' }],
            [undefined, { result: 7 }, { result: 'late' }]
        ],
        ['readDroppedEdit', () => backend.readDroppedEdit('r1'), ['text', undefined, null], [7, {}]],
        ['realPath', () => backend.realPath('/a'), ['/b', undefined, null], [true, {}]],
        [
            'findCliTerminals',
            () => backend.findCliTerminals([1]),
            [[], [{ shell: 1, displayName: 'Qwen Code' }], [{ shell: 1, displayName: 'Qwen Code', folder: '/w' }]],
            [null, {}, [null], [{ shell: '1', displayName: 'Qwen Code' }], [{ shell: 1 }]]
        ],
        ['showReviewHere', () => backend.showReviewHere('r1'), [true, false], [null, 'yes']],
        [
            'getIdeModeOffers',
            () => backend.getIdeModeOffers(),
            [[], [offer], [{ ...offer, answer: 'asked' }]],
            [null, {}, [null], [{ ...offer, path: 7 }], [{ ...offer, cliId: '' }], [{ ...offer, answer: 'maybe' }]]
        ]
    ];
    for (const [name, call, good, bad] of calls) {
        it(`S20: takes from ${name} what the backend may answer, and nothing else`, async () => {
            for (answer of good) {
                expect(await call()).to.equal(answer);
            }
            for (answer of [...bad, 0, [[]], { then: 7 }]) {
                const outcome = await call().then(
                    () => 'taken',
                    () => 'refused'
                );
                expect(outcome, JSON.stringify(answer)).to.equal('refused');
            }
        });
    }

    it('hands on what was asked', async () => {
        answer = { result: 'done' };
        await backend.acceptReview('r1', { text: 'text' });
        expect(asked).to.deep.equal([['r1', { text: 'text' }]]);
    });
});
