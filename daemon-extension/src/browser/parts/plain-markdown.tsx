// SPDX-License-Identifier: Apache-2.0

import { open, OpenerService } from '@theia/core/lib/browser/opener-service';
import { URI } from '@theia/core/lib/common/uri';
import * as DOMPurify from '@theia/core/shared/dompurify';
import * as markdownit from '@theia/core/shared/markdown-it';
import * as React from '@theia/core/shared/react';

/**
 * Markdown for what the user decides by. Theia's own component renders HTML, and HTML can hide what it says. Here HTML is shown as the text
 * that it is, and images are not loaded.
 */
export const PlainMarkdown: React.FC<{ text: string; openers: OpenerService }> = ({ text, openers }) => {
    const html = React.useMemo(() => DOMPurify.sanitize(markdownit({ html: false }).disable('image').render(text)), [text]);
    const openLink = (event: React.MouseEvent): void => {
        const href = (event.target as Element).closest('a')?.getAttribute('href');
        if (href) {
            event.preventDefault();
            void open(openers, new URI(href));
        }
    };
    return <div className="qwen-daemon-markdown" onClick={openLink} dangerouslySetInnerHTML={{ __html: html }} />;
};
