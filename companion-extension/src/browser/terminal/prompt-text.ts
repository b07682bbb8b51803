// SPDX-License-Identifier: Apache-2.0

import { CliTerminal, MentionStyle } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';

/** A terminal marks the two ends of pasted text with these. The program then runs nothing between them. */
const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/**
 * Makes text ready for a CLI's prompt. It drops whatever could end the paste or steer the terminal: all control characters but tab and
 * line feed, also those of eight bits. It also drops the last line end: the user sends the prompt off.
 */
export function promptText(text: string): string {
    const lines = text.replace(/\r\n?/g, '\n');
    // eslint-disable-next-line no-control-regex
    const harmless = lines.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').replace(/\n+$/, '');
    return `${PASTE_BEGIN}${harmless}${PASTE_END}`;
}

/** Characters that end a mention in one of the CLIs, or are special to it in another way (Qwen Code 0.24.4, Gemini CLI 0.61). */
const SPECIAL = /[\s()[\]{};|*?$`'"#&<>!~,\\@]/g;

/** Letters and digits of any script. */
const PLAIN = /^[\p{L}\p{M}\p{N}_./@+-]*$/u;

/** What counts for the mention of a file. */
export type MentioningCli = Pick<CliTerminal, 'folder' | 'mentionStyle'>;

export interface MentionedLines {
    /** Counted from 1. */
    readonly first: number;
    readonly last: number;
    readonly text: string;
}

/** The lines of a range whose positions count from 0. One of whole lines ends at the start of the next line. */
export function mentionedLines({ start, end }: { start: Place; end: Place }, text: string): MentionedLines {
    const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
    return { first: start.line + 1, last, text };
}

interface Place {
    readonly line: number;
    readonly character: number;
}

/** A mention, as a user would type it: `@path`. The CLI then reads the file. Blanks keep it apart from other text in the prompt. */
export const PromptMention = {
    /**
     * Whether the CLIs read the file that is meant. {@link promptText} drops control characters from its name, Gemini CLI (0.61) invisible ones,
     * and both CLIs a dot at the end: they would read another file.
     */
    canName(path: string): boolean {
        return visibleText(path) === path && !path.endsWith('.');
    },

    /** Whether the CLI reads the file if its prompt mentions it. */
    isRead(path: string, { form, unread }: MentionStyle): boolean {
        return form !== 'text' && ![...unread].some(character => path.includes(character));
    },

    /** Whether every CLI takes the name as it is. */
    isPlain(path: string): boolean {
        return PLAIN.test(path);
    },

    /**
     * @param path absolute real path, whatever the platform's separator
     * @param cli its working folder is a real path, if known: a path below it is written relative to it
     */
    file(path: string, { folder, mentionStyle }: MentioningCli): string {
        const name = relative(path, folder);
        if (mentionStyle.form === 'text') {
            return ` @${name} `;
        }
        if (!PromptMention.isRead(path, mentionStyle)) {
            // As a mention, it would be another file.
            return ` ${name} `;
        }
        const quoted = PromptMention.isPlain(name) ? name : `"${name}"`;
        return ` @${mentionStyle.form === 'quoted' ? quoted : name.replace(SPECIAL, '\\$&')} `;
    },

    /** Its name alone, which makes no CLI read it: it may be gone. */
    name(path: string, { folder }: MentioningCli): string {
        const name = relative(path, folder);
        return PromptMention.isPlain(name) && !name.includes('@') ? name : 'a file';
    },

    /** A file that was uploaded for this CLI, with a plain name. */
    upload(path: string, cli: MentioningCli): string {
        return cli.mentionStyle.form === 'text' ? ` ${path} ` : PromptMention.file(path, cli);
    },

    selection(path: string, cli: MentioningCli, { first, last, text }: MentionedLines): string {
        const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
        return `${PromptMention.file(path, cli)}(${lines}):\n${fencedText(text)}`;
    }
} as const;

/** As a block of its own, whatever it has in it. */
export function fencedText(text: string): string {
    const fence = '`'.repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)));
    // With an @ in the text, its author could make the CLI read a file of their choice.
    const harmless = text.replace(/@/g, '\\@').replace(/\n+$/, '');
    return `${fence}\n${harmless}\n${fence}\n `;
}

function relative(path: string, folder: string | undefined): string {
    const prefix = folder?.replace(/[/\\]*$/, '');
    const isBelow = prefix !== undefined && path.startsWith(prefix) && /[/\\]/.test(path.charAt(prefix.length));
    return isBelow ? path.substring(prefix.length + 1) : path;
}
