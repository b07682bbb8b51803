// SPDX-License-Identifier: Apache-2.0
// What the checks of the documents read in Markdown, as GitHub shows it.

import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt({ html: true });

/** Escapes characters that Markdown would interpret. */
export function escapeMarkdown(text) {
    return text.replace(/[\\|<>*_`[\]]/g, '\\$&');
}

/** Where the links and pictures of a text lead, with the lines in which their paragraphs begin. */
export function linksOf(markdown) {
    return blocksOf(markdown).flatMap(({ children, content, type, line }) => {
        if (type === 'html_block') {
            return htmlLinks(content).map(target => ({ target, line }));
        }
        return children.flatMap(child => {
            const target = child.attrGet('href') ?? child.attrGet('src');
            const targets = child.type === 'html_inline' ? htmlLinks(child.content) : target === null ? [] : [target];
            return targets.map(found => ({ target: found, line }));
        });
    });
}

function htmlLinks(html) {
    return [...html.matchAll(/\s(?:href|src|srcset)="([^"]+)"/g)].map(([, target]) => target);
}

/** The anchors of a text's headings, as GitHub makes them, and those given as HTML. */
export function anchorsOf(markdown) {
    const counts = new Map();
    const headings = blocksOf(markdown)
        .filter(({ isHeading }) => isHeading)
        .map(({ children }) => {
            const words = children.map(({ type, content }) => (['text', 'code_inline'].includes(type) ? content : '')).join('');
            const slug = words
                .toLowerCase()
                .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
                .replace(/ /g, '-');
            const count = counts.get(slug) ?? 0;
            counts.set(slug, count + 1);
            return count === 0 ? slug : `${slug}-${count}`;
        });
    return new Set([...headings, ...[...markdown.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map(([, id]) => id)]);
}

/** How many characters each table's columns take beside each other. */
export function tablesOf(markdown) {
    const tables = [];
    const tokens = parser.parse(markdown, {});
    tokens.forEach(({ type, map }, index) => {
        if (type === 'table_open') {
            tables.push({ line: map[0] + 1, columns: [] });
        } else if (type === 'tr_open') {
            tables.at(-1).column = 0;
        } else if (type === 'th_open' || type === 'td_open') {
            const table = tables.at(-1);
            const words = tokens[index + 1].children.map(({ type: kind, content }) => (kind.startsWith('html') ? '' : content)).join('');
            table.columns[table.column] = Math.max(table.columns[table.column] ?? 0, words.length);
            table.column++;
        }
    });
    return tables.map(({ line, columns }) => ({ line, width: columns.reduce((sum, width) => sum + width, 0) }));
}

function blocksOf(markdown) {
    const tokens = parser.parse(markdown, {});
    return tokens.flatMap((token, index) => {
        const { type, children, content, map } = token;
        if (type !== 'inline' && type !== 'html_block') {
            return [];
        }
        const isHeading = tokens[index - 1]?.type === 'heading_open';
        return [{ type, children: children ?? [], content, isHeading, line: (map ?? tokens[index - 1]?.map ?? [0])[0] + 1 }];
    });
}
