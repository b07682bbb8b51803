// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { DraftRef, KeptDraft, ReviewInfo } from '../../common/companion-protocol';

/** Left side of a review's diff: the file on disk, read-only. */
export const ORIGINAL_SCHEME = 'companion-original';
/** Right side: the proposal. */
export const PROPOSED_SCHEME = 'companion-proposed';
/** Right side of a diff with the file: what the user typed into a proposal that ended without it. */
export const EDITED_SCHEME = 'companion-edited';

const BESIDE_DRAFT = 'draft';

type ReviewFile = Pick<ReviewInfo, 'id' | 'uri'>;

function encode(scheme: string, { id, uri }: ReviewFile): URI {
    return new URI().withScheme(scheme).withAuthority(id).withPath(new URI(uri).path);
}

/**
 * `scheme://<review id>/<absolute path>`. The authority makes each proposal a document of its own. The path gives language, icon and title.
 * Review ids have no upper-case letters, because URIs write the authority in lower case.
 */
export const ReviewUris = {
    original(review: ReviewFile): URI {
        return encode(ORIGINAL_SCHEME, review);
    },

    proposed(review: ReviewFile): URI {
        return encode(PROPOSED_SCHEME, review);
    },

    /** The file beside a kept draft. It needs no review. */
    besideEdited(edit: ReviewFile): URI {
        return encode(ORIGINAL_SCHEME, edit).withQuery(BESIDE_DRAFT);
    },

    /** The file's URI, if it is shown beside a kept draft. */
    fileBesideEdited(uri: URI): URI | undefined {
        return uri.scheme === ORIGINAL_SCHEME && uri.query === BESIDE_DRAFT ? new URI().withScheme('file').withPath(uri.path) : undefined;
    },

    /** With another URI if the text has become another: what shows the older one stays as it is. */
    edited(edit: ReviewFile & Pick<KeptDraft, 'revision'>): URI {
        return encode(EDITED_SCHEME, edit).withQuery(String(edit.revision));
    },

    /** The draft that the URI belongs to; `undefined` for any other URI. */
    draftOf(uri: URI): DraftRef | undefined {
        return uri.scheme === EDITED_SCHEME ? { id: uri.authority, revision: Number(uri.query) } : undefined;
    },

    /** The id of the review that the URI belongs to; `undefined` for a URI that is not ours. */
    reviewIdOf(uri: URI | undefined): string | undefined {
        return uri && (uri.scheme === ORIGINAL_SCHEME || uri.scheme === PROPOSED_SCHEME) && uri.authority ? uri.authority : undefined;
    }
} as const;
