// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common';
import { injectable } from '@theia/core/shared/inversify';
import { ContextFilter } from 'theia-cli-companion/lib/browser';

/** CLIs learn of no file, and no user can change that: without `setSharing` and `setPaused` there is no switch. */
@injectable()
export class NoSharing implements ContextFilter {
    readonly sharing = false;
    readonly onDidChange = Event.None;

    isShared(): boolean {
        return false;
    }
}
