// SPDX-License-Identifier: Apache-2.0

import { LabelProvider } from '@theia/core/lib/browser/label-provider';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';

/** Names files as the user of this window knows them. @since 0.1 */
@injectable()
export class WorkspacePaths {
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(LabelProvider)
    protected readonly labels: LabelProvider;

    /** Relative to the root, after the root's name if there are several; a root by its name. @param path absolute */
    display(path: string): string {
        const uri = URI.fromFilePath(path);
        const root = this.workspace.getWorkspaceRootUri(uri);
        if (root?.isEqual(uri)) {
            return this.labels.getName(uri);
        }
        const longName = this.labels.getLongName(uri);
        return root && this.workspace.isMultiRootWorkspaceOpened ? `${this.labels.getName(root)}/${longName}` : longName;
    }

    /** The last name of a path. */
    name(path: string): string {
        return URI.fromFilePath(path).path.base;
    }
}
