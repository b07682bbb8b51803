// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { displayPath, fileName, shortPaths } from './display-path';

describe('displayPath', () => {
    it('is relative to the root', () => {
        expect(displayPath('/ws/src/a.ts', ['/ws'])).to.equal('src/a.ts');
        expect(displayPath('c:\\ws\\src\\a.ts', ['c:\\ws'])).to.equal('src/a.ts');
        expect(displayPath('/ws', ['/ws/']), 'the root itself').to.equal('ws');
    });

    it('begins with the name of the root if there are several, the innermost one', () => {
        expect(displayPath('/ws/src/a.ts', ['/ws', '/other'])).to.equal('ws/src/a.ts');
        expect(displayPath('/ws/src/a.ts', ['/ws', '/ws/src'])).to.equal('src/a.ts');
    });

    it('is the whole path where the name of the root would not tell which one it is', () => {
        const roots = ['/a/app', '/b/app', '/c'];
        expect(roots.map(root => displayPath(`${root}/x.ts`, roots))).to.deep.equal(['/a/app/x.ts', '/b/app/x.ts', 'c/x.ts']);
    });

    it('is the whole path outside the workspace', () => {
        expect(displayPath('/ws2/a.ts', ['/ws'])).to.equal('/ws2/a.ts');
        expect(displayPath('/etc/hosts', [])).to.equal('/etc/hosts');
        expect(displayPath('/etc/hosts', ['/'])).to.equal('/etc/hosts');
    });
});

describe('shortPaths', () => {
    it('leaves short paths as they are', () => {
        expect(shortPaths(['src/a.ts', 'lib/a.ts'], 10)).to.deep.equal(['src/a.ts', 'lib/a.ts']);
    });

    it('cuts long ones at the front, between two names', () => {
        expect(shortPaths(['one/two/three/four.ts'], 16)).to.deep.equal(['…/three/four.ts']);
        expect(shortPaths(['one/a-very-long-name.ts'], 10), 'never the name of the file').to.deep.equal(['…/a-very-long-name.ts']);
    });

    it('keeps what tells two long ones apart, wherever it is', () => {
        const paths = ['apps/shop/src/components/button/index.ts', 'apps/blog/src/components/button/index.ts'];
        expect(shortPaths(paths, 26)).to.deep.equal(['…/shop/…/button/index.ts', '…/blog/…/button/index.ts']);
        expect(shortPaths([paths[0], paths[0]], 26), 'twice the same').to.deep.equal(['…/button/index.ts', '…/button/index.ts']);
    });
});

describe('fileName', () => {
    it('is the last name', () => {
        expect(fileName('/ws/a.ts')).to.equal('a.ts');
        expect(fileName('c:\\ws\\a.ts')).to.equal('a.ts');
        expect(fileName('/')).to.equal('/');
    });
});
