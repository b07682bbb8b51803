// SPDX-License-Identifier: Apache-2.0

import { codiconArray } from '@theia/core/lib/browser/widgets/widget';
import { QuickInputButton, QuickPickItem } from '@theia/core/lib/common/quick-pick-service';
import { withoutIcons } from '../../common/plain-text';
import { listOf } from '../../common/sentences';
import { StatusRow } from './status-rows';

/** A row of the list; every row does something. */
export interface Row extends Omit<StatusRow, 'sentences'> {
    readonly buttons?: RowButton[];
    run(): unknown;
}

/** A button beside a row: `iconClass` tells the buttons of one row apart. */
export interface RowButton extends QuickInputButton {
    iconClass: string;
    run(): unknown;
}

/** What stands in the status list. */
export interface ListItem extends QuickPickItem {
    buttons?: RowButton[];
}

/** Shows the texts of the row as they are. */
export function listItem({ id, icon, label, description, detail, buttons, run }: Row): ListItem {
    const texts = [label, description, detail].map(text => text && withoutIcons(text));
    return {
        id,
        iconClasses: codiconArray(icon),
        label: texts[0] ?? '',
        ...(texts[1] && { description: texts[1] }),
        ...(texts[2] && { detail: texts[2] }),
        ...(buttons && { buttons }),
        ariaLabel: listOf(texts.flatMap(text => text || [])),
        execute: () => void run()
    };
}
