// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ContextFilter, ContextPrivacy, PathPatterns } from './context-filter';
import { IgnoreFiles } from './ignore-files';

const SHARE = 'companion.context.share';
const EXCLUDE = 'companion.context.exclude';
const PAUSED_KEY = 'companion.sharingPaused';

/**
 * Follows the preferences `companion.context.share` and `companion.context.exclude`, of the user and of the workspace, the ignore files of
 * the CLIs, and the pause of this window.
 */
@injectable()
export class PreferenceContextFilter implements ContextFilter {
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(PreferenceService)
    protected readonly preferenceService: PreferenceService;
    @inject(PreferenceProviderProvider)
    protected readonly providers: PreferenceProviderProvider;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(IgnoreFiles)
    protected readonly ignoreFiles: IgnoreFiles;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected patterns = new PathPatterns([]);
    protected roots: string[] = [];
    /** The preferences and the roots are loaded. Until then nothing is shared: the user may have said no. */
    protected known = false;
    protected isPaused = readPaused();

    @postConstruct()
    protected init(): void {
        this.readPatterns();
        this.readRoots();
        this.preferences.onPreferenceChanged(({ preferenceName }) => {
            if (preferenceName === 'companion.enabled') {
                this.onDidChangeEmitter.fire();
            }
        });
        // The proxy's event comes only if the effective value changes, not if a user's value changes under a workspace's.
        // Theia before 1.74 has no scope of the session, and no provider for `undefined`.
        const scopes: Array<PreferenceScope | undefined> = [PreferenceScope.User, PreferenceScope.Workspace, PreferenceScope.Session];
        for (const scope of scopes.filter(known => known !== undefined)) {
            this.providers(scope)?.onDidPreferencesChanged(changes => {
                if (SHARE in changes || EXCLUDE in changes) {
                    this.readPatterns();
                    this.onDidChangeEmitter.fire();
                }
            });
        }
        Promise.all([this.preferenceService.ready, this.workspace.ready]).then(
            () => {
                this.known = true;
                this.readPatterns();
                this.readRoots();
                this.onDidChangeEmitter.fire();
            },
            () => undefined
        );
        this.workspace.onWorkspaceChanged(() => {
            this.readRoots();
            this.onDidChangeEmitter.fire();
        });
        this.ignoreFiles.onDidChange(() => this.onDidChangeEmitter.fire());
    }

    get sharing(): boolean {
        return (
            this.known &&
            !this.isPaused &&
            this.preferences['companion.enabled'] &&
            ContextPrivacy.sharing(this.preferenceService.inspect<boolean>(SHARE))
        );
    }

    isShared(path: string): boolean {
        return this.ruleFor(path) === undefined;
    }

    withheldBy(uri: URI): string | undefined {
        return uri.scheme === 'file' ? this.ruleFor(uri.path.fsPath()) : undefined;
    }

    get paused(): boolean {
        return this.isPaused;
    }

    setPaused(paused: boolean): void {
        this.isPaused = paused;
        rememberPaused(paused);
        this.onDidChangeEmitter.fire();
    }

    /** Writes the user's settings. Touches the workspace's only if they say no and the user says yes. */
    async setSharing(wanted: boolean): Promise<void> {
        if (ContextPrivacy.sharing(this.preferenceService.inspect<boolean>(SHARE)) === wanted) {
            return;
        }
        await this.preferenceService.set(SHARE, wanted, PreferenceScope.User);
        if (wanted && this.preferenceService.inspect<boolean>(SHARE)?.workspaceValue === false) {
            await this.preferenceService.set(SHARE, wanted, PreferenceScope.Workspace);
        }
    }

    protected ruleFor(path: string): string | undefined {
        const pattern = this.patterns.match(path, this.roots);
        return pattern === undefined ? this.ignoreFiles.withheldBy(path) : `${EXCLUDE}: ${pattern}`;
    }

    protected readPatterns(): void {
        this.patterns = new PathPatterns(ContextPrivacy.excludes(this.preferenceService.inspect<string[]>(EXCLUDE)));
    }

    protected readRoots(): void {
        this.roots = this.workspace.tryGetRoots().map(root => root.resource.path.fsPath());
    }
}

/** Kept by the browser for this tab, so that a reload pauses again before anything is shared. */
function readPaused(): boolean {
    try {
        return window.sessionStorage.getItem(PAUSED_KEY) !== null;
    } catch {
        return false;
    }
}

function rememberPaused(paused: boolean): void {
    try {
        if (paused) {
            window.sessionStorage.setItem(PAUSED_KEY, 'true');
        } else {
            window.sessionStorage.removeItem(PAUSED_KEY);
        }
    } catch {
        // If the browser forbids storage, the pause lasts until the page is loaded again.
        return;
    }
}
