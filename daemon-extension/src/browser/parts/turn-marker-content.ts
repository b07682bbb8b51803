// SPDX-License-Identifier: Apache-2.0

import { StoredContent } from './stored-content';

export const TURN_MARKER_KIND = 'qwenDaemonTurn';

export interface TurnMarkerData {
    sessionId: string;
    turnId: string;
}

/**
 * Says which turn of which daemon session a response shows. It is invisible. Theia stores it with the chat, as it stores
 * all content, so a turn is found again after a reload. (A request's data and its mode are not stored by Theia 1.74.)
 */
export class TurnMarkerContent extends StoredContent<TurnMarkerData> {
    readonly kind = TURN_MARKER_KIND;
}
