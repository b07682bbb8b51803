// SPDX-License-Identifier: Apache-2.0

import { plainText, visibleText } from 'theia-cli-companion/lib/common';

/**
 * Markdown that shows the text as it is, with its lines. The chat renders questions as Markdown, and messages are Markdown, too. Text of a
 * daemon, a model or a file name must not turn into links, images or buttons there.
 */
export function textAsMarkdown(text: string): string {
    return (
        text
            .split(/\r?\n/)
            // The chat also makes tables, and links of bare addresses.
            .map(line => plainText(line).replace(/[>|:]/g, '\\$&'))
            .join('  \n')
    );
}

/** The path of a file as it is from a folder, both absolute; outside of it, or if the folder is not known, the path itself. */
export function shownPath(path: string, folder: string): string {
    const isInside = folder !== '' && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
    return visibleText(isInside ? path.slice(folder.length).replace(/^\/+/, '') : path);
}
