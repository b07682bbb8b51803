// SPDX-License-Identifier: Apache-2.0

import {
    ChatResponseContent,
    CodeChatResponseContent,
    CodeChatResponseContentImpl,
    MarkdownChatResponseContent,
    MarkdownChatResponseContentImpl,
    MutableChatRequestModel
} from '@theia/ai-chat/lib/common/chat-model';
import { parseContents } from '@theia/ai-chat/lib/common/parse-contents';
import { CodeContentMatcher, ResponseContentMatcher } from '@theia/ai-chat/lib/common/response-content-matcher';
import { FileUri } from '@theia/core/lib/common/file-uri';

const LINK = /(!?\[[^\]\n]*\]\()([^()\s]+)(?=\))/g;
/** `:12`, `:12:3`, `#L12` behind a path. */
const PLACE = /(?::(\d+)(?::\d+)?|#L(\d+)(?:-L?\d+)?)$/;

/** What models write behind the fence of a block, where an editor calls the language differently. */
const LANGUAGES: Record<string, string> = {
    ...{ js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'javascriptreact', ts: 'typescript', tsx: 'typescriptreact' },
    ...{ sh: 'shellscript', bash: 'shellscript', zsh: 'shellscript', shell: 'shellscript', console: 'shellscript', ps1: 'powershell' },
    ...{ py: 'python', rb: 'ruby', rs: 'rust', kt: 'kotlin', golang: 'go', cs: 'csharp', 'c#': 'csharp', 'c++': 'cpp', cc: 'cpp' },
    ...{ yml: 'yaml', md: 'markdown', docker: 'dockerfile', make: 'makefile' }
};

/** As Theia's, but with colours for {@link LANGUAGES}, and without the fence where a language has more than letters. */
const codeBlocks: ResponseContentMatcher = {
    ...CodeContentMatcher,
    contentFactory: block => codeBlock(block.replace(/```\s*$/, '')),
    incompleteContentFactory: codeBlock
};

function codeBlock(block: string): CodeChatResponseContentImpl {
    const [, fence, code] = /^(.*)\n?([^]*)$/.exec(block) ?? [];
    const name = /^```\s*([^\s{]*)/.exec(fence)?.[1] ?? '';
    return new CodeChatResponseContentImpl(code.replace(/^\n+|\s+$/g, ''), LANGUAGES[name.toLowerCase()] ?? name);
}

/** The parts of an answer's text: Markdown, and code blocks, which Theia shows in editors with Copy and Insert. */
export function answerParts(text: string, request: MutableChatRequestModel, folder: string): ChatResponseContent[] {
    return parseContents(
        text,
        request,
        [codeBlocks],
        content => new MarkdownChatResponseContentImpl(withFileLinks(withTags(content), folder))
    );
}

/** What may not be changed: a character behind a backslash, code between backticks, an address or a line break in `<>`. Else a `<`. */
const TAG = /\\[^]|(`+)(?!`)[^]*?(?<!`)\1(?!`)|<(?:https?:\/\/|mailto:)[^\s<>]*>|<br ?\/?>|(<)/gi;
const FENCE = /^\s*(`{3,}|~{3,})/;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s/;

/** Shows `Promise<string>` as it is: Theia takes what stands in `<>` for HTML, and drops what it does not know. */
export function withTags(markdown: string): string {
    const escaped: string[] = [];
    let text: string[] = [];
    let fence: string | undefined;
    let inList = false;
    const flush = (): void => {
        if (text.length) {
            escaped.push(text.join('\n').replace(TAG, (match, _ticks, tag?: string) => (tag ? '\\<' : match)));
            text = [];
        }
    };
    for (const line of markdown.split('\n')) {
        const [, mark] = FENCE.exec(line) ?? [];
        inList = LIST_ITEM.test(line) || (inList && !/^\S/.test(line));
        const isIndentedCode = /^(?: {4}|\t)/.test(line) && !inList && text.every(one => !one.trim());
        if (fence !== undefined || mark || isIndentedCode) {
            flush();
            escaped.push(line);
            if (mark) {
                fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
            }
        } else {
            if (!line.trim()) {
                // Code between backticks ends with its paragraph.
                flush();
            }
            text.push(line);
        }
    }
    flush();
    return escaped.join('\n');
}

/**
 * Makes the targets of links to files absolute: Theia would look for a relative one at the root of the file system.
 * @param folder absolute path of the folder in which the daemon works; empty while it is not known
 */
export function withFileLinks(markdown: string, folder: string): string {
    return withoutCommands(markdown).replace(LINK, (link, begin: string, target: string) => {
        const place = PLACE.exec(target);
        const path = (place ? target.slice(0, place.index) : target).replace(/^file:\/\//, '');
        if (begin.startsWith('!') || !folder || !path || path.startsWith('#') || /^[a-z][a-z0-9+.-]*:/i.test(path)) {
            return link;
        }
        const file = decoded(path);
        const uri = file.startsWith('/') ? FileUri.create(file) : FileUri.create(folder).resolve(file).normalizePath();
        const line = place?.[1] ?? place?.[2];
        // Without the scheme: Theia's Markdown makes no link of `file:`, and its URI of a path is a file's.
        return `${begin}${uri.path.toString().split('/').map(encodeURIComponent).join('/')}${line ? `#L${line}` : ''}`;
    });
}

/** Also those whose target stands elsewhere in the text, in `[name]: target`. */
function withoutCommands(markdown: string): string {
    return markdown.replace(/(\]\(\s*|^ {0,3}\[[^\]\n]+\]:\s*)([^\s)]+)/gm, (match, begin: string, target: string) =>
        isHarmless(target) ? match : `${begin}#`
    );
}

/** What a model writes must run no command of Theia, however its scheme is spelled: Markdown decodes `&#99;ommand:` as well. */
function isHarmless(target: string): boolean {
    const [scheme] = /^[^/?#]*/.exec(target) ?? [''];
    return /^(?:https?|mailto|file):/i.test(scheme) || !(/^<?[a-z][a-z0-9+.-]*:(?!\d)/i.test(scheme) || /&[#\w]+;|\\/.test(scheme));
}

function decoded(path: string): string {
    try {
        return decodeURIComponent(path);
    } catch {
        return path;
    }
}

/** How much a reader sees of an answer, in characters: which of two versions of it says less. */
export function lengthOf(parts: readonly ChatResponseContent[]): number {
    return parts.reduce((sum, part) => {
        const text = MarkdownChatResponseContent.is(part) ? part.content.value : CodeChatResponseContent.is(part) ? part.code : '';
        return sum + text.replace(/\s/g, '').length;
    }, 0);
}

/** In characters. What is longer is not parsed again with every word: that would cost the square of its length. */
const OPEN = 4_096;

/** Where the last paragraph of a long text begins, before which nothing changes any more; 0 if there is none. */
function endOfBlocks(text: string): number {
    if (text.length <= OPEN) {
        return 0;
    }
    const fences: number[] = Array.from(text.matchAll(/^\s*(?:`{3,}|~{3,})/gm), ({ index }) => index);
    // Lists and what belongs to them go on behind an empty line; a paragraph at the margin does not.
    const ends = Array.from(text.matchAll(/\n\n(?=[\p{L}#])/gu), ({ index }) => index + 2);
    return ends.findLast(end => fences.filter(fence => fence < end).length % 2 === 0) ?? 0;
}

/** A piece of the answer, between tools and other parts, that grows at its end. */
export class GrowingText {
    protected text = '';
    protected parts: ChatResponseContent[] = [];

    constructor(
        protected readonly request: MutableChatRequestModel,
        protected readonly folder: string
    ) {}

    /** Whether nothing came behind it. */
    get isLast(): boolean {
        return this.parts.length > 0 && this.request.response.response.content.at(-1) === this.parts.at(-1);
    }

    append(text: string): void {
        this.text += text;
        const end = endOfBlocks(this.text);
        const [done, open] = [this.text.slice(0, end), this.text.slice(end)].map(part =>
            part ? answerParts(part, this.request, this.folder) : []
        );
        const { response } = this.request.response;
        response.content.splice(response.content.length - this.parts.length, this.parts.length, ...done, ...open);
        this.text = this.text.slice(end);
        this.parts = open;
        response.responseContentChanged();
    }
}
