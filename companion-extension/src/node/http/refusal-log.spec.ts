// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { RefusalLog } from './refusal-log';

describe('RefusalLog', () => {
    it('S21: logs each reason at once, and only the size of a flood', () => {
        const lines: string[] = [];
        let now = 0;
        const log = new RefusalLog({ warn: async (line: unknown) => void lines.push(String(line)) }, () => now);
        for (let index = 0; index < 1000; index++) {
            log.add('403 Wrong Host');
        }
        log.add('401 Unauthorized');
        now = 61_000;
        log.add('403 Wrong Host');
        expect(lines).to.deep.equal([
            'Refused a request: 403 Wrong Host',
            'Refused a request: 401 Unauthorized',
            'Refused a request: 403 Wrong Host (and 999 times since it was last logged)'
        ]);
    });
});
