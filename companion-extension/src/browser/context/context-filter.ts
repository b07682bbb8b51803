// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { CompanionProblem } from '../../common/companion-problem';

export const ContextFilter = Symbol('ContextFilter');
/** Decides which files a CLI may learn of. An embedder may rebind it. */
export interface ContextFilter {
    /** `false`: CLIs learn of no file at all. */
    readonly sharing: boolean;
    /** Whether CLIs may learn this file's path, and a selection in it. @param path absolute */
    isShared(path: string): boolean;
    /**
     * The rule that keeps CLIs from learning of this file, for people: `companion.context.exclude: **\/.env*`, `.qwenignore`. `undefined` if
     * no rule does. Leave it out if you cannot tell: {@link isShared} is what counts.
     */
    withheldBy?(uri: URI): string | undefined;
    /** What is wrong with the settings that decide, for the status. Leave it out if nothing can be. */
    readonly problems?: readonly CompanionProblem[];
    readonly onDidChange: Event<void>;
    /** The user's own switch. Leave it out if the user has no say: the status then offers no switch. */
    setSharing?(wanted: boolean): Promise<void>;
    /** Whether the user has paused sharing in this window. {@link sharing} is then `false`. */
    readonly paused?: boolean;
    /** Pauses sharing in this window, or resumes it. A reload of the page changes nothing of it. Leave it out to offer no pause. */
    setPaused?(paused: boolean): void;
}
