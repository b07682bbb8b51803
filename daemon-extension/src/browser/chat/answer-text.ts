// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent, CodeChatResponseContentImpl, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { parseContents } from '@theia/ai-chat/lib/common/parse-contents';
import { CodeContentMatcher, ResponseContentMatcher } from '@theia/ai-chat/lib/common/response-content-matcher';
import { AnswerContent } from '../parts/answer-content';
import { NoticeContent } from '../parts/notice-content';

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
function answerParts(text: string, request: MutableChatRequestModel): ChatResponseContent[] {
    return parseContents(text, request, [codeBlocks], content => new AnswerContent(content));
}

/** In characters. What is longer is not parsed again with every word: that would cost the square of its length. */
const OPEN = 4_096;

/** Where the last paragraph of a long text begins, before which nothing changes any more; 0 if there is none. */
function endOfBlocks(text: string): number {
    if (text.length <= OPEN) {
        return 0;
    }
    // Lists and what belongs to them go on behind an empty line; a paragraph at the margin does not.
    const ends = Array.from(text.matchAll(/\n\n(?=[\p{L}#])/gu), ({ index }) => index + 2);
    const fences = fencesIn(text);
    return ends.findLast(end => fences.filter(fence => fence < end).length % 2 === 0) ?? 0;
}

/** Where they begin. */
function fencesIn(text: string): number[] {
    return Array.from(text.matchAll(/^\s*(?:`{3,}|~{3,})/gm), ({ index }) => index);
}

function isInBlock(text: string): boolean {
    return fencesIn(text).length % 2 === 1;
}

/** A piece of the answer, between tools and other parts, that grows at its end. */
export class GrowingText {
    protected text = '';
    protected parts: ChatResponseContent[] = [];

    constructor(protected readonly request: MutableChatRequestModel) {}

    /** Whether nothing came behind it, but what Qwen said in the middle of a code block. */
    get isLast(): boolean {
        const { content } = this.request.response.response;
        const last = this.parts.at(-1);
        const behind = content.slice(last ? content.lastIndexOf(last) + 1 : 0);
        return last !== undefined && behind.every(part => isInBlock(this.text) && part instanceof NoticeContent);
    }

    append(text: string): void {
        this.text += text;
        const end = endOfBlocks(this.text);
        const [done, open] = [this.text.slice(0, end), this.text.slice(end)].map(part => (part ? answerParts(part, this.request) : []));
        const { response } = this.request.response;
        const [first] = this.parts;
        response.content.splice(first ? response.content.indexOf(first) : response.content.length, this.parts.length, ...done, ...open);
        this.text = this.text.slice(end);
        this.parts = open;
        response.responseContentChanged();
    }
}
