// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { displayPath } from './display-path';

/** What the user of this window calls a file. */
@injectable()
export class WorkspacePaths {
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    /** Absolute paths of the workspace's roots. */
    get roots(): string[] {
        return this.workspace.tryGetRoots().map(({ resource }) => resource.path.fsPath());
    }

    /** @param path absolute */
    display(path: string): string {
        return displayPath(path, this.roots);
    }
}
