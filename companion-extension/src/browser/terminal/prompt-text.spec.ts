// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promptText } from './prompt-text';

describe('promptText', () => {
    it('S23: is one bracketed paste without a line end at its end', () => {
        expect(promptText('one\r\ntwo\n\n')).to.equal('\u001b[200~one\ntwo\u001b[201~');
    });

    it('S23: a selection cannot end the paste, press a key or steer the terminal', () => {
        const hostile = 'a\u001b[201~rm -rf ~\r\u0003\u009b201~\u0000\u0007\u007fb\tc';
        expect(promptText(hostile)).to.equal('\u001b[200~a[201~rm -rf ~\n201~b\tc\u001b[201~');
    });
});
