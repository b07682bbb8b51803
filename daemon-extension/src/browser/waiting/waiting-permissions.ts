// SPDX-License-Identifier: Apache-2.0

import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { Progress } from '@theia/core/lib/common/message-service-protocol';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { LOOK_TIME, visibleText } from 'theia-cli-companion/lib/common';
import { textAsMarkdown } from '../../common/plain-text';
import { ChatView } from '../chat/conversation-page';
import { Conversations } from '../chat/conversations';
import { PermissionView } from '../chat/permission-view';

/** Set while Qwen waits for the user in any chat. */
export const QWEN_WAITS_KEY = 'qwenDaemonWaits';

/** In milliseconds. */
const LOOK_AGAIN = 1_000;
const TOLD_TIME = 8_000;

/**
 * Sees to it that nobody overlooks that Qwen waits: by a number on the chat's icon, and by a message while the card is not in view, because
 * the chat is closed, shows another conversation or was scrolled up. The status bar says it as well.
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

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    /** What waits, and since when: asked, or brought into view. */
    protected since = new Map<PermissionView, number>();
    protected key: ContextKey<boolean>;
    protected looking: ReturnType<typeof setInterval> | undefined;
    /** The message about each permission; `undefined` where the user put it off. */
    protected readonly told = new Map<PermissionView, Promise<Progress> | undefined>();

    onStart(): void {
        this.key = this.contextKeys.createKey(QWEN_WAITS_KEY, false);
        this.conversations.onDidChange(() => this.update());
    }

    /**
     * Allows once, or refuses, what waits. Where the user does not see what that is, it is shown first.
     * @param waiting by default what is in view, else what waits longest
     */
    async decide(allow: boolean, waiting = this.first): Promise<void> {
        if (!waiting) {
            return;
        }
        const isSeen = this.view.showsAsked(waiting.chatSessionId) || (this.told.get(waiting) && textOf(waiting) !== undefined);
        if (waiting.isQuestion || !isSeen) {
            await this.view.showAsked(waiting.chatSessionId);
            if (waiting.isOpen) {
                this.since.set(waiting, this.now());
            }
        } else if (this.now() - (this.since.get(waiting) ?? 0) >= LOOK_TIME) {
            waiting.decide(allow);
        }
    }

    /** For a key that is easily pressed to send what is typed at the input, which may say no. */
    async allowUnlessTyping(): Promise<void> {
        if (!this.view.isTyping) {
            await this.decide(true);
            return;
        }
        const text = nls.localize(
            'theia/qwen-daemon/waiting/typing',
            'Nothing was allowed: there is text at the input. Enter sends it, Ctrl+Shift+F9 allows what Qwen asks.'
        );
        this.messages.info(textAsMarkdown(text), { timeout: TOLD_TIME });
    }

    async show(): Promise<void> {
        const { first } = this;
        if (first) {
            await this.view.showAsked(first.chatSessionId);
        }
    }

    protected get first(): PermissionView | undefined {
        const { waiting } = this.conversations;
        return waiting.find(({ chatSessionId }) => this.view.showsAsked(chatSessionId)) ?? waiting[0];
    }

    get any(): boolean {
        return this.since.size > 0;
    }

    protected update(): void {
        // Of a conversation something changes with every word of an answer.
        const { waiting } = this.conversations;
        if (waiting.length === this.since.size && waiting.every(permission => this.since.has(permission))) {
            return;
        }
        this.since = new Map(waiting.map(permission => [permission, this.since.get(permission) ?? this.now()]));
        this.key.set(this.any);
        this.onDidChangeEmitter.fire();
        for (const permission of this.told.keys()) {
            if (!permission.isOpen) {
                this.takeBack(permission);
                this.told.delete(permission);
            }
        }
        this.view.showWaiting(waiting.length);
        if (waiting.length && this.looking === undefined) {
            this.looking = setInterval(() => this.look(), LOOK_AGAIN);
        } else if (!waiting.length) {
            clearInterval(this.looking);
            this.looking = undefined;
        }
    }

    protected look(): void {
        for (const permission of this.conversations.waiting) {
            if (this.view.showsAsked(permission.chatSessionId)) {
                this.takeBack(permission);
            } else if (!this.told.has(permission)) {
                this.tell(permission);
            }
        }
    }

    protected tell(permission: PermissionView): void {
        const [allow, reject, show, later] = [
            nls.localize('theia/qwen-daemon/waiting/allow', 'Allow'),
            nls.localize('theia/qwen-daemon/waiting/reject', 'Reject'),
            nls.localize('theia/qwen-daemon/waiting/show', 'Show'),
            nls.localize('theia/qwen-daemon/waiting/later', 'Later')
        ];
        const text = textOf(permission);
        // Of Theia's messages only one with progress can be taken back.
        const message = this.messages.showProgress({
            text: text ? textAsMarkdown(text) : nls.localize('theia/qwen-daemon/waiting/short', 'Qwen waits for you'),
            actions: text ? [allow, reject, show, later] : [show, later],
            options: { location: 'notification', cancelable: false }
        });
        this.told.set(permission, message);
        const since = this.now();
        void message.then(async ({ result }) => {
            const answer = await result;
            this.told.set(permission, undefined);
            if (answer === allow || answer === reject) {
                if (this.now() - since < LOOK_TIME) {
                    // It is told again.
                    this.told.delete(permission);
                    return;
                }
                permission.decide(answer === allow);
            } else if (answer === show) {
                await this.view.showAsked(permission.chatSessionId);
            }
        });
    }

    protected now(): number {
        return performance.now();
    }

    protected takeBack(permission: PermissionView): void {
        void this.told.get(permission)?.then(message => message.cancel());
    }
}

/** All that is asked, so that somebody can decide by it; `undefined` of what only its card shows. */
function textOf({ permission, isQuestion }: PermissionView): string | undefined {
    const { plan, command, title, description } = permission;
    if (isQuestion || plan !== undefined) {
        return undefined;
    }
    const asked = [command?.line ?? title, description === title ? '' : description].filter(part => part).join(' — ');
    return command
        ? nls.localize('theia/qwen-daemon/waiting/command', 'Qwen asks to run: {0}', visibleText(asked))
        : nls.localize('theia/qwen-daemon/waiting/permission', 'Qwen asks for permission: {0}', visibleText(asked));
}
