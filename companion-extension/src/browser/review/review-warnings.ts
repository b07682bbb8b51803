// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { OriginalContents, OriginalRemark, REPLACEMENT_CHARACTER } from './original-contents';
import { UnsavedFiles } from './unsaved-files';

/** What a user has to know of a review before deciding, in plain sentences. */
@injectable()
export class ReviewWarnings {
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(UnsavedFiles)
    protected readonly unsaved: UnsavedFiles;

    protected readonly changed = new Emitter<(review: ReviewInfo) => boolean>();
    /** Fires with a test for the reviews whose warnings may differ. */
    readonly onDidChange = this.changed.event;

    @postConstruct()
    protected init(): void {
        this.originals.onDidChangeRemark(id => this.changed.fire(review => review.id === id));
        this.unsaved.onDidChange(uri => this.changed.fire(review => review.uri === uri));
    }

    /** The most important first. None promises what another one takes back. */
    of(review: ReviewInfo): string[] {
        const { cliName } = review;
        return [
            review.cliGone &&
                nls.localize(
                    'companion/review/cliGone',
                    '{0} has stopped responding. It gets your answer when it goes on; if it has ended, nothing is written.',
                    cliName
                ),
            ...this.originals.remarksOf(review.id).map(remark => this.describe(remark, review)),
            this.unsaved.isUnsaved(review.uri) &&
                nls.localize(
                    'companion/review/unsaved',
                    'This file is open with unsaved changes. They are not part of this diff, and what {0} writes conflicts with them.',
                    cliName
                ),
            review.outsideWorkspace &&
                nls.localize('companion/review/outsideWorkspace', 'This file is outside this workspace: {0}', visibleText(review.path)),
            review.otherClis.length > 0 &&
                nls.localize(
                    'companion/review/otherClis',
                    'Also proposing changes to this file: {0}. The proposals do not know of each other.',
                    review.otherClis.join(', ')
                )
        ].filter(text => typeof text === 'string');
    }

    protected describe({ kind, cause }: OriginalRemark, { cliName, cliGone, traits }: ReviewInfo): string {
        // Of a CLI that does not respond it is not known what it will do. Measured with Qwen Code 0.24 and Gemini CLI 0.61.
        const refused = nls.localize('companion/review/refused', '{0} then writes nothing, even if you accept.', cliName);
        const consequence = (overwrites: string): string => (cliGone ? '' : ` ${traits.refusesChangedFile ? refused : overwrites}`);
        switch (kind) {
            case 'changed':
                return (
                    nls.localize('companion/review/changed', 'The file on disk has changed since {0} proposed its changes.', cliName) +
                    consequence(nls.localize('companion/review/changedOverwritten', 'Accepting replaces what is on the left.'))
                );
            case 'created':
                return (
                    nls.localize('companion/review/created', 'Since {0} proposed this new file, a file of that name was made.', cliName) +
                    consequence(nls.localize('companion/review/createdOverwritten', 'Accepting replaces it.'))
                );
            case 'vanished':
                return (
                    nls.localize('companion/review/vanished', 'The file is no longer on disk.') +
                    consequence(nls.localize('companion/review/vanishedCreated', 'Accepting creates it again.'))
                );
            case 'notUtf8':
                return nls.localize(
                    'companion/review/notUtf8',
                    'The file on disk is not text in the encoding that the editor expects: some characters on the left are shown as {0}.',
                    REPLACEMENT_CHARACTER
                );
            case 'binary':
                return nls.localize('companion/review/binary', 'The file on disk is not a text file; its content is not shown.');
            case 'tooLarge':
                return nls.localize('companion/review/tooLarge', 'The file on disk is too large to be shown.');
            case 'directory':
                return nls.localize('companion/review/directory', 'On disk, this is a folder.');
            case 'unreadable':
                return nls.localize('companion/review/unreadable', 'The file on disk cannot be read: {0}', cause ?? '');
        }
    }
}
