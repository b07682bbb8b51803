// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { describeAge, withoutIcons } from './item-text';

describe('Texts of quick pick items', () => {
    it('tell their age in the largest whole unit', () => {
        expect(describeAge(0)).to.equal('now');
        expect(describeAge(59_000)).to.equal('59 sec. ago');
        expect(describeAge(150_000)).to.equal('2 min. ago');
        expect(describeAge(2 * 3_600_000)).to.equal('2 hr. ago');
        expect(describeAge(-5_000), 'of a clock that was set back').to.equal('now');
    });

    it('show text of a CLI or a file name as text', () => {
        expect(withoutIcons('$(trash) a.txt')).to.not.match(/\$\(/);
    });
});
