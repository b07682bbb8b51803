// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { OriginalContents } from './original-contents';
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

    /** The most urgent first. */
    of(review: ReviewInfo): string[] {
        const { cliName } = review;
        return [
            review.cliGone &&
                nls.localize(
                    'companion/review/cliGone',
                    '{0} is gone: nothing was heard of it for some seconds. If it does not come back, accepting writes nothing.',
                    cliName
                ),
            review.outsideWorkspace &&
                nls.localize('companion/review/outsideWorkspace', 'This file is outside this workspace: {0}', visibleText(review.path)),
            this.unsaved.isUnsaved(review.uri) &&
                nls.localize(
                    'companion/review/unsaved',
                    'This file is open with unsaved changes. They are not part of this diff, and what {0} writes conflicts with them.',
                    cliName
                ),
            ...this.originals.remarksOf(review.id),
            review.otherClis.length > 0 &&
                nls.localize(
                    'companion/review/otherClis',
                    'Also proposing changes to this file: {0}. What is accepted last overwrites the others.',
                    review.otherClis.join(', ')
                )
        ].filter(text => typeof text === 'string');
    }
}
