// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { problemText } from './problem-text';
import { ContextPrivacy, PathsInRoots } from './context-privacy';
import { ScopedValue } from './scoped-value';

const { Default, User, Workspace, Folder, Session } = PreferenceScope;
const WS = 'file:///ws';
const OTHER = 'file:///other';

describe('ContextPrivacy', () => {
    function excluding(...exclude: ScopedValue[]): ContextPrivacy {
        return new ContextPrivacy([], exclude);
    }

    function inRoots(paths: Record<string, string[]> = {}): PathsInRoots {
        return new Map(Object.entries(paths));
    }

    function withheld(privacy: ContextPrivacy, path: string, paths?: Record<string, string[]>): boolean {
        return privacy.withheldBy(path, inRoots(paths)) !== undefined;
    }

    function problems({ problems: found }: ContextPrivacy): string[] {
        return found.map(problemText);
    }

    describe('patterns', () => {
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
            '/ws/client_secrets.json',
            '/ws/server.pem.bak',
            '/ws/server.key~',
            '/ws/terraform.tfstate',
            '/ws/terraform.tfstate.backup',
            '/ws/prod.auto.tfvars',
            '/users/me/.vault-token',
            '/ws/kubeconfig',
            '/ws/prod.kubeconfig.yaml',
            '/ws/wp-config.php',
            '/ws/.yarnrc.yml',
            '/ws/service-account-prod.json',
            '/users/me/.config/gcloud/credentials.db',
            '/users/me/.config/gh/hosts.yml',
            '/users/me/.m2/settings.xml',
            '/users/me/.claude.json',
            '/users/me/.claude/.credentials.json',
            '/users/me/.claude/ide/43211.lock',
            '/users/me/.qwen/ide/43211.lock',
            '/users/me/.qwen/oauth_creds.json',
            '/users/me/.gemini/oauth_creds.json',
            '/users/me/.gemini/mcp-oauth-tokens.json',
            '/users/me/.codex/auth.json',
            '/users/me/.local/share/opencode/auth.json',
            '/tmp/gemini/ide/gemini-ide-server-1-2.json',
            '/tmp/qwen-code-ide-server-1-2.json',
            '/users/me/.theia/theia-cli-companion/edits/x.json',
            'C:\\ws\\.env'
        ]) {
            it(`S16: withhold ${path}, whatever the settings are`, () => {
                for (const value of [undefined, [], ['own'], 'own', '!', '', null, 7, false, {}, [{}, []], ['', '  ']]) {
                    for (const scope of PreferenceScope.getScopes()) {
                        expect(withheld(excluding({ scope, value }), path), JSON.stringify(value)).to.equal(true);
                    }
                }
            });
        }

        for (const path of [
            '/ws/environment.ts',
            '/ws/keyboard.ts',
            '/ws/src/env.ts',
            '/ws/README.md',
            '/ws/yarn.lock',
            '/ws/src/ide/a.ts'
        ]) {
            it(`withhold ${path} only if somebody wants it`, () =>
                expect(withheld(excluding({ scope: User, value: ['', '  '] }), path)).to.equal(false));
        }

        it('S16: count in every scope, and add up', () => {
            for (const scope of PreferenceScope.getScopes()) {
                expect(withheld(excluding({ scope, value: ['**/*.log'] }), '/ws/a.log'), PreferenceScope[scope]).to.equal(true);
            }
            const all = excluding(...PreferenceScope.getScopes().map(scope => ({ scope, value: [`**/${PreferenceScope[scope]}`] })));
            for (const scope of PreferenceScope.getScopes()) {
                expect(withheld(all, `/ws/${PreferenceScope[scope]}`), PreferenceScope[scope]).to.equal(true);
            }
        });

        it('match the path relative to a root, too, whichever of its names leads there', () => {
            const privacy = excluding({ scope: User, value: ['private/**'] });
            expect(withheld(privacy, '/ws/private/a.txt', { [WS]: ['private/a.txt'] })).to.equal(true);
            expect(withheld(privacy, '/real/ws/private/a.txt', { [OTHER]: ['ws/private/a.txt'], [WS]: ['private/a.txt'] })).to.equal(true);
            expect(withheld(privacy, '/elsewhere/private/a.txt')).to.equal(false);
        });

        it('S16: know a name in each Unicode form', () => {
            for (const value of ['**/café*', '**/cafe\u0301*']) {
                expect(withheld(excluding({ scope: User, value }), '/ws/café.txt')).to.equal(true);
                expect(withheld(excluding({ scope: User, value }), '/ws/cafe\u0301.txt')).to.equal(true);
            }
        });

        it('S16: answer for any path, whatever a repository brings', () => {
            const hostile = excluding({ scope: Workspace, value: ['**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/zz', `**/${'*a'.repeat(20)}*b`] });
            expect(withheld(hostile, `/${'a/'.repeat(2_000)}x.ts`)).to.equal(false);
            expect(withheld(hostile, `/${'a'.repeat(255)}`)).to.equal(false);
            expect(withheld(hostile, `/${'a/'.repeat(2_000)}zz`)).to.equal(true);
        });

        it('are named as they were written', () => {
            expect(excluding().withheldBy('/ws/.env', inRoots())).to.equal('companion.context.exclude: **/.env*');
            const privacy = excluding({ scope: User, value: [' Private/** '] });
            expect(privacy.withheldBy('/ws/private/a', inRoots({ [WS]: ['private/a'] }))).to.equal('companion.context.exclude: Private/**');
        });
    });

    describe('a pattern that cannot be understood', () => {
        it('S16: withholds all files, and nothing shares them again', () => {
            for (const scope of [Default, User, Workspace, Session]) {
                const privacy = excluding({ scope, value: ['**/a', 'data[/', '**/*.{key,crt'] }, { scope: User, value: ['!**'] });
                expect(privacy.withheldBy('/ws/README.md', inRoots())).to.equal('companion.context.exclude: data[/');
                expect(problems(privacy).join()).to.include('not glob patterns: "data[/", "**/*.{key,crt".');
            }
        });

        it("S16: of a folder's settings, withholds the files in that folder, and those in none", () => {
            const privacy = excluding({ scope: Folder, root: WS, value: ['[z-a]'] });
            expect(withheld(privacy, '/ws/a', { [WS]: ['a'] })).to.equal(true);
            expect(withheld(privacy, '/outside/a')).to.equal(true);
            expect(withheld(privacy, '/other/a', { [OTHER]: ['a'] })).to.equal(false);
        });

        it('S16: is one after so many that nobody could wait for the answer', () => {
            const value = Array.from({ length: 200 }, (_, number) => `**/${number}${'a'.repeat(1_000)}`);
            expect(withheld(excluding({ scope: Workspace, value }), '/ws/a')).to.equal(true);
        });

        it('S16: with "!", shares nothing again', () => {
            const privacy = excluding({ scope: User, value: ['!**/.env[', '**/*.log'] });
            expect(['/ws/.env', '/ws/a.log', '/ws/a'].map(path => withheld(privacy, path))).to.deep.equal([true, true, false]);
            expect(problems(privacy).join()).to.include('Ignored in your user settings: "!**/.env[".');
        });
    });

    describe("a pattern in the user's home folder", () => {
        it('S16: counts there, and withholds all files until it is known where that is', () => {
            const exclude = [{ scope: User, value: ['~/private/**'] }];
            const paths = ['/home/ann/private/a', '/home/ANN/Private/a', '/home/ann/a', '/private/a'];
            const at = (home?: string): boolean[] => paths.map(path => withheld(new ContextPrivacy([], exclude, home), path));
            expect(at('/home/ann')).to.deep.equal([true, true, false, false]);
            expect(at('/home/ann/')).to.deep.equal([true, true, false, false]);
            expect(at()).to.deep.equal([true, true, true, true]);
            expect(problems(new ContextPrivacy([], exclude))).to.deep.equal([]);
        });
    });

    describe('a pattern with "!"', () => {
        it("S16: shares files again in the user's own settings", () => {
            const privacy = excluding({ scope: User, value: ['**/*.log', '!**/.env.example', '! logs/**'] });
            expect(withheld(privacy, '/ws/.env.example')).to.equal(false);
            expect(withheld(privacy, '/ws/.env')).to.equal(true);
            expect(withheld(privacy, '/ws/logs/a.log', { [WS]: ['logs/a.log'] })).to.equal(false);
            expect(withheld(privacy, '/ws/a.log', { [WS]: ['a.log'] })).to.equal(true);
            expect(problems(privacy)).to.deep.equal([]);
        });

        it('S16: shares nothing again in any other settings, which is a problem', () => {
            for (const scope of [Default, Workspace, Folder, Session]) {
                const value = ['!**/.env', '!**', ' !.env'];
                const privacy = excluding({ scope, value, ...(scope === Folder && { root: WS }) });
                expect(withheld(privacy, '/ws/.env', { [WS]: ['.env'] }), PreferenceScope[scope]).to.equal(true);
                expect(problems(privacy).join()).to.include(': "!**/.env", "!**", " !.env".');
            }
        });

        it('S16: overrides no pattern of a workspace or of a folder in it', () => {
            for (const scope of [Workspace, Folder]) {
                const privacy = excluding({ scope, value: ['**/.env.example'] }, { scope: User, value: ['!**/.env.example'] });
                expect(withheld(privacy, '/ws/.env.example')).to.equal(true);
            }
        });
    });

    describe('a value of another type', () => {
        it('S16: is a list of one if it is a string', () => {
            const privacy = excluding({ scope: User, value: '**/secrets/**' });
            expect(withheld(privacy, '/ws/secrets/a')).to.equal(true);
            expect(problems(privacy)).to.deep.equal([]);
        });

        it('S16: withholds all files, which is a problem, whatever stands beside it', () => {
            const understood = 'Write a list of patterns, with "/" between names.';
            for (const [value, quoted] of [
                [['**/a', 5, '!**', { b: 1 }, null, ['**/c']], '5, {"b":1}, null, ["**/c"]'],
                [{ '**/e': true }, '{"**/e":true}'],
                [false, 'false'],
                [7, '7']
            ]) {
                const privacy = excluding({ scope: User, value });
                expect(withheld(privacy, '/ws/README.md', { [WS]: ['README.md'] }), JSON.stringify(value)).to.equal(true);
                expect(problems(privacy)).to.deep.equal([
                    `In your user settings, companion.context.exclude has entries that are not glob patterns: ${quoted}. ` +
                        `Until you correct them, no file to which these settings apply is shared. ${understood}`
                ]);
            }
        });

        it('is quoted in part if it is long', () => {
            const [text] = problems(excluding({ scope: Workspace, value: [Array.from({ length: 1_000 }, () => 7)] }));
            expect(text).to.include('7,7…').and.to.have.length.below(400);
        });
    });

    describe('in several folders', () => {
        it("S16: a folder's patterns count for its files, and for those in no folder, to which its links may lead", () => {
            const privacy = excluding({ scope: Folder, root: WS, value: ['private/**', '**/*.log'] });
            expect(withheld(privacy, '/ws/private/a', { [WS]: ['private/a'] })).to.equal(true);
            expect(withheld(privacy, '/ws/a.log', { [WS]: ['a.log'] })).to.equal(true);
            expect(withheld(privacy, '/outside/a.log')).to.equal(true);
            expect(withheld(privacy, '/other/private/a', { [OTHER]: ['private/a'] })).to.equal(false);
            expect(withheld(privacy, '/other/a.log', { [OTHER]: ['a.log'] })).to.equal(false);
            expect(withheld(privacy, '/other/ws/private/a', { [OTHER]: ['ws/private/a'], [WS]: ['private/a'] }), 'nested').to.equal(true);
        });

        it('S16: a folder can keep its own files from CLIs, and share none that the user does not', () => {
            for (const value of [false, 'false', null, 0]) {
                const privacy = new ContextPrivacy([{ scope: Folder, root: WS, value }], []);
                expect(privacy.sharing).to.equal(true);
                expect(privacy.withheldBy('/ws/a', inRoots({ [WS]: ['a'] }))).to.equal('companion.context.share');
                expect(withheld(privacy, '/other/a', { [OTHER]: ['a'] })).to.equal(false);
            }
            const willing: ScopedValue[] = [
                { scope: User, value: false },
                { scope: Folder, root: WS, value: true }
            ];
            expect(new ContextPrivacy(willing, []).sharing).to.equal(false);
        });
    });

    describe('sharing', () => {
        function sharing(...values: Array<[PreferenceScope, unknown]>): boolean {
            return new ContextPrivacy(
                values.map(([scope, value]) => ({ scope, value })),
                []
            ).sharing;
        }

        it('S16: is on only if both the user and the workspace agree', () => {
            expect(sharing()).to.equal(true);
            expect(sharing([Default, true], [User, true], [Workspace, true])).to.equal(true);
            expect(sharing([Default, true], [Workspace, false])).to.equal(false);
            expect(sharing([User, true], [Workspace, false])).to.equal(false);
            expect(sharing([User, false])).to.equal(false);
            expect(sharing([User, false], [Workspace, true]), 'a workspace cannot turn it on').to.equal(false);
        });

        it('S16: is decided by the command line, else by the user, else by the application', () => {
            expect(sharing([Default, false], [User, true])).to.equal(true);
            expect(sharing([Default, true], [User, true], [Session, false])).to.equal(false);
            expect(sharing([User, false], [Session, true])).to.equal(true);
        });

        it('S16: is on only for true; anything else is a problem', () => {
            for (const value of ['true', 'false', 1, null, [], {}]) {
                for (const scope of [Default, User, Workspace, Session]) {
                    expect(sharing([scope, value]), `${JSON.stringify(value)} in ${PreferenceScope[scope]}`).to.equal(false);
                }
            }
            const privacy = new ContextPrivacy([{ scope: Workspace, value: 'false', file: '.theia/settings.json' }], []);
            expect(privacy.workspaceAllows).to.equal(false);
            expect(problems(privacy)).to.deep.equal([
                'In .theia/settings.json, companion.context.share is "false". It is treated as false. Write true or false there, without quotes.'
            ]);
        });
    });
});
