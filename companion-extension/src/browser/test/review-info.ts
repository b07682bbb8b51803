// SPDX-License-Identifier: Apache-2.0

import { ReviewInfo } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';

/** A proposal of Qwen Code for the file `/ws/<id>`, which this window opens. */
export function reviewInfo(id: string, changes: Partial<ReviewInfo> = {}): ReviewInfo {
    return {
        id,
        path: `/ws/${id}`,
        uri: `file:///ws/${id}`,
        cliName: 'Qwen Code',
        outsideWorkspace: false,
        cliGone: false,
        traits: {},
        openedAt: 1,
        revision: PROPOSAL,
        opens: true,
        ...changes
    };
}
