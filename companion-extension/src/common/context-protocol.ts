// SPDX-License-Identifier: Apache-2.0

import { ContextSnapshot, ToldContext } from './companion-protocol';

export const contextPath = '/services/companion/context';

export const ContextBackend = Symbol('ContextBackend');
/** What a page calls about the context that CLIs get. Refused before the window has said hello. */
export interface ContextBackend {
    /** The page's newest context; an older sequence number than one already seen is ignored. */
    updateContext(snapshot: ContextSnapshot): Promise<void>;
    /** The context that was last shared with the CLIs of this window. */
    readToldContexts(): Promise<ToldContext[]>;
}
