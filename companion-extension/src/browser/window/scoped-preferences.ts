// SPDX-License-Identifier: Apache-2.0

import { PreferenceProviderProvider, PreferenceScope } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { ScopedValue } from '../../common/scoped-value';
import { WorkspacePaths } from './workspace-paths';

/** Preferences as each scope has them: what a cloned repository says must be told from what the user says. */
@injectable()
export class ScopedPreferences {
    @inject(PreferenceProviderProvider)
    protected readonly providers: PreferenceProviderProvider;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    /** With a single folder, Theia treats its settings as those of the workspace. */
    valuesOf(preference: string): ScopedValue[] {
        const roots = this.workspace.isMultiRootWorkspaceOpened ? this.workspace.tryGetRoots().map(({ resource }) => `${resource}`) : [];
        return PreferenceScope.getScopes().flatMap(scope =>
            (scope === PreferenceScope.Folder ? roots : [undefined]).map((root): ScopedValue => {
                const { value, configUri } = this.providers(scope)?.resolve<unknown>(preference, root) ?? {};
                const file = configUri?.scheme === 'file' ? this.paths.display(configUri.path.fsPath()) : undefined;
                return { scope, value, root, file };
            })
        );
    }
}
