// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatService } from '@theia/ai-chat/lib/common';
import { ChatViewWidget } from '@theia/ai-chat-ui/lib/browser/chat-view-widget';
import { addEventListener, ApplicationShell, FrontendApplicationContribution, WidgetManager } from '@theia/core/lib/browser';
import { BadgeService } from '@theia/core/lib/browser/badges';
import { animationFrame } from '@theia/core/lib/browser/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { BackendConnection } from '../connection/backend-connection';
import { AskedCard, ChatView } from './conversation-page';

/** In milliseconds: a list that leaves its end so soon after a wheel, a key or a click was scrolled by the user. */
const GESTURE_MS = 1_000;

/** Frames in which an answer is painted after it is known. */
const PAINTED = 60;

/** Theia's input, whose mode only the user can select (1.74): both members are protected. */
interface ModeInput {
    readonly receivingAgent?: { readonly agentId: string };
    handleModeChange(modeId: string): Promise<void>;
}

@injectable()
export class QwenChatView implements FrontendApplicationContribution, ChatView {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(BadgeService)
    protected readonly badges: BadgeService;
    @inject(WidgetManager)
    protected readonly widgets: WidgetManager;

    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    /** Only while the daemon is enabled. */
    protected readonly toDisposeOnDisable = new DisposableCollection();

    onStart(): void {
        this.connection.onDidChangeStatus(() => {
            if (!this.connection.enabled) {
                this.toDisposeOnDisable.dispose();
            } else if (this.toDisposeOnDisable.disposed) {
                this.toDisposeOnDisable.push(
                    this.widgets.onDidCreateWidget(({ widget }) => widget instanceof ChatViewWidget && this.attach(widget))
                );
                if (this.widget) {
                    this.attach(this.widget);
                }
            }
        });
    }

    get widget(): ChatViewWidget | undefined {
        const widget = this.widgets.tryGetWidget(ChatViewWidget.ID);
        return widget instanceof ChatViewWidget ? widget : undefined;
    }

    beginChat(): void {
        this.chats.createSession(ChatAgentLocation.Panel, { focus: true }, this.chats.getActiveSession()?.pinnedAgent);
    }

    /** Theia stays where the user scrolled to, also if they send a message after that, and begins at the top where it opens a chat (1.74). */
    showEnd(chatSessionId: string): void {
        const { widget } = this;
        if (widget?.sessionId === chatSessionId && !widget.isLocked) {
            widget.setTemporaryLock(false);
            widget.treeWidget.update();
            void this.scrollToEnd(widget.treeWidget.node);
        }
    }

    /** Without something new, Theia scrolls only by its own button, which it shows a moment after the list left its end. */
    protected async scrollToEnd(list: HTMLElement): Promise<void> {
        await animationFrame();
        await animationFrame();
        list.querySelector<HTMLElement>('.theia-ChatTree-ScrollToBottom')?.click();
    }

    /** Theia's input does not hear of suggestions (1.74). */
    showSuggestions(chatSessionId: string): void {
        if (this.widget?.sessionId === chatSessionId) {
            this.widget.inputWidget.update();
        }
    }

    giveBack(chatSessionId: string, text: string): void {
        const model = this.widget?.sessionId === chatSessionId ? this.widget.inputWidget.editor?.document.textEditorModel : undefined;
        const typed = model?.getValue();
        if (typed !== text) {
            model?.setValue(typed ? `${text}\n${typed}` : text);
        }
    }

    showMode(chatSessionId: string, modeId: string): void {
        const input = this.widget?.sessionId === chatSessionId ? (this.widget.inputWidget as unknown as ModeInput) : undefined;
        if (input?.receivingAgent?.agentId === QWEN_AGENT_ID) {
            void input.handleModeChange(modeId);
        }
    }

    get isTyping(): boolean {
        const { node, editor } = this.widget?.inputWidget ?? {};
        return node?.contains(node.ownerDocument.activeElement) === true && (editor?.document.textEditorModel.getValueLength() ?? 0) > 0;
    }

    focusInput(chatSessionId: string): void {
        const { widget } = this;
        if (!widget?.isVisible || widget.sessionId !== chatSessionId) {
            return;
        }
        const { activeElement, body } = widget.node.ownerDocument;
        if (!activeElement || activeElement === body || widget.node.contains(activeElement)) {
            widget.inputWidget.activate();
        }
    }

