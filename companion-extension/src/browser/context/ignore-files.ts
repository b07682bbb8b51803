// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CompanionProblem } from '../../common/companion-problem';
import { CompanionBackend } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { PathsInRoots } from '../../common/context-privacy';
import { decodeIgnoreFile, IgnoreFileContent, LONGEST_IGNORE_FILE } from '../../common/patterns/ignore-rules';
import { IgnoreRoots } from './ignore-roots';

/** Follows the `.geminiignore` and `.qwenignore` of each workspace root, and where symbolic links lead from the roots. */
@injectable()
export class IgnoreFiles {
    @inject(FileService)
    protected readonly files: FileService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'realPaths'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly ignoreRoots = new IgnoreRoots({
        read: file => this.read(file),
        realPath: root => this.realPath(root),
        handleChange: () => this.onDidChangeEmitter.fire()
    });

    @postConstruct()
    protected init(): void {
        this.ignoreRoots.set(this.roots);
        this.workspace.onWorkspaceChanged(() => this.ignoreRoots.set(this.roots));
        // Theia watches the roots.
        this.files.onDidFilesChange(event => this.ignoreRoots.markChanged(file => event.contains(file)));
        // The backend knows real paths only after hello.
        this.connection.onDidHello(() => this.ignoreRoots.readAgain('incomplete'));
        // A chmod in a terminal may have made a file readable, and Theia watches no file that a link leads to.
        this.connection.onDidFocus(() => this.ignoreRoots.readAgain('incomplete'));
        // Changes while the socket was down were not reported.
        this.connection.onDidRecover(() => this.ignoreRoots.readAgain('all'));
    }

    /** Why this file is not shared, for people; `undefined` if it may be. */
    withheldBy(path: string): string | undefined {
        return this.ignoreRoots.withheldBy(path, this.roots);
    }

    /** @param path absolute */
    pathsInRoots(path: string): PathsInRoots {
        return this.ignoreRoots.pathsInRoots(path);
    }

    /** Problems of the files. */
    get problems(): readonly CompanionProblem[] {
        return this.ignoreRoots.problems(file => this.paths.display(file.path.fsPath()));
    }

    protected get roots(): URI[] {
        return this.workspace.tryGetRoots().map(root => root.resource);
    }

    protected async read(file: URI): Promise<IgnoreFileContent> {
        try {
            return decodeIgnoreFile((await this.files.readFile(file, { limits: { size: LONGEST_IGNORE_FILE } })).value.buffer);
        } catch (error) {
            return isMissing(error) ? 'missing' : 'unreadable';
        }
    }

    /** The backend does not say whether a folder is missing, or whether its file system does not answer. */
    protected async realPath(root: URI): Promise<string | undefined> {
        const [realPath] = await this.backend.realPaths([root.path.fsPath()]);
        if (!realPath) {
            await this.files.resolve(root).then(
                () => Promise.reject(new Error('The folder is there, but its real path is not known.')),
                error => isMissing(error) || Promise.reject(error)
            );
        }
        return realPath ?? undefined;
    }
}

function isMissing(error: unknown): boolean {
    return error instanceof FileOperationError && error.fileOperationResult === FileOperationResult.FILE_NOT_FOUND;
}
