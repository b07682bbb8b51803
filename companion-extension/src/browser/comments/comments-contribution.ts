// SPDX-License-Identifier: Apache-2.0

import {
    ApplicationShell,
    DiffUris,
    FrontendApplicationContribution,
    KeybindingContribution,
    KeybindingRegistry
} from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EDITOR_CONTEXT_MENU } from '@theia/editor/lib/browser/editor-menu';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import * as monaco from '@theia/monaco-editor-core';
import { Comment, CommentAnchor } from '../../common/comments-protocol';
import { plainText } from '../../common/plain-text';
import { BarButton } from '../diff/diff-bar';
import { DiffContribution } from '../diff/diff-contribution';
import { REVIEW_ACTIVE_KEY } from '../review/review-focus';
import { PROPOSED_SCHEME } from '../review/review-uris';
import { WaitingReviews } from '../review/waiting-reviews';
import { ALT_GRAPH_KEY } from '../window/held-keys';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { WorkspacePaths } from '../window/workspace-paths';
import { CommentSender } from './comment-sender';
import { COMMENT_COMMANDS } from './comments-command-ids';
import { EditorComments } from './editor-comments';
import { PageComments } from './page-comments';

/** True while comments wait to be sent. */
const COMMENTS_KEY = 'companionComments';

