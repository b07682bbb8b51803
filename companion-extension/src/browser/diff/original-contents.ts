// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { SeenFile } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { FileEncodings } from './file-encodings';
import { FileLooks } from './file-looks';
import { FileFault, OriginalState } from './original-difference';

/** A large file takes long on a slow line. */
const FILE_LIMIT_MS = 60_000;
export interface OriginalFile extends OriginalState {
    /** Empty if there is none, or if it is not shown. */
    readonly text: string;
}

/** Reads the left sides, and knows what they show. */
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

    /** The files that editors show, by the reviews' ids. */
    protected readonly shown = new Map<string, OriginalState>();
    protected readonly onDidChangeShownEmitter = new Emitter<string>();
    /** Fires with the review's id when what its left side shows was read. */
    readonly onDidChangeShown = this.onDidChangeShownEmitter.event;

    protected readonly onDidFindChangeEmitter = new Emitter<string>();
    /** Fires with the review's id when its left side has to be read again. */
    readonly onDidFindChange = this.onDidFindChangeEmitter.event;

    /** The file on the left side; `undefined` if no editor shows it. */
    shownOf(reviewId: string): OriginalState | undefined {
        return this.shown.get(reviewId);
    }

    /** True if the left side has exactly the text of the file: single changes can be taken back from there. */
    isExact(reviewId: string): boolean {
        const file = this.shown.get(reviewId);
        return file !== undefined && file.fault === undefined;
    }

    /** The file as the left side shows it; `undefined` if that is not known. */
    seenFileOf(reviewId: string): SeenFile | undefined {
        const { exists, modifiedAt, size } = this.shown.get(reviewId) ?? {};
        return exists === false ? {} : size === undefined ? undefined : { modifiedAt, size };
    }

    /** The left side does not show the file as it is: file systems do not report every change. */
    readAgain(reviewId: string): void {
        this.onDidFindChangeEmitter.fire(reviewId);
    }

    /** @param file absent if the editor is gone */
    show(reviewId: string, file?: OriginalState): void {
        if (file) {
            this.shown.set(reviewId, file);
            this.onDidChangeShownEmitter.fire(reviewId);
        } else {
            this.shown.delete(reviewId);
        }
    }

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