    isInView(card: AskedCard): boolean {
        const { widget } = this;
        const last = widget?.isVisible && widget.sessionId === card.chatSessionId ? this.optionsOf(card, widget).at(-1) : undefined;
        if (!widget || !last || this.hiddenCommand(last)) {
            return false;
        }
        const view = widget.treeWidget.node.getBoundingClientRect();
        const { top, bottom, height } = last.getBoundingClientRect();
        return height > 0 && top >= view.top && Math.floor(bottom) <= view.bottom;
    }

    async showAsked(card: AskedCard): Promise<void> {
        const view = await this.widgets.getOrCreateWidget(ChatViewWidget.ID);
        if (!view.isAttached) {
            await this.shell.addWidget(view, { area: 'right' });
        }
        await this.shell.revealWidget(view.id);
        // Without the focus that Theia would give to the input, later.
        this.chats.setActiveSession(card.chatSessionId);
        this.showEnd(card.chatSessionId);
        for (let frame = 0; frame < PAINTED; frame++) {
            await animationFrame();
            const options = this.widget ? this.optionsOf(card, this.widget) : [];
            if (options.length > 0) {
                options.at(-1)?.scrollIntoView({ block: 'nearest' });
                // There the keys scroll to its end.
                (this.hiddenCommand(options[0]) ?? options[0]).focus({ preventScroll: true });
                return;
            }
        }
    }

    showWaiting(count: number): void {
        if (this.widget) {
            const tooltip = nls.localize('theia/qwen-daemon/waiting/short', 'Qwen waits for you');
            this.badges.showBadge(this.widget, count ? { value: count, tooltip } : undefined);
        }
    }

    protected optionsOf({ permission, isQuestion }: AskedCard, { treeWidget }: ChatViewWidget): HTMLElement[] {
        const options = isQuestion
            ? '.theia-QuestionPartRenderer-option:enabled'
            : `[data-permission="${CSS.escape(permission.id)}"] .qwen-daemon-permission-option`;
        return [...treeWidget.node.querySelectorAll<HTMLElement>(options)];
    }

    /** The box of the card's command, while the end of that is not in view. */
    protected hiddenCommand(option: HTMLElement): HTMLElement | undefined {
        const box = option.closest('[data-permission]')?.querySelector<HTMLElement>('.qwen-daemon-permission-command');
        return box && box.scrollHeight - box.clientHeight - box.scrollTop > 1 ? box : undefined;
    }

    protected attach(view: ChatViewWidget): void {
        const { node } = view.treeWidget;
        // For the style sheet.
        view.addClass('qwen-daemon-chat');
        this.toDisposeOnDisable.push(Disposable.create(() => view.removeClass('qwen-daemon-chat')));
        // Theia's tree takes Enter for itself (1.74): on a button or a line that unfolds, the browser would do nothing.
        const letThrough = (event: KeyboardEvent): void => {
            const target = event.target as Element;
            if (event.key === 'Enter' && target.closest('button, summary') && node.contains(target) && this.isForQwen(view)) {
                event.stopPropagation();
            }
        };
        this.toDisposeOnDisable.push(addEventListener(view.node, 'keydown', letThrough, true));
        // An answer that grows fast leaves the end of the list behind, which Theia takes for the user's scrolling (1.74).
        let touched = 0;
        for (const gesture of ['wheel', 'keydown', 'pointerdown', 'pointermove', 'touchmove'] as const) {
            const touch = (event: Event): void => {
                if (event.type !== 'pointermove' || (event as PointerEvent).buttons > 0) {
                    touched = Date.now();
                }
            };
            this.toDisposeOnDisable.push(addEventListener(node, gesture, touch));
        }
        this.toDisposeOnDisable.push(
            view.onStateChanged(({ temporaryLocked }) => {
                if (temporaryLocked && Date.now() - touched > GESTURE_MS && this.isForQwen(view)) {
                    setTimeout(() => this.showEnd(view.sessionId));
                }
            })
        );
    }

    protected isForQwen({ sessionId }: ChatViewWidget): boolean {
        return this.chats.getSession(sessionId)?.pinnedAgent?.id === QWEN_AGENT_ID;
    }
}
