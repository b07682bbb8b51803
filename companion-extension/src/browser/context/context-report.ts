// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { ToldContext } from '../../common/companion-protocol';
import { WithheldFile } from './context-state';

export interface ContextReportInput {
    sharing: boolean;
    paused: boolean;
    told: readonly ToldContext[];
    withheld: readonly WithheldFile[];
}

/** What the CLIs were last told, as JSON for people. */
export function contextReport({ sharing, paused, told, withheld }: ContextReportInput): string {
    const report = {
        sharing: sharingText(sharing, paused),
        clis:
            told.length === 0
                ? nls.localize('theia/cli-companion/context/nobody', 'No CLI is connected to this window, so nothing was shared.')
                : told.map(({ cliName, folder, toldAt, context }) => ({
                      name: cliName,
                      folder,
                      since: toldAt === undefined ? undefined : new Date(toldAt).toLocaleString(nls.locale ?? 'en'),
                      told: context ?? nls.localize('theia/cli-companion/context/nothingYet', 'Nothing yet.')
                  })),
        withheld: withheld.map(({ path, rule }) => ({
            path,
            by: rule ?? nls.localize('theia/cli-companion/context/noRule', 'a rule of this application')
        }))
    };
    return `${JSON.stringify(report, undefined, 4)}\n`;
}

export function sharingText(sharing: boolean, paused: boolean): string {
    if (sharing) {
        return nls.localize(
            'theia/cli-companion/context/sharing',
            'Open files and selection are shared with the CLIs that are connected to this window.'
        );
    }
    return paused
        ? nls.localize('theia/cli-companion/context/paused', 'Sharing is paused in this window. CLIs get no files and no selection.')
        : nls.localize('theia/cli-companion/context/off', 'Sharing is off. CLIs get no files and no selection.');
}
