// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { WorkspaceService } from '@theia/workspace/lib/browser';

/** Finds the files that the user attached to a request. */
@injectable()
export class AttachedFiles {
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(FileService)
    protected readonly files: FileService;

    /** @param name as Theia writes it: relative to the workspace (with the root's name first, or without), absolute, or a URI */
    async path(name: string): Promise<string | undefined> {
        for (const uri of this.candidates(name)) {
            if (uri.scheme === 'file' && (await this.files.exists(uri))) {
                return FileUri.fsPath(uri);
            }
        }
        return undefined;
    }

    protected candidates(name: string): URI[] {
        const path = name.replaceAll('\\', '/');
        if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
            return [new URI(path)];
        }
        if (path.startsWith('/') || /^[a-z]:\//i.test(path)) {
            return [FileUri.create(path)];
        }
        const [first, ...rest] = path.split('/');
        const roots = this.workspace.tryGetRoots().map(root => root.resource);
        return [
            ...roots.filter(root => root.path.base === first && rest.length).map(root => root.resolve(rest.join('/'))),
            ...roots.map(root => root.resolve(path))
        ];
    }
}
