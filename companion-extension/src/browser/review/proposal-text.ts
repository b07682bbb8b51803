// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { CompanionLimits } from '../../common/companion-limits';
import { ReviewContent, ReviewEdit, ReviewEditAnswer, ShownText, TextVersion } from '../../common/companion-protocol';
import { TextMirror } from './text-mirror';

/** The text on the right side. */
export interface EditableText {
    text: string;
    /** The user changed it: it is not the proposal byte for byte. */
    edited: boolean;
}

/** The model of the right side, as far as it is needed here. */
export interface ProposalEditor {
    /** The user changed the proposal. */
    readonly edited: boolean;
    readonly text: string;
    readonly length: number;
    /** The version that was read from the backend. */
    readonly base: TextVersion;
    /** Replaces the text. This does not count as typing. */
    show(text: EditableText, base: TextVersion): void;
}

export interface ProposalTextOptions {
    editor: ProposalEditor;
    /** This load of the page. */
    loadId: string;
    /** Reads what the backend has; `undefined` if the review no longer waits. */
    read(): Promise<ReviewContent | undefined>;
    send(edit: ReviewEdit): Promise<ReviewEditAnswer>;
    /** The backend did not take the text: another page has edited it, or shows the review now. */
    refused(): void;
    /** {@link ProposalText.hasOther} changed. */
    diverged(): void;
    /** No editor shows it any more, and the backend has all of it. */
    done(): void;
}

/**
 * The text of one proposal on this page. It keeps in step with what other pages make of the proposal: this page may have slept while the
 * user went on editing on another device.
 */
export class ProposalText implements Disposable {
    protected readonly mirror: TextMirror;
    /** What the editor showed when it was closed. */
    protected last: EditableText | undefined;
    /** The version that is not shown: edited on another page while the user typed here, or typed here. */
    protected other: EditableText | undefined;
    /** The version that the backend took from here last. */
    protected sent: TextVersion | undefined;
    protected comparing: Promise<void> = Promise.resolve();
    protected changes = 0;
    protected disposed = false;

    constructor(protected readonly options: ProposalTextOptions) {
        const { editor, refused, done } = options;
        this.mirror = new TextMirror({
            length: () => this.length,
            text: () => this.shown.text,
            send: (revision, text) => this.send({ revision, base: editor.base, ...(text === undefined ? {} : { text }) }),
            sent: () => this.last && done(),
            refused,
            limit: CompanionLimits.reviewText
        });
    }

    /** What the user sees, or saw when the editor was closed. */
    get shown(): ShownText {
        return this.edited ? { text: (this.last ?? this.options.editor).text } : { unedited: true };
    }

    /** In characters. */
    get length(): number {
        return this.last?.text.length ?? this.options.editor.length;
    }

    /** The same for the backend, which has most texts already. */
    get answer(): ShownText {
        return this.edited && !this.unsent ? { version: this.sent ?? this.options.editor.base } : this.shown;
    }

    /** As {@link answer}, for a call that the backend takes after all calls before it: the text may be still on its way. */
    get orderedAnswer(): ShownText {
        const revision = this.mirror.underWay;
        return this.edited && revision !== undefined ? { version: { writer: this.options.loadId, revision } } : this.answer;
    }

    /** The user changed the proposal. */
    get edited(): boolean {
        return (this.last ?? this.options.editor).edited;
    }

    /** There is another version of the text, which {@link swap} shows. */
    get hasOther(): boolean {
        return this.other !== undefined;
    }

    /** The backend may not have what is shown. */
    get unsent(): boolean {
        return this.mirror.unsent;
    }

    /** No editor shows it any more. */
    get left(): boolean {
        return this.last !== undefined;
    }

    /** How often the user changed the text. */
    get changeCount(): number {
        return this.changes;
    }

    /** The user changed the text. */
    changed(): void {
        this.changes++;
        this.mirror.changed();
    }

    /** An answer had the text, with so many changes. What was typed since is still to be sent: the backend keeps it. */
    answered(changeCount: number): void {
        if (changeCount === this.changes) {
            this.mirror.answered();
        }
    }

    /** Sends at once what was typed since the last call. */
    sendChanges(): void {
        this.mirror.sendChanges();
    }

    flush(): void {
        this.mirror.flush();
    }

    /** The editor is gone. What the backend does not have yet is still sent. */
    leave(): void {
        if (!this.disposed) {
            this.last = this.current;
            if (!this.unsent) {
                this.options.done();
            }
        }
    }

    /**
     * Goes on with a text whose editor was closed, where this editor shows an older one: the backend does not have the newest one yet, or it
     * took it after it was asked for the text of this editor.
     */
    resume(previous: ProposalText): void {
        const { editor, loadId } = this.options;
        if (!previous.unsent) {
            const isOlder = editor.base.writer === loadId || editor.base.writer === '';
            if (previous.last && previous.sent && isOlder) {
                editor.show(previous.last, previous.sent);
            }
            return;
        }
        const theirs = this.current;
        const mine = previous.last ?? theirs;
        if (mine.text !== theirs.text && editor.base.writer !== loadId && !isSame(editor.base, previous.options.editor.base)) {
            this.other = theirs;
        }
        editor.show(mine, editor.base);
        this.mirror.changed();
    }

    /**
     * The backend says which version it has. If another page wrote it, this page shows it. But if something was typed here that the backend
     * has not taken, the typed text stays, and the other one is kept beside it.
     */
    compare(version: TextVersion): Promise<void> {
        this.comparing = this.comparing.then(() => this.doCompare(version)).catch(() => undefined);
        return this.comparing;
    }

    /** Shows the other version, and keeps this one beside it. */
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

    protected async send(edit: ReviewEdit): Promise<ReviewEditAnswer> {
        const answer = await this.options.send(edit);
        if (answer.result === 'done') {
            this.sent = { writer: this.options.loadId, revision: edit.revision };
        }
        return answer;
    }

    protected get current(): EditableText {
        const { text, edited } = this.options.editor;
        return { text, edited };
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
            this.sent = undefined;
            editor.show(theirs, content.review.version);
            return;
        }
        // From now on the backend lets the text typed here replace the other one.
        editor.show(this.current, content.review.version);
        this.other = theirs;
        this.mirror.changed();
        diverged();
    }
}

function isSame(one: TextVersion, other: TextVersion): boolean {
    return one.writer === other.writer && one.revision === other.revision;
}
