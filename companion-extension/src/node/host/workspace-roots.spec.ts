// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { checkRoots } from './workspace-roots';

describe('checkRoots', () => {
    it('leaves out roots that the CLIs would take for others, and says so', () => {
        const { expressible, problems } = checkRoots(['/a', '/b:c', '/d%20e', '/f g'], ':');
        expect(expressible).to.deep.equal(['/a', '/f g']);
        expect(problems).to.deep.equal([
            { code: 'root-left-out', root: '/b:c', delimiter: ':' },
            { code: 'root-left-out', root: '/d%20e', delimiter: ':' }
        ]);
    });

    it('goes by the delimiter of the system', () => {
        expect(checkRoots(['c:\\a', 'c:\\b;c'], ';').expressible).to.deep.equal(['c:\\a']);
    });
});
