// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { defaultContextExcludes } from '../../common/companion-preferences';
import { PathPatterns } from './context-filter';

describe('PathPatterns', () => {
    const defaults = new PathPatterns(defaultContextExcludes);

    for (const path of [
        '/ws/.env',
        '/ws/deep/er/.env.local',
        '/ws/prod.env',
        '/ws/server.pem',
        '/ws/SERVER.KEY',
        '/users/me/.ssh/config',
        '/users/me/id_ed25519',
        '/ws/.npmrc',
        '/ws/config/secrets.yml',
        'C:\\ws\\.env'
    ]) {
        it(`S16: keeps ${path} back by default`, () => expect(defaults.matches(path, ['/ws'])).to.equal(true));
    }

    for (const path of ['/ws/environment.ts', '/ws/keyboard.ts', '/ws/src/env.ts', '/ws/README.md']) {
        it(`tells ${path} by default`, () => expect(defaults.matches(path, ['/ws'])).to.equal(false));
    }

    it('matches the path in the workspace, too', () => {
        const patterns = new PathPatterns(['private/**']);
        expect(patterns.matches('/ws/private/a.txt', ['/other', '/ws/'])).to.equal(true);
        expect(patterns.matches('/elsewhere/private/a.txt', ['/ws'])).to.equal(false);
    });

    it('ignores empty patterns', () => {
        expect(new PathPatterns(['', '  ']).matches('/ws/a', ['/ws'])).to.equal(false);
    });
});
