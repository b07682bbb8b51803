// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { Emitter } from '@theia/core/lib/common/event';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { URI } from '@theia/core/lib/common/uri';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { expect } from 'chai';
import { CompanionProblem } from '../../common/companion-problem';
import { problemText } from '../../common/problem-text';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { ScopedPreferences } from '../window/scoped-preferences';
import { PreferenceContextFilter } from './context-filter';
import { IgnoreFiles } from './ignore-files';
import { testPolicy } from '../test/page-policy';
import { PagePolicy } from '../window/page-policy';

const EXCLUDE = 'companion.context.exclude';
const SHARE = 'companion.context.share';
const { User, Workspace, Folder } = PreferenceScope;

describe('The filter by the preferences', () => {
    let filter: PreferenceContextFilter;
    /** `SCOPE NAME`, of a folder `SCOPE NAME ROOT`. */
    let values: Record<string, unknown>;
    let roots: string[];
    let inRoots: Map<string, string[]>;
    let ignored: string | undefined;
    let problemsOfIgnoreFiles: CompanionProblem[];
    let home: string | undefined;
    let written: string[];
    let policy: PagePolicy;
    let changes: number;
    let isLoaded: () => void;
    let onDidChange: Map<PreferenceScope, Emitter<object>>;
    let onWorkspaceChanged: Emitter<void>;
    let onDidHello: Emitter<void>;
    let onDidChangeIgnoreFiles: Emitter<void>;

    const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

    beforeEach(async () => {
        window.sessionStorage.clear();
        [values, roots, inRoots, written, changes] = [{}, ['/ws'], new Map(), [], 0];
        [ignored, problemsOfIgnoreFiles, home] = [undefined, [], '/home/ann'];
        onDidChange = new Map(PreferenceScope.getScopes().map(scope => [scope, new Emitter<object>()]));
        [onWorkspaceChanged, onDidHello, onDidChangeIgnoreFiles] = [new Emitter(), new Emitter(), new Emitter()];
        filter = create();
        isLoaded();
        await pause();
        changes = 0;
    });

    function create(): PreferenceContextFilter {
        const ready = new Promise<void>(resolve => (isLoaded = resolve));
        const services = new FakeServices();
        const preferences = {
            ready,
            inspect: (name: string) => ({ globalValue: values[`${User} ${name}`], workspaceValue: values[`${Workspace} ${name}`] }),
            set: async (name: string, value: unknown, scope: PreferenceScope) => {
                written.push(`${name} = ${String(value)} in ${PreferenceScope[scope]}`);
                values[`${scope} ${name}`] = value;
            }
        };
        services.bind(PreferenceService, preferences);
        services.bind(PagePolicy, (policy = testPolicy(preferences as unknown as PreferenceService)));
        services.bind(PreferenceProviderProvider, (scope: PreferenceScope) => ({
            onDidPreferencesChanged: onDidChange.get(scope)?.event,
            resolve: (name: string, root?: string) => ({
                value: values[[scope, name, root].filter(part => part !== undefined).join(' ')],
                configUri: new URI(`${root ?? 'file:///ws'}/.theia/settings.json`)
            })
        }));
        services.bind(WorkspaceService, {
            ready: Promise.resolve(),
            onWorkspaceChanged: onWorkspaceChanged.event,
            get isMultiRootWorkspaceOpened() {
                return roots.length > 1;
            },
            tryGetRoots: () => roots.map(root => ({ resource: URI.fromFilePath(root) }))
        });
        services.bindReal(ScopedPreferences);
        services.bind(WorkspacePaths, { display: (path: string) => path.slice(1) });
        services.bind(IgnoreFiles, {
            onDidChange: onDidChangeIgnoreFiles.event,
            get problems() {
                return problemsOfIgnoreFiles;
            },
            pathsInRoots: () => inRoots,
            withheldBy: () => ignored
        });
        services.bind(EnvVariablesServer, {
            getHomeDirUri: async () => (home === undefined ? Promise.reject(new Error('no connection')) : URI.fromFilePath(home).toString())
        });
        services.bind(CompanionConnection, { onDidHello: onDidHello.event });
        const made = services.create(PreferenceContextFilter);
        made.onDidChange(() => changes++);
        return made;
    }

    /** As Theia says that a settings file has changed. */
    function set(scope: PreferenceScope, name: string, value: unknown): void {
        values[`${scope} ${name}`] = value;
        onDidChange.get(scope)?.fire({ [name]: {} });
    }

    it('S16: nothing is shared before the settings are loaded: the user may have said no', async () => {
        const early = create();
        expect(early.sharing).to.equal(false);
        isLoaded();
        await pause();
        expect(early.sharing).to.equal(true);
    });

    it('S16: the patterns of every scope are added to the built-in list', () => {
        expect(filter.isShared('/ws/plain.txt')).to.equal(true);
        expect(filter.isShared('/ws/.env')).to.equal(false);
        set(User, EXCLUDE, ['**/*.log']);
        set(Workspace, EXCLUDE, ['**/private/**']);
        expect(['/ws/a.log', '/ws/private/a.txt', '/ws/plain.txt'].map(path => filter.isShared(path))).to.deep.equal([false, false, true]);
        expect(filter.withheldBy(new URI('file:///ws/a.log'))).to.equal(`${EXCLUDE}: **/*.log`);
    });

    it('S16: each settings file is followed, also where the value that counts stays the same', () => {
        set(User, EXCLUDE, '**/plain.txt');
        set(Workspace, EXCLUDE, '**/plain.txt');
        expect(changes).to.equal(2);
        set(User, EXCLUDE, []);
        expect(filter.isShared('/ws/plain.txt')).to.equal(false);
        set(Workspace, EXCLUDE, []);
        expect(filter.isShared('/ws/plain.txt')).to.equal(true);
        set(User, 'editor.tabSize', 2);
        expect(changes).to.equal(4);
    });

    it('S16: a problem names the settings file that has the entry', () => {
        set(Workspace, EXCLUDE, ['!**/.env', '!**']);
        set(User, EXCLUDE, ['data[']);
        const texts = filter.problems.map(problemText).join('\n');
        expect(texts).to.include('Ignored in ws/.theia/settings.json: "!**/.env", "!**".').and.to.include('"data["');
        expect(filter.isShared('/ws/plain.txt'), 'while an entry is not understood').to.equal(false);
    });

    it('S16: sharing is on only for true', () => {
        for (const value of ['false', false, 'true']) {
            set(Workspace, SHARE, value);
            expect(filter.sharing, String(value)).to.equal(false);
        }
        set(Workspace, SHARE, true);
        expect(filter.sharing).to.equal(true);
        set(User, SHARE, false);
        expect(filter.sharing, 'a workspace cannot switch it on').to.equal(false);
    });

    it('S18: a workspace cannot switch the companion on, and can switch it off', () => {
        set(User, 'companion.enabled', false);
        set(Workspace, 'companion.enabled', true);
        expect([filter.sharing, changes]).to.deep.equal([false, 2]);
        set(User, 'companion.enabled', true);
        expect(filter.sharing).to.equal(true);
        set(Workspace, 'companion.enabled', false);
        expect(filter.sharing).to.equal(false);
    });

    it('S16: the settings of each of several folders apply to its files', () => {
        roots = ['/one', '/two'];
        values[`${Folder} ${EXCLUDE} file:///one`] = ['own/**'];
        values[`${Folder} ${SHARE} file:///two`] = false;
        onWorkspaceChanged.fire();
        const isShared = (root: string, path: string): boolean => {
            inRoots = new Map([[`file:///${root}`, [path]]]);
            return filter.isShared(`/${root}/${path}`);
        };
        expect([isShared('one', 'own/a.txt'), isShared('one', 'plain.txt')]).to.deep.equal([false, true]);
        expect(isShared('two', 'plain.txt')).to.equal(false);
    });

    it("a single folder's settings are those of the workspace, as Theia has it", () => {
        values[`${Folder} ${SHARE} file:///ws`] = false;
        onWorkspaceChanged.fire();
        inRoots = new Map([['file:///ws', ['plain.txt']]]);
        expect(filter.isShared('/ws/plain.txt')).to.equal(true);
    });

    it('S16: the ignore files count, and their changes are reported', () => {
        ignored = '.qwenignore';
        onDidChangeIgnoreFiles.fire();
        expect([filter.isShared('/ws/plain.txt'), changes]).to.deep.equal([false, 1]);
        expect(filter.withheldBy(new URI('file:///ws/plain.txt'))).to.equal('.qwenignore');
        expect(filter.withheldBy(new URI('untitled:/plain.txt')), 'of what is no file').to.equal(undefined);
        problemsOfIgnoreFiles = [{ code: 'ignore-unreadable', file: '.qwenignore' }];
        expect(filter.problems).to.have.length(1);
    });

    it('S16: a pattern for the home folder withholds everything until it is known where that is, which is asked again', async () => {
        home = undefined;
        const early = create();
        isLoaded();
        await pause();
        set(User, EXCLUDE, ['~/secret/**']);
        expect(early.isShared('/ws/plain.txt')).to.equal(false);
        home = '/home/ann';
        onDidHello.fire();
        await pause();
        expect([early.isShared('/ws/plain.txt'), early.isShared('/home/ann/secret/a')]).to.deep.equal([true, false]);
    });

    it('S16: a pause outlives a reload of the page', async () => {
        filter.setPaused(true);
        expect([filter.sharing, filter.paused, changes]).to.deep.equal([false, true, 1]);
        const reloaded = create();
        isLoaded();
        await pause();
        expect([reloaded.sharing, reloaded.paused]).to.deep.equal([false, true]);
        reloaded.setPaused(false);
        expect([reloaded.sharing, create().paused]).to.deep.equal([true, false]);
    });

    it("to share means to write the user's settings, and the workspace's only where they say no", async () => {
        await filter.setSharing(true);
        expect(written, 'it is on').to.deep.equal([]);
        await filter.setSharing(false);
        await filter.setSharing(true);
        values[`${Workspace} ${SHARE}`] = false;
        onWorkspaceChanged.fire();
        await filter.setSharing(true);
        expect(written).to.deep.equal([
            `${SHARE} = false in User`,
            `${SHARE} = true in User`,
            `${SHARE} = true in User`,
            `${SHARE} = true in Workspace`
        ]);
        expect(filter.sharing).to.equal(true);
    });

    it('S16: withholds what a policy names, also what the user takes back, and shares nothing if it says so', async () => {
        values[`${User} ${EXCLUDE}`] = ['!**/customers/**', '**/*.log'];
        policy.receive({ preferences: { [EXCLUDE]: ['**/customers/**'] }, clis: [], off: [] });
        expect(['/ws/customers/a.txt', '/ws/a.log', '/ws/a.txt'].map(file => filter.isShared(file))).to.deep.equal([false, false, true]);
        values[`${User} ${SHARE}`] = true;
        policy.receive({ preferences: { [SHARE]: false }, clis: [], off: [] });
        expect(filter.sharing).to.equal(false);
        await filter.setSharing(true);
        expect([filter.sharing, written]).to.deep.equal([false, []]);
        values[`${Workspace} ${SHARE}`] = false;
        policy.receive({ preferences: { [SHARE]: true }, clis: [], off: [] });
        expect(filter.sharing, 'the user has no say').to.equal(true);
    });
});
