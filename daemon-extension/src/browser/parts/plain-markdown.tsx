// SPDX-License-Identifier: Apache-2.0

import { open, OpenerService } from '@theia/core/lib/browser/opener-service';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { URI } from '@theia/core/lib/common/uri';
import * as DOMPurify from '@theia/core/shared/dompurify';
import * as markdownit from '@theia/core/shared/markdown-it';
import * as React from '@theia/core/shared/react';

/** Addresses and paths. `a.ts:12` has no scheme, but `javascript:1` does. */
const LINKS = /^(?:(?:https?|mailto|file):|(?![a-z][a-z0-9+.-]*:)|[\w./-]*\.\w+(?::\d+){1,2}$)/i;
/** `:12`, `:12:3`, `#L12` behind a path. */
const PLACE = /(?::(\d+)(?::\d+)?|#L(\d+)(?:-L?\d+)?)$/;

/**
 * Markdown of the model. Theia's own component renders HTML: HTML can hide what it says, and `List<String>` loses its end. Here HTML is shown
 * as the text that it is, images are not loaded, and a link opens a page or a file of the folder: it runs no command of Theia.
 */
export const PlainMarkdown: React.FC<{ text: string; openers: OpenerService; folder?: URI }> = ({ text, openers, folder }) => {
    const html = React.useMemo(() => DOMPurify.sanitize(htmlOf(text), { ALLOWED_URI_REGEXP: LINKS }), [text]);
    const openLink = (event: React.MouseEvent): void => {
        const href = (event.target as Element).closest('a')?.getAttribute('href');
        if (href) {
            event.preventDefault();
            const { uri, line } = linkTarget(href, folder);
            void open(openers, uri, line === undefined ? undefined : { selection: { start: { line: line - 1, character: 0 } } });
        }
    };
    return <div className="qwen-daemon-markdown" onClick={openLink} dangerouslySetInnerHTML={{ __html: html }} />;
};

export function htmlOf(text: string): string {
    const markdown = markdownit({ html: false }).disable('image');
    markdown.validateLink = href => LINKS.test(href);
    // The one tag that models need, for lines in a table.
    return markdown.render(text).replace(/&lt;br ?\/?&gt;/g, '<br>');
}

/** What a link leads to: a file of the folder, unless it is an address. */
export function linkTarget(href: string, folder = new URI('file:///')): { uri: URI; line?: number } {
    if (/^(?:https?|mailto):/i.test(href)) {
        return { uri: new URI(href) };
    }
    const place = PLACE.exec(href);
    const path = decodeURIComponent((place ? href.slice(0, place.index) : href).replace(/^file:\/\//, ''));
    const uri = path.startsWith('/') ? FileUri.create(path) : folder.resolve(path).normalizePath();
    return { uri, line: place ? Number(place[1] ?? place[2]) : undefined };
}
