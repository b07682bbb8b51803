// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ContextFilter, ContextPrivacy, PathPatterns } from './context-filter';

const SHARE = 'companion.context.share';
const EXCLUDE = 'companion.context.exclude';

/** Follows the preferences `companion.context.share` and `companion.context.exclude`, of the user and of the workspace. */
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

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected patterns = new PathPatterns([]);
    protected roots: string[] = [];
    /** The preferences are loaded. Until then nothing is shared: the user may have said no. */
    protected known = false;

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
        for (const scope of [PreferenceScope.User, PreferenceScope.Workspace, PreferenceScope.Session]) {
            this.providers(scope)?.onDidPreferencesChanged(changes => {
                if (SHARE in changes || EXCLUDE in changes) {
                    this.readPatterns();
                    this.onDidChangeEmitter.fire();
                }
            });
        }
        this.preferenceService.ready.then(
            () => {
                this.known = true;
                this.readPatterns();
                this.onDidChangeEmitter.fire();
            },
            () => undefined
        );
        this.workspace.onWorkspaceChanged(() => {
            this.readRoots();
            this.onDidChangeEmitter.fire();
        });
    }

    get sharing(): boolean {
        return (
            this.known && this.preferences['companion.enabled'] && ContextPrivacy.sharing(this.preferenceService.inspect<boolean>(SHARE))
        );
    }

    isShared(path: string): boolean {
        return !this.patterns.matches(path, this.roots);
    }

    withheldBy(uri: URI): string | undefined {
        const pattern = uri.scheme === 'file' ? this.patterns.match(uri.path.fsPath(), this.roots) : undefined;
        return pattern === undefined ? undefined : `${EXCLUDE}: ${pattern}`;
    }

    /** Writes the user's settings. Touches the workspace's only if they say no and the user says yes. */
    async setSharing(wanted: boolean): Promise<void> {
        await this.preferenceService.set(SHARE, wanted, PreferenceScope.User);
        if (wanted && this.preferenceService.inspect<boolean>(SHARE)?.workspaceValue === false) {
            await this.preferenceService.set(SHARE, wanted, PreferenceScope.Workspace);
        }
    }

    protected readPatterns(): void {
        this.patterns = new PathPatterns(ContextPrivacy.excludes(this.preferenceService.inspect<string[]>(EXCLUDE)));
    }

    protected readRoots(): void {
        this.roots = this.workspace.tryGetRoots().map(root => root.resource.path.fsPath());
    }
}
