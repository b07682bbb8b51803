// SPDX-License-Identifier: Apache-2.0

import { UTF8 } from '@theia/core/lib/common/encodings';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService, TextFileOperationError } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { ReviewInfo } from '../../common/companion-protocol';

/** What a decoder puts where the bytes are not text. */
export const REPLACEMENT_CHARACTER = '\uFFFD';

/**
 * Why the left side is not the file as it was when the CLI asked:
 * - `changed`, `created`, `vanished`: somebody wrote, made or removed the file since
 * - `notUtf8`: some characters are shown as {@link REPLACEMENT_CHARACTER}
 * - `binary`, `tooLarge`, `directory`, `unreadable`: it is not shown
 */
export interface OriginalRemark {
    readonly kind: 'changed' | 'created' | 'vanished' | 'notUtf8' | 'binary' | 'tooLarge' | 'directory' | 'unreadable';
    /** What the system says, with `unreadable`. */
    readonly cause?: string;
}

/** Reads the left sides, and notes where one cannot be shown as it was when the CLI asked. */
@injectable()
export class OriginalContents {
    @inject(FileService)
    protected readonly files: FileService;

    protected readonly remarks = new Map<string, readonly OriginalRemark[]>();
    protected readonly remarkChanged = new Emitter<string>();
    /** Fires with the id of the review whose remarks changed. */
    readonly onDidChangeRemark = this.remarkChanged.event;

    /** What the user has to know of the left side; empty where it shows the file as it was when the CLI asked. */
    remarksOf(reviewId: string): readonly OriginalRemark[] {
        return this.remarks.get(reviewId) ?? [];
    }

    /** The file is not as it was when the CLI asked. */
    hasChanged(reviewId: string): boolean {
        return this.remarksOf(reviewId).some(({ kind }) => kind === 'changed' || kind === 'created' || kind === 'vanished');
    }

    /** The file's text; empty for a new file, and where a remark says why it is not shown. Never rejects. */
    async read(review: ReviewInfo): Promise<string> {
        try {
            const file = new URI(review.uri);
            const { value, mtime, encoding } = await this.files.read(file, { acceptTextOnly: true });
            const remarks: OriginalRemark[] = [];
            if (mtime !== undefined && mtime !== review.modifiedAt) {
                remarks.push({ kind: review.modifiedAt === undefined ? 'created' : 'changed' });
            }
            if (value.includes(REPLACEMENT_CHARACTER) && !(encoding.startsWith(UTF8) && (await this.isUtf8(file)))) {
                remarks.push({ kind: 'notUtf8' });
            }
            this.setRemarks(review.id, remarks);
            return value;
        } catch (error) {
            this.setRemarks(review.id, this.explain(review, error));
            return '';
        }
    }

    forget(reviewId: string): void {
        this.remarks.delete(reviewId);
    }

    /** A file may hold the character itself. */
    protected async isUtf8(file: URI): Promise<boolean> {
        try {
            new TextDecoder('utf-8', { fatal: true }).decode((await this.files.readFile(file)).value.buffer);
            return true;
        } catch {
            return false;
        }
    }

    protected explain(review: ReviewInfo, error: unknown): OriginalRemark[] {
        if (error instanceof TextFileOperationError) {
            return [{ kind: 'binary' }];
        }
        const result = error instanceof FileOperationError ? error.fileOperationResult : FileOperationResult.FILE_OTHER_ERROR;
        switch (result) {
            case FileOperationResult.FILE_NOT_FOUND:
                return review.modifiedAt === undefined ? [] : [{ kind: 'vanished' }];
            case FileOperationResult.FILE_TOO_LARGE:
            case FileOperationResult.FILE_EXCEEDS_MEMORY_LIMIT:
                return [{ kind: 'tooLarge' }];
            case FileOperationResult.FILE_IS_DIRECTORY:
                return [{ kind: 'directory' }];
            default:
                return [{ kind: 'unreadable', cause: error instanceof Error ? error.message : String(error) }];
        }
    }

    protected setRemarks(reviewId: string, remarks: readonly OriginalRemark[]): void {
        if (JSON.stringify(this.remarksOf(reviewId)) !== JSON.stringify(remarks)) {
            this.remarks.set(reviewId, remarks);
            this.remarkChanged.fire(reviewId);
        }
    }
}
