// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { CompanionConnection } from '../window/companion-connection';
import { FileEncodings } from './file-encodings';
import { FileLooks } from './file-looks';
import { FileFault, OriginalFile } from './original-file';

/** A large file takes long on a slow line. */
const FILE_LIMIT_MS = 60_000;

/** Reads files for left sides. */
@injectable()
export class OriginalContents {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(FileSystemPreferences)
    protected readonly preferences: FileSystemPreferences;
    @inject(FileLooks)
    protected readonly looks: FileLooks;
    @inject(FileEncodings)
    protected readonly encodings: FileEncodings;

    /** Never rejects. */
    async read(file: URI): Promise<OriginalFile> {
        const [content, facts] = await Promise.all([this.readContent(file), this.looks.look(file)]);
        return facts ? { ...content, facts } : content;
    }

    protected async readContent(file: URI): Promise<OriginalFile> {
        try {
            const limits = { size: this.preferences['files.maxFileSizeMB'] * 1024 * 1024 };
            const { value, mtime: modifiedAt, size } = await this.ask(() => this.files.readFile(file, { limits }));
            const decoded = await this.encodings.decode(file, value.buffer);
            if (!decoded) {
                return { exists: true, text: '', modifiedAt, size, fault: { kind: 'binary' } };
            }
            const { text, encoding } = decoded;
            const chosenEncoding = this.encodings.chosenFor(file);
            const fault: FileFault | undefined = encoding === undefined ? { kind: 'unknownEncoding' } : undefined;
            return { exists: true, text, modifiedAt, size, encoding, chosenEncoding, fault };
        } catch (error) {
            const result = error instanceof FileOperationError ? error.fileOperationResult : undefined;
            return result === FileOperationResult.FILE_NOT_FOUND
                ? { exists: false, text: '' }
                : { exists: true, text: '', fault: this.explain(error, result) };
        }
    }

    /** Theia loses what is read while the socket is down: it would never come. */
    protected ask<T>(read: () => Promise<T>): Promise<T> {
        return this.connection.ask(read, FILE_LIMIT_MS, 'The file could not be read in time.');
    }

    protected explain(error: unknown, result: FileOperationResult | undefined): FileFault {
        switch (result) {
            case FileOperationResult.FILE_TOO_LARGE:
            case FileOperationResult.FILE_EXCEEDS_MEMORY_LIMIT:
                return { kind: 'tooLarge' };
            case FileOperationResult.FILE_IS_DIRECTORY:
                return { kind: 'directory' };
            default:
                return { kind: 'unreadable', cause: error instanceof Error ? error.message : String(error) };
        }
    }
}
