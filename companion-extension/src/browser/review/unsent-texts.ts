// SPDX-License-Identifier: Apache-2.0

import { ReviewSave } from '../../common/companion-protocol';
import { TabStorage, TabStore } from '../window/tab-store';
import { SaveStore } from './page-reviews';

const KEY = 'companion.edits.';

/** Typed texts that are not confirmed. The tab keeps them, and the next load of the page sends them. */
export class UnsentTexts implements SaveStore {
    protected readonly store: TabStore<ReviewSave>;
    protected readFrom: string | undefined;

    /** @param installation whose backend it is; `undefined` before the first hello */
    constructor(
        protected readonly installation: () => string | undefined,
        storage?: TabStorage
    ) {
        this.store = new TabStore(KEY, installation, storage);
    }

    /** Others may be of another installation, or not read yet. */
    get hasOthers(): boolean {
        return this.store.hasOthers;
    }

    write(saves: readonly ReviewSave[]): boolean {
        return this.store.write(saves);
    }

    /** @returns what an earlier load of the page could not send: once for each installation */
    takeEarlier(): ReviewSave[] {
        const installation = this.installation();
        if (installation === undefined || installation === this.readFrom) {
            return [];
        }
        this.readFrom = installation;
        return this.store.read();
    }
}
