// SPDX-License-Identifier: Apache-2.0

import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { Revision } from '../../common/revision';
import { LineEnds } from './line-ends';
import { ReviewText } from './review-text';

/** The right side as a resource. It cannot be saved: the CLI writes the file, after the user has accepted. */
export class ProposalResource implements Resource {
    readonly autosaveable = false;
    readonly revision: Revision;
    readonly isEdited: boolean;
    /** Of the proposal as the CLI has made it. */
    readonly lineEnds: LineEnds;
    protected readonly text: string;

    constructor(
        readonly uri: URI,
        text: ReviewText,
        readonly readOnly: boolean
    ) {
        this.revision = text.revision;
        this.isEdited = text.isEdited;
        this.lineEnds = new LineEnds(text.proposal ?? '');
        this.text = text.shown ?? '';
    }

    async readContents(): Promise<string> {
        return this.text;
    }

    dispose(): void {
        // Holds nothing but the text.
    }
}
