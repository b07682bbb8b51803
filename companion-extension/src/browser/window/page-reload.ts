// SPDX-License-Identifier: Apache-2.0

import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { inject, injectable } from '@theia/core/shared/inversify';

/** Theia may ask about other editors first. */
const CHOSEN_MS = 10_000;

/** Reloads the page for a user who has chosen that. */
@injectable()
export class PageReload {
    @inject(WindowService)
    protected readonly windows: Pick<WindowService, 'reload'>;

    /** As `performance.now` counts. */
    protected chosenAt = -Infinity;

    /** The page is about to end because its user has just chosen so: the tab and what it stores stay. */
    get isChosen(): boolean {
        return performance.now() - this.chosenAt < CHOSEN_MS;
    }

    start(): void {
        this.chosenAt = performance.now();
        this.windows.reload();
    }
}
