// SPDX-License-Identifier: Apache-2.0

import { PendingToolConfirmationTracker } from '@theia/ai-chat/lib/browser/pending-tool-confirmation-tracker';
import { ToolCallChatResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { Progress } from '@theia/core/lib/common/message-service-protocol';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { MIN_VISIBLE_MS, visibleText } from 'theia-cli-companion/lib/common';
import { textAsMarkdown } from '../../common/plain-text';
import { cappedText } from '../../common/qwen-daemon-protocol';
import { ChatView } from '../chat/conversation-page';
import { Conversations } from '../chat/conversations';
import { PermissionView } from '../chat/permission-view';

/** Set while Qwen waits for the user in any chat. */
export const QWEN_WAITS_KEY = 'qwenDaemonWaits';

const LOOK_AGAIN_MS = 250;
/** A card that is just asked comes into view by itself. */
const UNSEEN_MS = 1_000;
const TOLD_MS = 8_000;
/** Characters of what a message says; it answers nothing. */
const MAX_TOLD = 200;

/**
 * Sees to it that nobody overlooks that Qwen waits: by a number on the chat's icon, and by a message while the card is not in view, because
 * the chat is closed, shows another conversation or was scrolled up. The status bar says it as well. A key answers only what is seen.
 */
@injectable()
export class WaitingPermissions implements FrontendApplicationContribution {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(ChatView)
    protected readonly view: ChatView;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(PendingToolConfirmationTracker)
    protected readonly tracker: PendingToolConfirmationTracker;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    /** What waits, with its place among what Theia's keys of the chat approve and deny. */
    protected readonly waiting = new Map<PermissionView, Disposable>();
    /** Whether each is in view, and since when that is so. */
    protected readonly seen = new Map<PermissionView, { inView: boolean; since: number }>();
    protected readonly told = new Map<PermissionView, Promise<Progress>>();
    protected key: ContextKey<boolean>;
    protected looking: ReturnType<typeof setInterval> | undefined;

    onStart(): void {
        this.key = this.contextKeys.createKey(QWEN_WAITS_KEY, false);
        this.conversations.onDidChange(() => this.update());
    }

    /**
     * Allows once, or refuses, what waits, if the keyboard is in the chat and its card has been in view there for a while. Else shows it.
     * @param permission by default what is in view, else what waits longest
     */
    async decide(allow: boolean, permission = this.first): Promise<void> {
        if (!permission) {
            return;
        }
        this.look();
        const seen = this.seen.get(permission);
        if (permission.isQuestion || (allow && permission.permission.truncated) || !seen?.inView || !this.view.hasKeyboard) {
            await this.show(permission);
        } else if (this.now() - seen.since >= MIN_VISIBLE_MS) {
            permission.decide(allow);
        }
    }

    /** The user looks at its diff, and clicked in the title of that. */
    async decideAtDiff(allow: boolean, permission: PermissionView): Promise<void> {
        if (allow && permission.permission.truncated) {
            await this.show(permission);
        } else {
            permission.decide(allow);
        }
    }

    async show(permission = this.first): Promise<void> {
        if (permission) {
            await this.view.showAsked(permission);
            this.seen.set(permission, { inView: this.view.isInView(permission), since: this.now() });
        }
    }

    get any(): boolean {
        return this.waiting.size > 0;
    }

    protected get first(): PermissionView | undefined {
        const waiting = [...this.waiting.keys()];
        return waiting.find(permission => this.view.isInView(permission)) ?? waiting[0];
    }

    protected update(): void {
        // Of a conversation something changes with every word of an answer.
        const { waiting } = this.conversations;
        if (waiting.length === this.waiting.size && waiting.every(permission => this.waiting.has(permission))) {
            return;
        }
        for (const [permission, entry] of this.waiting) {
            if (!waiting.includes(permission)) {
                entry.dispose();
                this.takeBack(permission);
                [this.waiting, this.seen, this.told].forEach(known => known.delete(permission));
            }
        }
        waiting
            .filter(permission => !this.waiting.has(permission))
            .forEach(permission => this.waiting.set(permission, this.track(permission)));
        this.key.set(this.any);
        this.onDidChangeEmitter.fire();
        this.view.showWaiting(waiting.length);
        if (this.any) {
            this.looking ??= setInterval(() => this.look(), LOOK_AGAIN_MS);
        } else {
            clearInterval(this.looking);
            this.looking = undefined;
        }
    }

    /** Theia's own keys approve and deny it while the keyboard is in its chat. */
    protected track(permission: PermissionView): Disposable {
        return this.tracker.register({
            chatId: permission.chatSessionId,
            response: new ToolCallChatResponseContentImpl(permission.permission.toolId, permission.permission.title),
            allow: () => void this.allowUnlessTyping(permission),
            deny: () => void this.decide(false, permission)
        });
    }

    /** The key is easily pressed to send what is typed at the input, which may say no. */
    protected async allowUnlessTyping(permission: PermissionView): Promise<void> {
        if (!this.view.isTyping) {
            await this.decide(true, permission);
            return;
        }
        const text = nls.localize(
            'theia/qwen-daemon/waiting/typing',
            'Nothing was allowed: there is text at the input. Enter sends it, Ctrl+Shift+F9 allows what Qwen asks.'
        );
        this.messages.info(textAsMarkdown(text), { timeout: TOLD_MS });
    }

    protected look(): void {
        for (const permission of this.waiting.keys()) {
            const inView = this.view.isInView(permission);
            const seen = this.seen.get(permission);
            if (seen?.inView !== inView) {
                this.seen.set(permission, { inView, since: this.now() });
            } else if (!inView && this.now() - seen.since >= UNSEEN_MS) {
                this.tell(permission);
            }
            if (inView) {
                this.takeBack(permission);
            }
        }
    }

    /** Once. It only shows: whoever answers looks at the card. */
    protected tell(permission: PermissionView): void {
        if (this.told.has(permission)) {
            return;
        }
        const { plan, command, title } = permission.permission;
        const short = nls.localize('theia/qwen-daemon/waiting/short', 'Qwen waits for you');
        const asked = permission.isQuestion || plan !== undefined ? '' : cappedText(visibleText(command?.line ?? title), MAX_TOLD);
        const show = nls.localize('theia/qwen-daemon/waiting/show', 'Show');
        // Of Theia's messages only one with progress can be taken back.
        const message = this.messages.showProgress({
            text: asked ? textAsMarkdown(`${short}: ${asked}`) : short,
            actions: [show, nls.localize('theia/qwen-daemon/waiting/later', 'Later')],
            options: { location: 'notification', cancelable: false }
        });
        this.told.set(permission, message);
        void message.then(async ({ result }) => (await result) === show && this.show(permission));
    }

    protected now(): number {
        return performance.now();
    }

    protected takeBack(permission: PermissionView): void {
        void this.told.get(permission)?.then(message => message.cancel());
    }
}
