// SPDX-License-Identifier: Apache-2.0

import { UTF8 } from '@theia/core/lib/common/encodings';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService, TextFileOperationError } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { ReviewInfo } from '../../common/companion-protocol';

/** What a decoder puts where the bytes are not text. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/** Reads the left sides, and says in plain words where one cannot be shown as it is. */
@injectable()
export class OriginalContents {
    @inject(FileService)
    protected readonly files: FileService;

    protected readonly remarks = new Map<string, readonly string[]>();
    protected readonly remarkChanged = new Emitter<string>();
    /** Fires with the id of the review whose remarks changed. */
    readonly onDidChangeRemark = this.remarkChanged.event;

    /** What the user has to know of the left side; empty where it shows the file as it was when the CLI asked. */
    remarksOf(reviewId: string): readonly string[] {
        return this.remarks.get(reviewId) ?? [];
    }

    /** The file's text; empty for a new file, and where a remark says why it is not shown. Never rejects. */
    async read(review: ReviewInfo): Promise<string> {
        try {
            const file = new URI(review.uri);
            const { value, mtime, encoding } = await this.files.read(file, { acceptTextOnly: true });
            const remarks: string[] = [];
            if (mtime !== undefined && mtime !== review.modifiedAt) {
                remarks.push(this.changedSince(review));
            }
            if (value.includes(REPLACEMENT_CHARACTER) && !(encoding.startsWith(UTF8) && (await this.isUtf8(file)))) {
                remarks.push(
                    nls.localize(
                        'companion/review/notUtf8',
                        'The file on disk is not text in the encoding that the editor expects: ' +
                            'some characters on the left are shown as {0}.',
                        REPLACEMENT_CHARACTER
                    )
                );
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

    protected changedSince({ cliName, modifiedAt }: ReviewInfo): string {
        return modifiedAt === undefined
            ? nls.localize(
                  'companion/review/created',
                  'Since {0} proposed this new file, a file of that name was made. Accepting overwrites it.',
                  cliName
              )
            : nls.localize(
                  'companion/review/changed',
                  'The file on disk has changed since {0} proposed its changes. Accepting overwrites what is on the left.',
                  cliName
              );
    }

    protected explain(review: ReviewInfo, error: unknown): string[] {
        if (error instanceof TextFileOperationError) {
            return [nls.localize('companion/review/binary', 'The file on disk is not a text file; its content is not shown.')];
        }
        const result = error instanceof FileOperationError ? error.fileOperationResult : FileOperationResult.FILE_OTHER_ERROR;
        switch (result) {
            case FileOperationResult.FILE_NOT_FOUND:
                return review.modifiedAt === undefined
                    ? []
                    : [nls.localize('companion/review/vanished', 'The file is no longer on disk. Accepting creates it again.')];
            case FileOperationResult.FILE_TOO_LARGE:
            case FileOperationResult.FILE_EXCEEDS_MEMORY_LIMIT:
                return [nls.localize('companion/review/tooLarge', 'The file on disk is too large to be shown.')];
            case FileOperationResult.FILE_IS_DIRECTORY:
                return [nls.localize('companion/review/directory', 'On disk, this is a folder.')];
            default:
                return [
                    nls.localize(
                        'companion/review/unreadable',
                        'The file on disk cannot be read: {0}',
                        error instanceof Error ? error.message : String(error)
                    )
                ];
        }
    }

    protected setRemarks(reviewId: string, remarks: readonly string[]): void {
        if (this.remarksOf(reviewId).join('\n') !== remarks.join('\n')) {
            this.remarks.set(reviewId, remarks);
            this.remarkChanged.fire(reviewId);
        }
    }
}
