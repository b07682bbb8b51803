// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { getMimeTypeFromExtension } from '@theia/ai-chat/lib/browser/image-file-utils';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { PromptImage } from '../../common/prompt-image';
import { ReadImage } from './request-images';

/** Of bytes that become characters at once: a call takes no more arguments than so many. */
const CHUNK = 0x8000;

/** Finds the files that the user attached to a request. */
@injectable()
export class AttachedFiles {
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(FileService)
    protected readonly files: FileService;

    /** @param name as Theia writes it: relative to the workspace (with the root's name first, or without), absolute, or a URI */
    async path(name: string): Promise<string | undefined> {
        const uri = await this.find(name);
        return uri && FileUri.fsPath(uri);
    }

    /** @param name as in {@link path} */
    async image(name: string): ReturnType<ReadImage> {
        const uri = await this.find(name);
        if (!uri) {
            return undefined;
        }
        const { size } = await this.files.resolve(uri, { resolveMetadata: true });
        if (size > PromptImage.maxBytes) {
            return 'too-large';
        }
        const { value } = await this.files.readFile(uri);
        return { mimeType: getMimeTypeFromExtension(uri.path.toString()), data: base64(value.buffer) };
    }

    protected async find(name: string): Promise<URI | undefined> {
        for (const uri of this.candidates(name)) {
            if (uri.scheme === 'file' && (await this.files.exists(uri))) {
                return uri;
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

function base64(bytes: Uint8Array): string {
    let binary = '';
    for (let start = 0; start < bytes.length; start += CHUNK) {
        binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
    }
    return btoa(binary);
}
