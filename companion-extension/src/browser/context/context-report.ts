// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { ToldContext } from '../../common/companion-protocol';
import { joinSentences, listOf } from '../../common/sentences';
import { WithheldFile } from './context-state';

/** A report for people on what is shared with the CLIs. */
export class ContextReport {
    constructor(protected readonly filter: { readonly sharing: boolean; readonly paused?: boolean }) {}

    /** Says in a sentence if files are shared. */
    get sharing(): string {
        const { sharing, paused } = this.filter;
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

    /** The same after the user has changed it. @param connected whether the backend learns of it now */
    describeChange(connected: boolean): string {
        const later = nls.localize(
            'theia/cli-companion/context/later',
            "The IDE's server cannot be reached now: this takes effect as soon as it can."
        );
        return joinSentences([this.sharing, connected ? undefined : later]);
    }

    /** The last shared context in Markdown: in words, and then as JSON, exactly as it was sent. */
    describe(told: readonly ToldContext[], withheld: readonly WithheldFile[]): string {
        const clis = told.map(({ cliName, folder, toldAt, context }) => ({
            name: cliName,
            folder,
            toldAt: toldAt === undefined ? undefined : new Date(toldAt).toISOString(),
            told: context
        }));
        const json = { clis, withheld: withheld.map(({ path, rule }) => ({ path, by: ruleText(rule) })) };
        const nobody = nls.localize('theia/cli-companion/context/nobody', 'No CLI is connected to this window, so nothing was shared.');
        const parts = [
            this.sharing,
            ...(told.length === 0 ? [nobody] : told.map(cliText)),
            ...(withheld.length === 0 ? [] : [withheldText(withheld)]),
            `## ${nls.localize('theia/cli-companion/context/asJson', 'As JSON, with the texts as they were sent')}`,
            `\`\`\`json\n${JSON.stringify(json, undefined, 4)}\n\`\`\``
        ];
        return `${parts.join('\n\n')}\n`;
    }
}

function cliText({ cliName, folder, toldAt, context }: ToldContext): string {
    const files = context?.workspaceState?.openFiles ?? [];
    const active = files.find(({ isActive }) => isActive);
    const others = files.filter(file => file !== active).map(({ path }) => path);
    const lines: Array<string | undefined> = [
        `## ${cliName}`,
        '',
        folder && nls.localize('theia/cli-companion/context/folder', 'Works in: {0}', folder),
        toldAt === undefined
            ? nls.localize('theia/cli-companion/context/nothingYet', 'Nothing yet.')
            : nls.localize('theia/cli-companion/context/toldAt', 'Last shared: {0}', new Date(toldAt).toLocaleString(nls.locale ?? 'en')),
        active &&
            (active.cursor
                ? nls.localize(
                      'theia/cli-companion/context/activeAt',
                      'Active file: {0}, line {1}, column {2}',
                      active.path,
                      active.cursor.line,
                      active.cursor.character
                  )
                : nls.localize('theia/cli-companion/context/active', 'Active file: {0}', active.path)),
        others.length > 0 ? nls.localize('theia/cli-companion/context/others', 'Other open files: {0}', listOf(others)) : undefined,
        active?.selectedText && `${nls.localize('theia/cli-companion/context/selected', 'Selected:')}\n\n${indented(active.selectedText)}`
    ];
    return lines.filter(line => line !== undefined).join('\n');
}

function withheldText(withheld: readonly WithheldFile[]): string {
    const title = nls.localize('theia/cli-companion/context/withheld', 'Withheld from every CLI');
    return [`## ${title}`, '', ...withheld.map(({ path, rule }) => `- ${path} (${ruleText(rule)})`)].join('\n');
}

function ruleText(rule: string | undefined): string {
    return rule ?? nls.localize('theia/cli-companion/context/noRule', 'a rule of this application');
}

/** A code block in Markdown. */
function indented(text: string): string {
    return text.trimEnd().replace(/^/gm, '    ');
}
