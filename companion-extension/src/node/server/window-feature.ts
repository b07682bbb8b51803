// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { CompanionStatus, WindowState } from '../../common/companion-protocol';
import type { CliSessions } from './cli-sessions';
import type { NamedSession } from './cli-names';
import type { Window } from './window';

/** What a feature knows of a window. Each key is one feature's. */
export type WindowStatePart = Partial<Omit<WindowState, 'status'>> & { readonly status?: Partial<CompanionStatus> };

export const WindowFeature = Symbol('WindowFeature');
/** A feature whose state pages get with that of their window. Bind one in the backend; nothing else has to know it. */
export interface WindowFeature {
    /** {@link stateOf} may say something else than before. */
    readonly onDidChange: Event<unknown>;
    stateOf(window: Window): WindowStatePart;
    /** Windows have come or gone, or what their pages or CLIs say is another. Comes before {@link stateOf}. */
    followWindows?(): void;
    /** The window has a server with these sessions. There are none yet. */
    serve?(window: Window, sessions: CliSessions): void;
    /** Sessions that its state names by their CLIs, also if those have ended. */
    namedSessions?(): readonly NamedSession[];
    /** A page has said hello. */
    greet?(window: Window): void;
    /** A page has said hello, got the focus, or looks for CLIs in its terminals. */
    lookFor?(window: Window): void;
    /** The backend ends. */
    stop?(): Promise<void>;
}
