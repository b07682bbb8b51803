// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import URI from '@theia/core/lib/common/uri';
import { visibleText } from '../../common/visible-text';
import { FileAccess } from './file-access';
import { isInside } from './paths';

/** How long a look at a root may take: a network file system may never answer. */
const REALPATH_LIMIT_MS = 2_000;

/** The roots of a workspace: the CLIs compare real paths. */
export class WorkspaceRoots {
    constructor(
        /** Absolute real paths, each once. */
        readonly real: readonly string[] = [],
        /** The roots that the workspace names otherwise, by that name. */
        readonly links: ReadonlyMap<string, string> = new Map(),
        /** As the page names them. */
        readonly uris: readonly string[] = []
    ) {}

    /**
     * Finds the roots of now. Those that are not in the file system are left out; one that cannot be resolved stays as it is, since it may
     * come into being. Where no answer comes, what is known counts. Never rejects.
     *
     * @param uris of the workspace's roots
     */
    async follow(uris: readonly string[], fileAccess: FileAccess): Promise<WorkspaceRoots> {
        const paths = uris
            .map(uri => new URI(uri))
            .filter(uri => uri.scheme === 'file')
            .map(uri => FileUri.fsPath(uri));
        const known = (root: string, { code }: NodeJS.ErrnoException): string =>
            code === 'ENOENT' ? root : (this.links.get(root) ?? root);
        const real = await Promise.all(
            paths.map(root => fileAccess.run(root, () => realpath(root), REALPATH_LIMIT_MS).catch(error => known(root, error)))
        );
        const links = paths.map((root, index): [string, string] => [root, real[index]]).filter(([root, target]) => root !== target);
        return new WorkspaceRoots([...new Set(real)], new Map(links), uris);
    }

    /** The roots by all their names: CLIs compare paths as text. */
    get folders(): string[] {
        return [...this.real, ...this.links.keys()];
    }

    /** Names the file as the page does: a CLI names the real path, also where a root is a link. */
    named<T extends { path: string; uri: string }>(subject: T): T {
        const uri = this.nameOf(subject.uri);
        return uri === subject.uri ? subject : { ...subject, path: visibleText(FileUri.fsPath(uri)), uri };
    }

    /** The file's URI as the page has it. */
    nameOf(uri: string): string {
        const file = FileUri.fsPath(uri);
        const [link, root] = [...this.links].find(([, real]) => isInside(real, file)) ?? [];
        return link === undefined || root === undefined ? uri : FileUri.create(path.join(link, path.relative(root, file))).toString();
    }

    /** The file's path in the real root. */
    resolve(file: string): string {
        const [link, root] = [...this.links].find(([name]) => isInside(name, file)) ?? [];
        return link === undefined || root === undefined ? file : path.join(root, path.relative(link, file));
    }

    /** Whether they were found for these, in their order: to follow others takes a moment. @param uris as the page said them last */
    isOf(uris: readonly string[] | undefined): boolean {
        return this.uris.join('\0') === uris?.join('\0');
    }

    /** Whether these are the roots of the same workspace. Their order does not matter. Workspaces without a folder are never the same. */
    isSame(roots: readonly string[]): boolean {
        return roots.length > 0 && [...roots].sort().join('\0') === [...this.real].sort().join('\0');
    }
}
