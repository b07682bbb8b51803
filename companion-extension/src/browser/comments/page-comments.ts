// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Comment, CommentDraft, CommentLimits, CommentsBackend } from '../../common/comments-protocol';
import { plainText } from '../../common/plain-text';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { PageReload } from '../window/page-reload';
import { TabMemory } from '../window/tab-memory';

const CALL_LIMIT_MS = 20_000;
/** A comment is saved when the user pauses for this long. */
const PAUSE_MS = 400;
/** How long a comment can be brought back after it was discarded, in milliseconds. */
const UNDO_TIME_MS = 15_000;

/** The comments of the workspace: those that the backend has, and over them what was typed here and is not confirmed. */
@injectable()
export class PageComments implements FrontendApplicationContribution {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(CommentsBackend)
    protected readonly backend: CommentsBackend;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ClosableMessages)
    protected readonly closable: Pick<ClosableMessages, 'show'>;
    @inject(PageReload)
    protected readonly reload: Pick<PageReload, 'isChosen'>;

    protected listed: readonly Comment[] = [];
    /** Also those without a text yet, which nobody stores. */
    protected readonly unconfirmed = new Map<string, CommentDraft>();
    protected readonly discarded = new Set<string>();
    protected readonly pauses = new Map<string, number>();
    protected version: number | undefined;
    protected isRestored = false;
    /** Why one is not on disk: the one that was said last. */
    protected notStored: { readonly id: string; readonly message: ClosableMessage } | undefined;
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidChangeEmitter);

    onStart(): void {
        const leaving = (event: Event): void => {
            const { typed } = this;
            typed.forEach(draft => this.save(draft));
            if (typed.length > 0 && !this.reload.isChosen) {
                // The browser asks whether to leave: a tab that closes takes its memory along.
                event.preventDefault();
            }
        };
        window.addEventListener('beforeunload', leaving);
        this.toDispose.pushAll([
            Disposable.create(() => window.removeEventListener('beforeunload', leaving)),
            this.connection.onDidHello(() => this.list()),
            // Another backend of the user may have written some.
            this.connection.onDidFocus(() => this.list()),
            this.connection.onDidChangeState(() => {
                if (this.connection.state?.comments !== this.version) {
                    void this.list();
                }
            })
        ]);
    }

    onStop(): void {
        this.pauses.forEach(timer => window.clearTimeout(timer));
        this.toDispose.dispose();
    }

    /** The order in which they are gone through. */
    get all(): readonly Comment[] {
        const listed = this.listed.map(comment => withDraft(comment, this.unconfirmed.get(comment.id)));
        const typed = [...this.unconfirmed.values()].filter(({ id }) => !listed.some(comment => comment.id === id));
        return [...listed, ...typed.map(draft => ({ ...draft, isSent: false, daysLeft: CommentLimits.days }))]
            .filter(({ id }) => !this.discarded.has(id))
            .sort((one, other) => (one.uri === other.uri ? one.first - other.first : one.uri < other.uri ? -1 : 1));
    }

    /** Those that wait to be sent. */
    get drafts(): readonly Comment[] {
        return this.all.filter(({ isSent, text }) => !isSent && text.trim() !== '');
    }

    get sent(): readonly Comment[] {
        return this.all.filter(({ isSent }) => isSent);
    }

    /** Takes what is typed, with each key: it is never lost. */
    write(draft: CommentDraft): void {
        this.unconfirmed.set(draft.id, draft);
        this.remember();
        window.clearTimeout(this.pauses.get(draft.id));
        if (draft.text.trim() !== '') {
            this.pauses.set(
                draft.id,
                window.setTimeout(() => this.save(draft), PAUSE_MS)
            );
        }
        this.onDidChangeEmitter.fire();
    }

    /** For a while it can be brought back. */
    discard(id: string): void {
        const comment = this.all.find(candidate => candidate.id === id);
        if (!comment) {
            return;
        }
        window.clearTimeout(this.pauses.get(id));
        this.connection.calls.drop(saving(id));
        this.unconfirmed.delete(id);
        this.discarded.add(id);
        this.remember();
        this.connection.calls.call(discarding(id), {
            make: () => this.backend.discardComment(id),
            reply: () => {
                this.listed = this.listed.filter(other => other.id !== id);
                this.discarded.delete(id);
            }
        });
        this.onDidChangeEmitter.fire();
        if (comment.text.trim() !== '' && !comment.isSent) {
            void this.offerUndo(comment);
        }
    }

    /** They are in the prompt of a CLI. What has got more words since stays a draft. Rejects if that cannot be stored. */
    async markSent(sent: readonly Comment[]): Promise<void> {
        const { all } = this;
        const isOther = ({ id, text }: Comment): boolean => all.some(comment => comment.id === id && comment.text !== text);
        const ids = sent.filter(comment => !isOther(comment)).map(({ id }) => id);
        await this.connection.ask(() => this.backend.markCommentsSent(ids), CALL_LIMIT_MS);
        await this.list();
    }

    /** @returns when all is on disk. Rejects if it cannot be stored */
    async confirm(): Promise<void> {
        for (const draft of this.typed) {
            const isMoved = this.isMoved(draft);
            await this.connection.ask(() => this.backend.saveComment(draft, isMoved), CALL_LIMIT_MS);
            this.handleSaved(draft);
        }
    }

    protected async offerUndo({ isSent, daysLeft, ...draft }: Comment): Promise<void> {
        const undo = nls.localize('theia/cli-companion/changes/undo', 'Undo');
        const text = nls.localize('theia/cli-companion/comments/discarded', 'The comment was discarded: {0}', draft.text);
        if ((await this.messages.info(plainText(text), { timeout: UNDO_TIME_MS }, undo)) === undo) {
            // Made again later, it would take away what is undone here.
            this.connection.calls.drop(discarding(draft.id));
            this.discarded.delete(draft.id);
            this.write(draft);
        }
    }

    protected save(draft: CommentDraft): void {
        let isTold = false;
        const isMoved = this.isMoved(draft);
        this.connection.calls.call(saving(draft.id), {
            make: () => this.backend.saveComment(draft, isMoved),
            reply: () => this.handleSaved(draft),
            failed: error => {
                if (error && this.connection.connected && !isTold) {
                    isTold = true;
                    const why = nls.localize(
                        'theia/cli-companion/comments/notStored',
                        'Your comment is not on disk. It stays in this tab, and is stored as soon as that works: {0}',
                        error.message
                    );
                    this.notStored?.message.dispose();
                    this.notStored = { id: draft.id, message: this.closable.show('warn', why) };
                }
            },
            length: draft.text.length
        });
    }

    protected handleSaved(draft: CommentDraft): void {
        if (this.notStored?.id === draft.id) {
            this.notStored.message.dispose();
        }
        const others = this.listed.filter(({ id }) => id !== draft.id);
        const before = this.listed.find(({ id }) => id === draft.id) ?? { ...draft, isSent: false, daysLeft: CommentLimits.days };
        this.listed = [...others, withDraft(before, draft)];
        if (this.unconfirmed.get(draft.id) === draft) {
            this.unconfirmed.delete(draft.id);
            this.remember();
        }
        this.onDidChangeEmitter.fire();
    }

    /** Never rejects: what is known counts until it is asked again. */
    protected async list(): Promise<void> {
        this.restore();
        const { state } = this.connection;
        this.version = state?.comments;
        const listed = await this.connection.ask(() => this.backend.listComments(), CALL_LIMIT_MS).catch(() => undefined);
        // Meanwhile there may be news: then a later call has them.
        if (listed && this.version === state?.comments && !this.toDispose.disposed) {
            const moved = this.typed.filter(draft => this.isMoved(draft));
            this.listed = listed;
            for (const draft of moved) {
                const { text } = listed.find(({ id }) => id === draft.id) ?? draft;
                if (text !== draft.text) {
                    // Words that were typed in another window.
                    this.write({ ...draft, text });
                }
            }
            this.onDidChangeEmitter.fire();
        }
    }

    /** What the load of the page before could not save. */
    protected restore(): void {
        if (this.isRestored || this.key === undefined) {
            return;
        }
        this.isRestored = true;
        try {
            (JSON.parse(TabMemory.read(this.key) ?? '[]') as CommentDraft[]).forEach(draft => this.write(draft));
        } catch {
            TabMemory.write(this.key, undefined);
        }
    }

    /** Of one installation: the same origin may serve somebody else's backend tomorrow. */
    protected get key(): string | undefined {
        const { state } = this.connection;
        return state && `companion.comments.${state.installation}`;
    }

    protected remember(): void {
        const { key, typed } = this;
        if (key !== undefined) {
            TabMemory.write(key, typed.length > 0 ? JSON.stringify(typed) : undefined);
        }
    }

    /** Its text is that of the backend. */
    protected isMoved({ id, text }: CommentDraft): boolean {
        return this.listed.some(comment => comment.id === id && comment.text === text);
    }

    /** What is not confirmed, and has a text. */
    protected get typed(): CommentDraft[] {
        return [...this.unconfirmed.values()].filter(({ text }) => text.trim() !== '');
    }
}

/** As the backend does it: with other words it is not sent. */
function withDraft(comment: Comment, draft: CommentDraft = comment): Comment {
    return { ...comment, ...draft, isSent: comment.isSent && draft.text === comment.text };
}

function saving(id: string): string {
    return `save comment ${id}`;
}

function discarding(id: string): string {
    return `discard comment ${id}`;
}
