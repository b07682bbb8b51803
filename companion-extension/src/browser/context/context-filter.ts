// SPDX-License-Identifier: Apache-2.0

import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { EXCLUDE, isCompanionEnabled, SHARE } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';
import { CompanionConnection } from '../window/companion-connection';
import { PagePolicy } from '../window/page-policy';
import { TabMemory } from '../window/tab-memory';
import { ScopedPreferences } from '../window/scoped-preferences';
import { ContextPrivacy } from '../../common/context-privacy';
import { IgnoreFiles } from './ignore-files';

export const ContextFilter = Symbol('ContextFilter');
/** Decides which files are shared with CLIs. An embedder may rebind it. @since 0.1 */
export interface ContextFilter {
    /** `false`: nothing is shared with CLIs. */
    readonly sharing: boolean;
    /** True if this file's path, and a selection in it, may be shared. @param path absolute */
    isShared(path: string): boolean;
    /**
     * The rule that withholds this file, for people: `companion.context.exclude: **\/.env*`, `.qwenignore`. `undefined` if
     * no rule does. Leave it out if you do not know: only {@link isShared} decides.
     */
    withheldBy?(uri: URI): string | undefined;
    /** Problems of the settings that decide, for the status. Leave it out if nothing can be. */
    readonly problems?: readonly CompanionProblem[];
    readonly onDidChange: Event<void>;
    /** The user's own switch. Leave it out if the user has no say: the status then offers no switch. */
    setSharing?(wanted: boolean): Promise<void>;
    /** True if the user has paused sharing in this window. {@link sharing} is then `false`. */
    readonly paused?: boolean;
    /** Pauses sharing in this window, or resumes it. A reload of the page does not change that. Leave it out to offer no pause. */
    setPaused?(paused: boolean): void;
}

const ENABLED = 'companion.enabled';
/** Kept for this tab, so that a reload pauses again before anything is shared. */
const PAUSED_KEY = 'companion.sharingPaused';

/**
 * Follows the preferences `companion.context.share` and `companion.context.exclude` in every scope, the ignore files of the CLIs, and the pause
 * of this window.
 * Promised: the members of {@link ContextFilter}.
 *
 * @since 0.1
 */
@injectable()
export class PreferenceContextFilter implements ContextFilter {
    @inject(PreferenceService)
    protected readonly preferenceService: PreferenceService;
    @inject(PreferenceProviderProvider)
    protected readonly providers: PreferenceProviderProvider;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(ScopedPreferences)
    protected readonly scoped: ScopedPreferences;
    @inject(IgnoreFiles)
    protected readonly ignoreFiles: IgnoreFiles;
    @inject(EnvVariablesServer)
    protected readonly environment: EnvVariablesServer;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(PagePolicy)
    protected readonly policy: PagePolicy;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected privacy = new ContextPrivacy([], []);
    /** The preferences and the roots are loaded. Until then nothing is shared: the user may have said no. */
    protected known = false;
    /** The user's home folder, for patterns that begin with `~/`. */
    protected home: string | undefined;
    paused = TabMemory.read(PAUSED_KEY) !== undefined;

    @postConstruct()
    protected init(): void {
        // The service's event comes only if the effective value changes, not if a user's value changes under a workspace's.
        for (const scope of PreferenceScope.getScopes()) {
            this.providers(scope)?.onDidPreferencesChanged(changes => {
                if ([ENABLED, SHARE, EXCLUDE].some(name => name in changes)) {
                    this.readSettings();
                }
            });
        }
        Promise.all([this.preferenceService.ready, this.workspace.ready]).then(
            () => {
                this.known = true;
                this.readSettings();
            },
            () => undefined
        );
        this.policy.onDidChange(() => this.readSettings());
        this.workspace.onWorkspaceChanged(() => this.readSettings());
        void this.findHome();
        this.connection.onDidHello(() => void this.findHome());
        this.ignoreFiles.onDidChange(() => this.onDidChangeEmitter.fire());
    }

    get sharing(): boolean {
        return this.known && !this.paused && isCompanionEnabled(this.policy) && this.privacy.sharing;
    }

    get problems(): readonly CompanionProblem[] {
        return [...this.privacy.problems, ...this.ignoreFiles.problems];
    }

    isShared(path: string): boolean {
        return this.ruleFor(path) === undefined;
    }

    withheldBy(uri: URI): string | undefined {
        return uri.scheme === 'file' ? this.ruleFor(uri.path.fsPath()) : undefined;
    }

    setPaused(paused: boolean): void {
        this.paused = paused;
        TabMemory.write(PAUSED_KEY, paused ? 'true' : undefined);
        this.onDidChangeEmitter.fire();
    }

    /** Writes the user's settings. Touches the workspace's only if they say no and the user says yes. */
    async setSharing(wanted: boolean): Promise<void> {
        if (this.privacy.sharing === wanted || this.policy.isLocked(SHARE)) {
            return;
        }
        await this.preferenceService.set(SHARE, wanted, PreferenceScope.User);
        if (wanted && !this.privacy.workspaceAllows) {
            await this.preferenceService.set(SHARE, wanted, PreferenceScope.Workspace);
        }
        this.readSettings();
    }

    protected ruleFor(path: string): string | undefined {
        return this.privacy.withheldBy(path, this.ignoreFiles.pathsInRoots(path)) ?? this.ignoreFiles.withheldBy(path);
    }

    protected readSettings(): void {
        this.privacy = new ContextPrivacy(this.policy.narrow(SHARE, this.scoped), this.policy.narrow(EXCLUDE, this.scoped), this.home);
        this.onDidChangeEmitter.fire();
    }

    /** A call that is lost with its connection never ends. The next hello asks again. */
    protected async findHome(): Promise<void> {
        if (this.home === undefined) {
            const home = await this.environment.getHomeDirUri().catch(() => undefined);
            this.home ??= home && new URI(home).path.fsPath();
            if (this.known) {
                this.readSettings();
            }
        }
    }
}
