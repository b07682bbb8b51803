// SPDX-License-Identifier: Apache-2.0

import { isObject } from '@theia/core/lib/common/types';
import { URI } from '@theia/core/lib/common/uri';
import { Diagnostic } from '@theia/core/shared/vscode-languageserver-protocol';
import { visibleLines } from '../../common/visible-text';
import { MentionedLines, mentionedLines } from './prompt-text';

/** A part of a prompt: a file, or lines of one. */
export interface PromptChoice {
    /** Absolute. */
    path: string;
    lines: MentionedLines | undefined;
}

/**
 * What is selected in the explorer or in the Problems view. Empty if anything else is selected, too, such as a folder: a CLI would read all
 * of it. Knows the rows by their shape, so that an application need not have these views.
 *
 * @param selection Theia's global selection
 */
export function promptChoices(selection: unknown): PromptChoice[] {
    const rows: unknown[] = Array.isArray(selection) ? selection : [selection];
    const choices = rows.map(row => choiceOf(row));
    return choices.every(choice => choice !== undefined) ? choices : [];
}

function choiceOf(row: unknown): PromptChoice | undefined {
    if (!isObject<{ marker: unknown; fileStat: unknown }>(row)) {
        return undefined;
    }
    const { marker, fileStat } = row;
    if (isObject<{ uri: unknown; data: unknown }>(marker) && typeof marker.uri === 'string' && Diagnostic.is(marker.data)) {
        return choice(new URI(marker.uri), problemLines(marker.data));
    }
    if (isObject<{ isFile: unknown; resource: unknown }>(fileStat) && fileStat.isFile === true && fileStat.resource instanceof URI) {
        return choice(fileStat.resource, undefined);
    }
    return undefined;
}

function choice(uri: URI, lines: MentionedLines | undefined): PromptChoice | undefined {
    return uri.scheme === 'file' ? { path: uri.path.fsPath(), lines } : undefined;
}

/** The lines that a problem is about, with its message. */
function problemLines({ range, message, source, code }: Diagnostic): MentionedLines {
    const origin = [source, code].filter(part => part !== undefined).join(' ');
    // A tool of the repository wrote it. Nobody reads it before the model does.
    return mentionedLines(range, visibleLines(origin ? `${message} [${origin}]` : message));
}
