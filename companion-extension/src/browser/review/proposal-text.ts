// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { CompanionLimits, ReviewContent, ReviewEdit, ReviewEditAnswer, ShownText, TextVersion } from '../../common/companion-protocol';
import { TextMirror } from './text-mirror';

/** A right side's text. */
export interface EditableText {
    text: string;
    /** The text is the user's, not the proposal byte for byte. */
    edited: boolean;
}

/** What is needed of the right side's model. */
export interface ProposalEditor {
    /** The user's text; `undefined` where the proposal is unchanged. */
    readonly editedText: string | undefined;
    readonly text: string;
    readonly length: number;
    /** The state that was read from the backend. */
    readonly base: TextVersion;
    /** Puts this text in the place of the one that is there. It does not count as typed. */
    show(text: EditableText, base: TextVersion): void;
}

export interface ProposalTextOptions {
    editor: ProposalEditor;
    /** This load of the page. */
    loadId: string;
    /** What the backend has; `undefined` where the review waits no more. */
    read(): Promise<ReviewContent | undefined>;
    send(edit: ReviewEdit): Promise<ReviewEditAnswer>;
    /** The backend does not take what was typed: somebody else edits the review, or it is not this page's any more. */
    refused(): void;
    /** {@link ProposalText.hasOther} changed. */
    diverged(): void;
    /** It was left, and the backend has all of it. */
    done(): void;
}

/**
 * The text of one review on this page, and its place beside what other pages make of it: this page may have slept while the user went on
 * editing on another device.
 */
export class ProposalText implements Disposable {
    protected readonly mirror: TextMirror;
    /** What the view showed when it was closed. */
    protected last: EditableText | undefined;
    /** What somebody made of the proposal elsewhere while the user typed here, or what was typed here while that is shown. */
    protected other: EditableText | undefined;
    protected comparing: Promise<void> = Promise.resolve();
    protected disposed = false;

    constructor(protected readonly options: ProposalTextOptions) {
        const { editor, send, refused, done } = options;
        this.mirror = new TextMirror({
            length: () => this.last?.text.length ?? editor.length,
            text: () => this.shown.text,
            send: (revision, text) => send({ revision, base: editor.base, ...(text === undefined ? {} : { text }) }),
            sent: () => this.last && done(),
            refused,
            limit: CompanionLimits.reviewText
        });
    }

    /** What the user sees, or saw when the view was closed. */
    get shown(): ShownText {
        const text = this.last ? (this.last.edited ? this.last.text : undefined) : this.options.editor.editedText;
        return text === undefined ? { unedited: true } : { text };
    }

    /** There is another version of the text, which {@link swap} shows. */
    get hasOther(): boolean {
        return this.other !== undefined;
    }

    /** The backend may not have what is shown. */
    get unsent(): boolean {
        return this.mirror.unsent;
    }

    /** No view shows it any more. */
    get left(): boolean {
        return this.last !== undefined;
    }

    /** The user changed the text. */
    changed(): void {
        this.mirror.changed();
    }

    flush(): void {
        this.mirror.flush();
    }

    /** The view is gone. What the backend does not have yet is still sent. */
    leave(): void {
        this.last = this.current;
        if (!this.unsent) {
            this.options.done();
        }
    }

    /** Goes on with a text whose view was closed before the backend had it. */
    resume(previous: ProposalText): void {
        const { editor, loadId } = this.options;
        const theirs = this.current;
        const mine = previous.last ?? theirs;
        if (mine.text !== theirs.text && editor.base.writer !== loadId && !isSame(editor.base, previous.options.editor.base)) {
            this.other = theirs;
        }
        editor.show(mine, editor.base);
        this.mirror.changed();
    }

    /**
     * The backend says whose text it has. Where that is another page's, it is shown here; unless something was typed here that the backend
     * has not taken: then what was typed stays, and the other text is kept beside it.
     */
    compare(version: TextVersion): Promise<void> {
        this.comparing = this.comparing.then(() => this.doCompare(version)).catch(() => undefined);
        return this.comparing;
    }

    /** Shows the other version, and keeps the one that was shown. */
    swap(): void {
        if (this.other) {
            const { current, other, options } = this;
            this.other = current;
            options.editor.show(other, options.editor.base);
            this.mirror.changed();
        }
    }

    dispose(): void {
        this.disposed = true;
        this.mirror.dispose();
    }

    protected get current(): EditableText {
        const { editedText, text } = this.options.editor;
        return { text: editedText ?? text, edited: editedText !== undefined };
    }

    protected async doCompare(version: TextVersion): Promise<void> {
        const { editor, loadId, read, diverged } = this.options;
        const known = isSame(version, editor.base) || version.writer === loadId || version.writer === '';
        if (known || this.last || this.disposed) {
            return;
        }
        const content = await read();
        if (!content || this.last || this.disposed) {
            return;
        }
        const theirs = { text: content.text, edited: content.edited };
        if (!this.unsent) {
            editor.show(theirs, content.review.version);
            return;
        }
        // From now on the backend takes what was typed here over the other text.
        editor.show(this.current, content.review.version);
        this.other = theirs;
        this.mirror.changed();
        diverged();
    }
}

function isSame(one: TextVersion, other: TextVersion): boolean {
    return one.writer === other.writer && one.revision === other.revision;
}
