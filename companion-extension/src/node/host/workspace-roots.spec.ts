// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { checkRoots } from './workspace-roots';

describe('checkRoots', () => {
    it('leaves out roots that the CLIs would take for others, and says so', () => {
        const { expressible, problems } = checkRoots(['/a', '/b:c', '/d%20e', '/f g'], ':');
        expect(expressible).to.deep.equal(['/a', '/f g']);
        expect(problems).to.have.length(2);
        expect(problems[0].text).to.include('/b:c').and.to.include('Rename');
        expect(problems[1].text).to.include('/d%20e');
    });

    it('goes by the delimiter of the system', () => {
        expect(checkRoots(['c:\\a', 'c:\\b;c'], ';').expressible).to.deep.equal(['c:\\a']);
    });
});
