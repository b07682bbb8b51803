// SPDX-License-Identifier: Apache-2.0

import { generateUuid } from '@theia/core/lib/common/uuid';
import { injectable } from '@theia/core/shared/inversify';

const STORAGE_KEY = 'companion.windowId';
/**
 * Which window this page is. The id lives in `sessionStorage`: it survives a reload and belongs to one tab. A duplicated tab gets a copy
 * of the id: the backend asks the tab that had it first whether it is there, and answers `hello` with another id.
 */
@injectable()
export class WindowIdentity {
    /** Differs with each load of the page. */
    readonly loadId = generateUuid();

    protected id: string | undefined;

    /** This window's id. Before the first hello is answered, it may belong to another tab as well. */
    get windowId(): string {
        if (this.id === undefined) {
            this.adopt(this.read() ?? generateUuid());
        }
        return this.id ?? '';
    }

    /** If the browser forbids storage, a reload makes a new window. The CLIs find it by the workspace. */
    adopt(id: string): void {
        this.id = id;
        try {
            window.sessionStorage.setItem(STORAGE_KEY, id);
        } catch {
            return;
        }
    }

    protected read(): string | undefined {
        try {
            return window.sessionStorage.getItem(STORAGE_KEY) ?? undefined;
        } catch {
            return undefined;
        }
    }
}
