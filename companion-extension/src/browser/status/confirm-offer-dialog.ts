// SPDX-License-Identifier: Apache-2.0

import { ConfirmDialog } from '@theia/core/lib/browser/dialogs';
import { injectable } from '@theia/core/shared/inversify';
import { OfferDialog } from './ide-mode-offers';

@injectable()
export class ConfirmOfferDialog implements OfferDialog {
    confirm(title: string, text: string, ok: string): Promise<boolean | undefined> {
        // A string would be taken for Markdown.
        const msg = document.createElement('div');
        msg.textContent = text;
        return new ConfirmDialog({ title, msg, ok }).open();
    }
}
