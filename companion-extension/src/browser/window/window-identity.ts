// SPDX-License-Identifier: Apache-2.0

import { generateUuid } from '@theia/core/lib/common/uuid';
import { injectable } from '@theia/core/shared/inversify';
import { TabMemory } from './tab-memory';

const STORAGE_KEY = 'companion.windowId';

/**
 * Which window this page is. The id lives in `sessionStorage`: it survives a reload and belongs to one tab. A duplicated tab gets a copy of
 * the id. The backend asks the other tab whether it is there, and answers `hello` with another id.
 */
@injectable()
export class WindowIdentity {
    /** Differs with each load of the page. */
    readonly loadId = generateUuid();

    protected id: string | undefined;

    /** This window's id. Before the first hello is answered, it may belong to another tab as well. */
    get windowId(): string {
        this.id ??= this.remember(TabMemory.read(STORAGE_KEY) ?? generateUuid());
        return this.id;
    }

    /** Takes another id, which the backend gave. */
    adopt(id: string): void {
        if (id !== this.id) {
            this.id = this.remember(id);
        }
    }

    /** If the browser forbids storage, a reload makes a new window. The CLIs find it by the workspace. */
    protected remember(id: string): string {
        TabMemory.write(STORAGE_KEY, id);
        return id;
    }
}
