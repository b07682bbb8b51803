// SPDX-License-Identifier: Apache-2.0

import { generateUuid } from '@theia/core/lib/common/uuid';
import { ReviewSave } from '../../common/companion-protocol';
import { TabStorage, TabStore } from '../window/tab-store';
import { SaveStore } from './page-reviews';

const KEY = 'companion.edits.';
/** Keys of versions before 26 November 2026. */
const EARLIER_KEY = 'companion.drafts.';

/** An item of the format before. */
interface EarlierItem {
    readonly draft?: { readonly text?: string; readonly about: { readonly uri: string; readonly cliName: string } };
}

/** Typed texts that are not confirmed. The tab keeps them, and the next load of the page sends them. */
export class UnsentTexts implements SaveStore {
    protected readonly store: TabStore<ReviewSave>;
    protected readonly earlier: TabStore<EarlierItem>;
    protected readFrom: string | undefined;

    /** @param installation whose backend it is; `undefined` before the first hello */
    constructor(
        protected readonly installation: () => string | undefined,
        storage?: TabStorage
    ) {
        this.store = new TabStore(KEY, installation, storage);
        this.earlier = new TabStore(EARLIER_KEY, installation, storage);
    }

    /** Others may be of another installation, or not read yet. */
    get hasOthers(): boolean {
        return this.store.hasOthers || this.earlier.hasOthers;
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
        const saves = [...this.store.read(), ...this.earlier.read().flatMap(item => saveOf(item) ?? [])];
        this.earlier.write([]);
        return saves;
    }
}

/** The backend knows its review no more, which may have had several: each text becomes a kept edit. */
function saveOf({ draft }: EarlierItem): ReviewSave | undefined {
    return draft?.text === undefined
        ? undefined
        : { about: { reviewId: generateUuid(), ...draft.about }, revision: { page: generateUuid(), n: 1 }, text: draft.text, base: [] };
}
