// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Draft, DraftRef, PROPOSAL, ReviewContent, ShownText } from '../../common/companion-protocol';
import { UnsentDraft } from './draft-journal';
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
    /** The draft that was read from the backend. */
    readonly draft: DraftRef;
    /** Replaces the text. This does not count as typing. */
    show(text: EditableText): void;
}

export interface ProposalTextOptions {
    reviewId: string;
    about: Draft['about'];
    /** An id for a draft that begins. */
    newId(): string;
    /** Reads what the backend has; `undefined` if the review no longer waits. */
    read(): Promise<ReviewContent | undefined>;
    /** Reads a draft that is not the newest; `undefined` if it is no longer kept. */
    readDraft(id: string): Promise<string | undefined>;
    /** @returns the drafts that the backend has then, the newest last */
    send(draft: Draft): Promise<readonly DraftRef[]>;
    /** The backend has all of it. */
    sent(): void;
    /** Another page's text is shown. */
    replaced(): void;
}

/**
 * The text of one proposal on this page, also while no editor shows it. What is typed becomes a draft of this page. Another one begins where
 * a text of another page came between: this page may have slept while the user went on editing on another device.
 */
export class ProposalText implements Disposable {
    protected readonly mirror: TextMirror;
    protected editor: ProposalEditor | undefined;
    /** What the editor showed when it was closed. */
    protected last: EditableText = { text: '', edited: false };
    /** What is shown. */
    protected draft: DraftRef = PROPOSAL;
    /** What each draft that was begun here continues, by its id; `undefined` for the proposal. */
    protected readonly own = new Map<string, DraftRef | undefined>();
    /** The drafts that the backend has, as it said last, the newest last. */
    protected told: readonly DraftRef[] = [];
    /** The newest that was considered: a user who chose another one keeps that. */
    protected considered: DraftRef = PROPOSAL;
    /** Another page's text is being read, to be shown. */
    protected isReading = false;

    constructor(protected readonly options: ProposalTextOptions) {
        this.mirror = new TextMirror({
            length: () => this.length,
            send: async () => {
                this.told = await options.send(this.ownDraft);
            },
            sent: () => {
                options.sent();
                void this.compare(this.told);
            }
        });
    }

    /** An editor shows the proposal. What was typed here and the backend may not have, or not have had yet when it was read, goes on in it. */
    attach(editor: ProposalEditor): void {
        const isOlder = editor.draft.id === PROPOSAL.id || (this.own.has(editor.draft.id) && editor.draft.revision < this.draft.revision);
        if (this.unsent || (this.own.has(this.draft.id) && isOlder)) {
            editor.show(this.last);
        } else {
            this.draft = editor.draft;
        }
        this.considered = editor.draft;
        this.editor = editor;
    }

    /** The editor is closed. What the backend does not have yet is still sent. */
    detach(): void {
        this.last = this.current;
        this.editor = undefined;
    }

    /** What was typed here, if the backend may not have it. */
    get unsentDraft(): UnsentDraft | undefined {
        return this.unsent ? { reviewId: this.options.reviewId, draft: this.ownDraft } : undefined;
    }

    /** What the user sees, or saw when the editor was closed. The text is there where the backend may not have it. */
    get seen(): ShownText {
        const { text, edited } = this.current;
        if (!edited) {
            return { draft: PROPOSAL };
        }
        return this.unsent && this.own.has(this.draft.id) ? { draft: this.draft, text } : { draft: this.draft };
    }

    /** The same with the text. */
    get seenText(): ShownText {
        return { ...this.seen, ...(this.edited && { text: this.current.text }) };
    }

    /** In characters. */
    get length(): number {
        return this.editor?.length ?? this.last.text.length;
    }

    get edited(): boolean {
        return (this.editor ?? this.last).edited;
    }

    /** The backend may not have what was typed here. */
    get unsent(): boolean {
        return this.mirror.unsent;
    }

    get isShown(): boolean {
        return this.editor !== undefined;
    }

    isOwn(draftId: string): boolean {
        return this.own.has(draftId);
    }

    /** The user changed the text. */
    changed(): void {
        if (!this.own.has(this.draft.id)) {
            const from = this.draft.id === PROPOSAL.id ? undefined : this.draft;
            this.draft = { id: this.options.newId(), revision: 0 };
            this.own.set(this.draft.id, from);
        }
        this.draft = { id: this.draft.id, revision: this.draft.revision + 1 };
        this.mirror.changed();
    }

    /** Sends at once what was typed since the last call. */
    sendChanges(): void {
        this.mirror.sendChanges();
    }

    /** Resolves when it has arrived, or may not have. */
    flush(): Promise<void> {
        return this.mirror.flush();
    }

    /**
     * The backend says which drafts there are. If the newest is another page's, this page shows it. What was typed here stays, as long as
     * nobody has continued it, and so does a draft that the user chose.
     *
     * @param drafts the newest last
     */
    async compare(drafts: readonly DraftRef[]): Promise<void> {
        this.told = drafts;
        let read: DraftRef | undefined;
        // While one text is read, the backend may say that there is another one.
        while (!this.isReading && this.isOutdated() && !(read && isSame(read, this.newest))) {
            this.isReading = true;
            const before = this.draft;
            read = this.newest;
            const content = await this.options.read().catch(() => undefined);
            this.isReading = false;
            if (!content) {
                return;
            }
            this.considered = read;
            // The user may have typed meanwhile.
            if (this.editor && isSame(before, this.draft) && !isSame(before, content.review.draft)) {
                this.editor.show(content);
                this.draft = content.review.draft;
                this.options.replaced();
            }
        }
    }

    /** Of the review's drafts one that is not shown, and not about to be. @param drafts the newest last */
    otherOf(drafts: readonly DraftRef[]): DraftRef | undefined {
        return this.isReading ? undefined : drafts.find(({ id }) => id !== this.draft.id && id !== PROPOSAL.id);
    }

    /** Shows another draft of the review. The one that was shown stays beside it. */
    async showDraft(draft: DraftRef): Promise<void> {
        await this.mirror.flush();
        const text = await this.options.readDraft(draft.id);
        // What was typed here must have arrived: what is shown is what is sent.
        if (typeof text === 'string' && this.editor && !this.unsent) {
            this.editor.show({ text, edited: true });
            this.draft = draft;
            this.considered = this.told.at(-1) ?? PROPOSAL;
        }
    }

    dispose(): void {
        this.mirror.dispose();
    }

    protected get ownDraft(): Draft {
        const { text, edited } = this.current;
        const from = this.own.get(this.draft.id);
        return { ...this.draft, ...(from && { from }), ...(edited && { text }), about: this.options.about };
    }

    protected get current(): EditableText {
        const { text, edited } = this.editor ?? this.last;
        return { text, edited };
    }

    protected get newest(): DraftRef {
        return this.told.at(-1) ?? PROPOSAL;
    }

    /** Whether another page's text is to be shown. */
    protected isOutdated(): boolean {
        const { draft, newest } = this;
        if (this.unsent || !this.editor || isSame(newest, draft)) {
            return false;
        }
        const isThere = this.told.some(({ id }) => id === draft.id);
        return this.own.has(draft.id) ? this.edited && !isThere : !isThere || !isSame(newest, this.considered);
    }
}

function isSame(one: DraftRef, other: DraftRef): boolean {
    return one.id === other.id && one.revision === other.revision;
}
