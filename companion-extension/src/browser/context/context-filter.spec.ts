// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { defaultContextExcludes } from '../../common/companion-preferences';
import { ContextPrivacy, PathPatterns } from './context-filter';

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
        it(`S16: does not share ${path} by default`, () => expect(defaults.matches(path, ['/ws'])).to.equal(true));
    }

    for (const path of ['/ws/environment.ts', '/ws/keyboard.ts', '/ws/src/env.ts', '/ws/README.md']) {
        it(`shares ${path} by default`, () => expect(defaults.matches(path, ['/ws'])).to.equal(false));
    }

    it('also matches the path in the workspace', () => {
        const patterns = new PathPatterns(['private/**']);
        expect(patterns.matches('/ws/private/a.txt', ['/other', '/ws/'])).to.equal(true);
        expect(patterns.matches('/elsewhere/private/a.txt', ['/ws'])).to.equal(false);
    });

    it('names the pattern that matches, as it was written', () => {
        expect(defaults.match('/ws/.env', ['/ws'])).to.equal('**/.env*');
        expect(new PathPatterns([' Private/** ']).match('/ws/private/a.txt', ['/ws'])).to.equal('Private/**');
        expect(defaults.match('/ws/README.md', ['/ws'])).to.equal(undefined);
    });

    it('ignores empty patterns', () => {
        expect(new PathPatterns(['', '  ']).matches('/ws/a', ['/ws'])).to.equal(false);
    });
});

describe('ContextPrivacy', () => {
    const none = {
        defaultValue: undefined,
        globalValue: undefined,
        workspaceValue: undefined,
        workspaceFolderValue: undefined,
        sessionValue: undefined
    };

    it('shares only if both the user and the workspace agree', () => {
        const sharing = (globalValue: boolean | undefined, workspaceValue: boolean | undefined): boolean =>
            ContextPrivacy.sharing({ ...none, defaultValue: true, globalValue, workspaceValue });
        expect(sharing(undefined, undefined)).to.equal(true);
        expect(sharing(true, true)).to.equal(true);
        expect(sharing(undefined, false)).to.equal(false);
        expect(sharing(true, false)).to.equal(false);
        expect(sharing(false, undefined)).to.equal(false);
        expect(sharing(false, true), 'a workspace cannot turn it on').to.equal(false);
    });

    it('a workspace adds patterns and removes none', () => {
        const scopes = { ...none, defaultValue: ['**/.env*'] };
        expect(ContextPrivacy.excludes({ ...scopes, workspaceValue: [] })).to.deep.equal(['**/.env*']);
        expect(ContextPrivacy.excludes({ ...scopes, workspaceValue: ['**/*.log'] })).to.deep.equal(['**/.env*', '**/*.log']);
        expect(ContextPrivacy.excludes({ ...scopes, globalValue: ['own'], workspaceValue: ['added'] })).to.deep.equal(['own', 'added']);
    });

    it("the user's own list replaces the default one", () => {
        expect(ContextPrivacy.excludes({ ...none, defaultValue: ['**/.env*'], globalValue: [] })).to.deep.equal([]);
    });

    it('a value of a wrong type removes nothing', () => {
        const broken = JSON.parse('{"workspaceValue": "everything", "globalValue": ["own"]}') as object;
        expect(ContextPrivacy.excludes({ ...none, ...broken })).to.deep.equal(['own']);
    });
});
