// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { EditReference } from '../../common/qwen-daemon-protocol';

export const BEFORE_SCHEME = 'qwen-daemon-before';
export const AFTER_SCHEME = 'qwen-daemon-after';

/** One edit of a file by a tool call of the daemon. */
export interface Edit extends EditReference {
    sessionId: string;
}

export interface EditDiffSide extends Edit {
    side: 'before' | 'after';
}

/** URIs of the two sides of a tool call's edit. The path is the file's on the daemon's host: it decides language and label only. */
export namespace EditDiffUris {
    export function create(side: EditDiffSide, path: string): URI {
        const query = new URLSearchParams({ session: side.sessionId, turn: side.turnId, tool: side.toolId }).toString();
        return new URI()
            .withScheme(side.side === 'before' ? BEFORE_SCHEME : AFTER_SCHEME)
            .withPath(path.startsWith('/') ? path : `/${path.replaceAll('\\', '/')}`)
            .withQuery(query);
    }

    /** `undefined` for other URIs. */
    export function parse(uri: URI): EditDiffSide | undefined {
        if (uri.scheme !== BEFORE_SCHEME && uri.scheme !== AFTER_SCHEME) {
            return undefined;
        }
        const query = new URLSearchParams(uri.query);
        const sessionId = query.get('session');
        const turnId = query.get('turn');
        const toolId = query.get('tool');
        const side = uri.scheme === BEFORE_SCHEME ? 'before' : 'after';
        return sessionId && turnId && toolId ? { sessionId, turnId, toolId, side } : undefined;
    }
}
