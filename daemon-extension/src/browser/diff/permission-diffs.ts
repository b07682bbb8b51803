// SPDX-License-Identifier: Apache-2.0

import { DiffInfo } from '../../common/session-events';
import { Edit } from './edit-diff-uris';

export interface DiffEditors {
    open(edit: Edit, diff: DiffInfo): Promise<void>;
    /** Ends when it is closed. */
    close(edit: Edit, diff: DiffInfo): Promise<void>;
}

/**
 * Opens a diff for each permission about an edit, and closes it when the permission is settled. The steps of one edit wait for each
 * other: if a turn is built again, its diff closes and opens again at once, and a late close must not close the new diff.
 */
export class PermissionDiffs {
    protected readonly steps = new Map<string, Promise<void>>();
    protected readonly opened = new Map<string, DiffInfo>();

    constructor(protected readonly editors: DiffEditors) {}

    open(edit: Edit, diff: DiffInfo): Promise<void> {
        return this.step(edit, async key => {
            if (!this.opened.has(key)) {
                this.opened.set(key, diff);
                await this.editors.open(edit, diff);
            }
        });
    }

    close(edit: Edit): Promise<void> {
        return this.step(edit, async key => {
            const diff = this.opened.get(key);
            if (diff) {
                this.opened.delete(key);
                await this.editors.close(edit, diff);
            }
        });
    }

    protected step(edit: Edit, next: (key: string) => Promise<void>): Promise<void> {
        const key = JSON.stringify([edit.sessionId, edit.turnId, edit.toolId]);
        const step = (this.steps.get(key) ?? Promise.resolve())
            // Its own caller was told.
            .catch(() => undefined)
            .then(() => next(key))
            .finally(() => this.steps.get(key) === step && this.steps.delete(key));
        this.steps.set(key, step);
        return step;
    }
}
