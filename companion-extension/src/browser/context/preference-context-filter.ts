// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ContextFilter, PathPatterns } from './context-filter';
import { ContextPrivacy } from './context-privacy';

const SHARE = 'companion.context.share';
const EXCLUDE = 'companion.context.exclude';

/** What the preferences `companion.context.share` and `companion.context.exclude` say, of the user and of the workspace. */
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

    protected readonly changed = new Emitter<void>();
    readonly onDidChange = this.changed.event;
    protected patterns = new PathPatterns([]);
    protected roots: string[] = [];
    /** Before the preferences are there, nothing is shared: the user may have said no. */
    protected known = false;

    @postConstruct()
    protected init(): void {
        this.readPatterns();
        this.readRoots();
        this.preferences.onPreferenceChanged(({ preferenceName }) => {
            if (preferenceName === 'companion.enabled') {
                this.changed.fire();
            }
        });
        // Theia tells of a change only where it changes the effective value: a user's value under a workspace's is not told of.
        for (const scope of [PreferenceScope.User, PreferenceScope.Workspace, PreferenceScope.Session]) {
            this.providers(scope)?.onDidPreferencesChanged(changes => {
                if (SHARE in changes || EXCLUDE in changes) {
                    this.readPatterns();
                    this.changed.fire();
                }
            });
        }
        this.preferenceService.ready.then(
            () => {
                this.known = true;
                this.readPatterns();
                this.changed.fire();
            },
            () => undefined
        );
        this.workspace.onWorkspaceChanged(() => {
            this.readRoots();
            this.changed.fire();
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

    /** By the user's own command. In the user's settings; the workspace's are touched only where they say no and the user says yes. */
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
