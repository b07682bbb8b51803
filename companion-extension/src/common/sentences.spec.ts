// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { nls } from '@theia/core/lib/common/nls';
import { joinClauses, joinSentences, listOf, spokenLabel } from './sentences';

describe('Sentences that are joined', () => {
    const language = nls as { locale?: string };
    const before = language.locale;
    afterEach(() => (language.locale = before));

    it('have the punctuation of English', () => {
        expect(joinSentences(['One.', undefined, 'Two.'])).to.equal('One. Two.');
        expect(joinClauses(['one', 'two'])).to.equal('one, two');
        expect(listOf(['one', 'two', 'three'])).to.equal('one, two, three');
        expect(spokenLabel(['one', 'Two.', 'Three.'])).to.equal('one. Two. Three');
    });

    it('have the punctuation of Chinese, without spaces', () => {
        language.locale = 'zh-cn';
        expect(joinSentences(['一。', undefined, '二。'])).to.equal('一。二。');
        expect(joinClauses(['一', '二'])).to.equal('一，二');
        expect(listOf(['一', '二', '三'])).to.match(/^一、二、三$/);
        expect(spokenLabel(['一', '二。', '三。'])).to.equal('一。二。三');
    });
});
