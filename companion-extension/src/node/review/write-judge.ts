// SPDX-License-Identifier: Apache-2.0

import { isSameText, plain } from '../../common/same-text';
import { FileContent, hashOf } from './file-texts';

/** Judges what a file has of a text: one that a CLI was told to write, or one that a user typed into a proposal. */
export class WriteJudge {
    /** How often the text has the lines that the user added, and those that the user took out or took some of. */
    protected readonly added = new Map<string, number>();
    protected readonly taken = new Map<string, number>();
    /** How often the file had the added lines before anybody could write it: what it had already proves nothing. */
    protected had: ReadonlyMap<string, number> | undefined;
    /** Of the text: that is not kept, because a CLI may never write it. */
    protected readonly plainHash: string;
    protected readonly formlessHash: string;
    /** Of the proposal, without what formatters change. */
    protected readonly proposed: string;
    /**
     * The user changed only what formatters change, of the proposal or of the file, or it is not known: then a file in another form may be the
     * CLI's own text, or the file as it was.
     */
    protected isForm: boolean;
    /** The user has changed the proposal. */
    readonly isEdited: boolean;

    /** @param proposal empty if it is no longer known */
    constructor(proposal: string, text: string) {
        this.plainHash = hashOfText(plain(text));
        this.formlessHash = hashOfText(formless(text));
        this.proposed = proposal === '' ? '' : hashOf(Buffer.from(formless(proposal)));
        this.isEdited = !isSameText(proposal, text);
        this.isForm = proposal !== text && (proposal === '' || formless(proposal) === formless(text));
        const [before, now] = [countLines(proposal), countLines(proposal === '' ? '' : text)];
        for (const line of new Set([...before.keys(), ...now.keys()])) {
            const [count, typed] = [before.get(line) ?? 0, now.get(line) ?? 0];
            if (count !== typed) {
                (typed > count ? this.added : this.taken).set(line, typed);
            }
        }
    }

    /** This is the file before anybody could write it. Only the first word counts. */
    noteBefore({ text = '' }: FileContent): void {
        if (!this.had) {
            this.isForm ||= hashOfText(formless(text)) === this.formlessHash;
            const counts = this.added.size > 0 ? countLines(text) : new Map<string, number>();
            this.had = new Map([...this.added.keys()].map(line => [line, counts.get(line) ?? 0]));
        }
    }

    /** Whether the file has the text. CLIs write with the line ends and the byte order mark that it had. */
    compare({ bytes, text }: FileContent): 'written' | 'formatted' | 'different' | 'unknown' {
        if (bytes && hashOfText(plain(text ?? bytes.toString('utf8'))) === this.plainHash) {
            return 'written';
        }
        if (bytes && text === undefined) {
            return 'unknown';
        }
        return text !== undefined && !this.isForm && hashOfText(formless(text)) === this.formlessHash ? 'formatted' : 'different';
    }

    /** Whether it has what the user typed. @param isTold a CLI was told it, and a formatter may have changed the rest of what it wrote */
    isTypedIn(content: FileContent, isTold: boolean): boolean {
        return ['written', 'formatted'].includes(this.compare(content)) || (isTold && this.areLinesIn(content.text));
    }

    /** The CLI has written its own text. */
    isProposal({ text }: FileContent): boolean {
        return text !== undefined && this.proposed === hashOf(Buffer.from(formless(text)));
    }

    protected areLinesIn(text: string | undefined): boolean {
        const { had } = this;
        if (text === undefined || !had) {
            return false;
        }
        const now = countLines(text);
        return (
            [...this.added].some(([line, count]) => (had.get(line) ?? 0) < count) &&
            [...this.added].every(([line, count]) => (now.get(line) ?? 0) >= count) &&
            [...this.taken].every(([line, count]) => (now.get(line) ?? 0) <= count)
        );
    }
}

/** The text without what formatters change: white space, quotes, commas and semicolons. */
function hashOfText(text: string): string {
    return hashOf(Buffer.from(text));
}

function formless(text: string): string {
    return text.replace(/[\s'"`,;]+/g, '');
}

function countLines(text: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of text.split(/[\r\n]+/).map(formless)) {
        if (line !== '') {
            counts.set(line, (counts.get(line) ?? 0) + 1);
        }
    }
    return counts;
}