/** Shows comments in every editor of their files, and goes from one to the next. */
@injectable()
export class CommentsContribution
    implements FrontendApplicationContribution, CommandContribution, KeybindingContribution, MenuContribution, DiffContribution
{
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(PageComments)
    protected readonly comments: PageComments;
    @inject(CommentSender)
    protected readonly sender: CommentSender;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(WaitingReviews)
    protected readonly waiting: Pick<WaitingReviews, 'answer' | 'any' | 'meant'>;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    protected readonly shown = new Map<EditorWidget, EditorComments>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        const waiting = this.contextKeys.createKey<boolean>(COMMENTS_KEY, false);
        this.toDispose.pushAll([
            this.comments.onDidChange(() => waiting.set(this.comments.drafts.length > 0)),
            this.editors.onCreated(widget => this.attach(widget))
        ]);
        this.editors.all.forEach(widget => this.attach(widget));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        const isAny = (): boolean => this.comments.drafts.length > 0;
        commands.registerCommand(SHARED_COMMANDS.ADD_COMMENT, {
            isEnabled: () => this.current !== undefined,
            isVisible: () => this.current !== undefined,
            execute: () => this.current?.add()
        });
        commands.registerCommand(COMMENT_COMMANDS.NEXT_COMMENT, { isEnabled: isAny, execute: () => this.go(1) });
        commands.registerCommand(COMMENT_COMMANDS.PREVIOUS_COMMENT, { isEnabled: isAny, execute: () => this.go(-1) });
        commands.registerCommand(COMMENT_COMMANDS.SEND_COMMENTS, {
            isEnabled: () => isAny() || this.comments.sent.length > 0,
            execute: () => this.send()
        });
        commands.registerCommand(COMMENT_COMMANDS.DISCARD_COMMENT, {
            isEnabled: (comment?: Comment) => (comment?.id ?? this.current?.current) !== undefined,
            execute: (comment?: Comment) => this.comments.discard(comment?.id ?? this.current?.current ?? '')
        });
        commands.registerCommand(COMMENT_COMMANDS.REJECT_COMMENTED, {
            isEnabled: () => isAny() && this.waiting.any,
            execute: (widget?: unknown) => this.reject(widget)
        });
        commands.registerCommand(COMMENT_COMMANDS.OPEN_COMMENT, { execute: (comment: Comment) => this.open(comment) });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        // Known from VS Code.
        const commentable = `editorTextFocus && !${ALT_GRAPH_KEY}`;
        keybindings.registerKeybindings(
            { command: SHARED_COMMANDS.ADD_COMMENT.id, keybinding: 'ctrlcmd+k ctrlcmd+alt+c', when: commentable },
            { command: COMMENT_COMMANDS.NEXT_COMMENT.id, keybinding: 'alt+f9', when: COMMENTS_KEY },
            { command: COMMENT_COMMANDS.PREVIOUS_COMMENT.id, keybinding: 'shift+alt+f9', when: COMMENTS_KEY }
        );
    }

    registerMenus(menus: MenuModelRegistry): void {
        menus.registerMenuAction([...EDITOR_CONTEXT_MENU, '0_companion'], { commandId: SHARED_COMMANDS.ADD_COMMENT.id, order: '3' });
        const { id } = COMMENT_COMMANDS.REJECT_COMMENTED;
        menus.registerMenuAction([...EDITOR_CONTEXT_MENU, '0_companion'], {
            commandId: id,
            order: '1b',
            when: `${REVIEW_ACTIVE_KEY} && ${COMMENTS_KEY}`
        });
    }

    get onDidChange(): PageComments['onDidChange'] {
        return this.comments.onDidChange;
    }

    /** A proposal can be rejected with what is wrong with it. */
    buttons(diff: EditorWidget): readonly BarButton[] {
        const isProposal = DiffUris.decode(diff.editor.uri)[1].scheme === PROPOSED_SCHEME;
        const explanation = nls.localize(
            'theia/cli-companion/comments/rejectHow',
            'Rejects the proposal and adds your comments to its CLI’s prompt'
        );
        const word = nls.localize('theia/cli-companion/comments/reject', 'Reject with Comments');
        return isProposal && this.comments.drafts.length > 0 ? [{ command: COMMENT_COMMANDS.REJECT_COMMENTED.id, word, explanation }] : [];
    }

    stops(diff: EditorWidget): readonly number[] {
        return this.shown.get(diff)?.lines ?? [];
    }

    /** The editor with the keyboard, or the one that had it last. */
    protected get current(): EditorComments | undefined {
        const { activeWidget } = this.shell;
        const widget = activeWidget instanceof EditorWidget ? activeWidget : this.editors.currentEditor;
        return widget && this.shown.get(widget);
    }

    protected attach(widget: EditorWidget): void {
        const editor = codeEditorOf(widget);
        const file = fileOf(widget);
        if (editor && file && !this.shown.has(widget)) {
            const comments = new EditorComments(editor, file, this.comments, () => void this.send());
            this.shown.set(widget, comments);
            widget.disposed.connect(() => {
                this.shown.delete(widget);
                comments.dispose();
            });
        }
    }

    protected send(): Promise<void> {
        return this.sender.send(comment => this.find(comment));
    }

    /** Rejects the proposal that is meant, and sends the comments to its CLI. @param widget the diff whose button was clicked */
    protected async reject(widget: unknown): Promise<void> {
        const review = await this.waiting.meant(widget);
        if (review) {
            await this.sender.rejectWith(
                review,
                () => this.waiting.answer(review, 'reject'),
                comment => this.find(comment)
            );
        }
    }

    /** The lines of a comment in the open editors. @returns `undefined` if no editor has them */
    protected find({ id }: Comment): CommentAnchor | undefined {
        return [...this.shown.values()].map(editor => editor.find(id)).find(anchor => anchor !== undefined);
    }

    protected async go(step: 1 | -1): Promise<void> {
        const { drafts } = this.comments;
        const { current } = this;
        const at = drafts.findIndex(({ id }) => id === current?.current);
        const line = current?.editor.getPosition()?.lineNumber ?? 0;
        const isBehind = ({ uri, first }: Comment): boolean => uri > `${current?.file}` || (uri === `${current?.file}` && first > line);
        const behind = drafts.findIndex(isBehind);
        const end = behind < 0 ? drafts.length : behind;
        const target = at >= 0 ? at + step : step === 1 ? end : end - 1;
        const next = drafts[(target + drafts.length) % drafts.length];
        if (next) {
            await this.open(next);
        }
    }

    /** In the editor that has its lines, the one with the keyboard first; else in that of the file. */
    protected async open(comment: Comment): Promise<void> {
        const inOrder = [...this.shown].sort(([, one], [, other]) => Number(other === this.current) - Number(one === this.current));
        const [widget] = inOrder.find(([, editor]) => editor.find(comment.id)) ?? [];
        try {
            if (widget) {
                await this.shell.activateWidget(widget.id);
            }
            const opened = widget ?? (await this.editors.open(new URI(comment.uri), { mode: 'activate' }));
            if (comment.isSent || !this.shown.get(opened)?.focus(comment.id)) {
                opened.editor.revealPosition({ line: comment.first - 1, character: 0 });
            }
        } catch {
            const path = this.paths.display(new URI(comment.uri).path.fsPath());
            const gone = nls.localize(
                'theia/cli-companion/comments/noFile',
                '{0} cannot be opened. The comment on it can still be sent.',
                path
            );
            this.messages.info(plainText(gone));
        }
    }
}

/** Of a diff, the right side. */
function codeEditorOf({ editor }: EditorWidget): monaco.editor.ICodeEditor | undefined {
    if (editor instanceof MonacoDiffEditor) {
        return editor.diffEditor.getModifiedEditor();
    }
    return editor instanceof MonacoEditor ? editor.getControl() : undefined;
}

/** The file, also of a text of ours that is proposed for it. The side of a deleted file has none. */
function fileOf({ editor: { uri } }: EditorWidget): URI | undefined {
    const shown = DiffUris.isDiffUri(uri) ? DiffUris.decode(uri)[1] : uri;
    const isFile = shown.scheme === 'file' || (shown.scheme.startsWith('companion-') && shown.query === '');
    return isFile ? shown.withScheme('file').withAuthority('') : undefined;
}
