// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PasteMode } from './paste-mode';

describe('The paste mode of a terminal', () => {
    function after(...output: string[]): boolean {
        const mode = new PasteMode();
        output.forEach(piece => mode.receive(piece));
        return mode.isOn;
    }

    it('is on once a program has asked for it, until one takes it back or resets the terminal', () => {
        expect(after('$ ')).to.equal(false);
        expect(after('\u001b[?2004h$ ')).to.equal(true);
        expect(after('\u001b[?25;2004h', '\u001b[?25l')).to.equal(true);
        expect(after('\u001b[?2004h\u001b[?2004l')).to.equal(false);
        expect(after('\u001b[?2004h\u001bc')).to.equal(false);
        expect(after('\u001b[?2004h\u001b[!p')).to.equal(false);
        expect(after('\u001b[?12004h\u001b[2004h')).to.equal(false);
    });

    it('is the same however the output is cut', () => {
        expect(after(...'one\u001b[?1;2004htwo')).to.equal(true);
        expect(after('\u001b[?2004h', ...'\u001b[!p')).to.equal(false);
    });

    it('takes no memory for a sequence that never ends', () => {
        const mode = new PasteMode();
        mode.receive('\u001b[?');
        for (let count = 0; count < 100; count++) {
            mode.receive('1'.repeat(1000));
        }
        expect(JSON.stringify(mode).length).to.be.lessThan(200);
    });
});
