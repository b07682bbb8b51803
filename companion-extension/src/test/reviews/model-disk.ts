// SPDX-License-Identifier: Apache-2.0

import { DraftStore, StoredDrafts } from '../../node/review/reviews';

/** How long the disk takes, in milliseconds. */
const DISK = 10;

/** The disk: what is kept is on it a moment later. */
export class ModelDisk implements DraftStore {
    stored: StoredDrafts = { drafts: [], settled: [] };
    saved: Promise<void> = Promise.resolve();
    protected alive = true;

    async claim(take: (left: StoredDrafts) => void): Promise<void> {
        take(this.stored);
    }

    keep(stored: StoredDrafts): void {
        this.saved = this.saved.then(
            () =>
                new Promise(resolve =>
                    setTimeout(() => {
                        if (this.alive) {
                            this.stored = stored;
                            resolve();
                        }
                    }, DISK)
                )
        );
    }

    /** What is not on it yet will never be. */
    die(): StoredDrafts {
        this.alive = false;
        return this.stored;
    }
}
