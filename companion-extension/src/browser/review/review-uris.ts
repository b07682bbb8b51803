// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';

/** Left side of a diff: the file on disk, read-only. @since 0.1 */
export const ORIGINAL_SCHEME = 'companion-original';
/** Right side of a review's diff: the proposal. @since 0.1 */
export const PROPOSED_SCHEME = 'companion-proposed';
/** Right side of a diff with the file: what the user typed into a proposal that ended without it. */
export const EDITED_SCHEME = 'companion-edited';

/** A review or a kept edit. */
interface Shown {
    readonly id: string;
    readonly uri: string;
}

function encode(scheme: string, { id, uri }: Shown): URI {
    return new URI().withScheme(scheme).withAuthority(id).withPath(new URI(uri).path);
}

/**
 * `scheme://<id of the review or kept edit>/<absolute path>`. The authority makes each proposal a document of its own. The path gives language,
 * icon and title. Ids have no upper-case letters, because URIs write the authority in lower case.
 */
export const ReviewUris = {
    /** The file beside a proposal or a kept edit. */
    original(shown: Shown): URI {
        return encode(ORIGINAL_SCHEME, shown);
    },

    fileOf(original: URI): URI {
        return new URI().withScheme('file').withPath(original.path);
    },

    uriOfProposal(review: Shown): URI {
        return encode(PROPOSED_SCHEME, review);
    },

    uriOfEdit(edit: Shown): URI {
        return encode(EDITED_SCHEME, edit);
    },

    /** The id of the kept edit that the URI belongs to; `undefined` for any other URI. */
    editIdOf(uri: URI | undefined): string | undefined {
        return uri?.scheme === EDITED_SCHEME && uri.authority ? uri.authority : undefined;
    },

    /** The id of the review that the widget shows; `undefined` for every other widget. */
    shownIn(widget: unknown): string | undefined {
        return widget instanceof EditorWidget ? ReviewUris.reviewIdOf(widget.getResourceUri()) : undefined;
    },

    /** The id of the review whose proposal has this URI; `undefined` for any other URI. */
    reviewIdOf(uri: URI | undefined): string | undefined {
        return uri?.scheme === PROPOSED_SCHEME && uri.authority ? uri.authority : undefined;
    }
} as const;
