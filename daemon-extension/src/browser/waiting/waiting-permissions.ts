// SPDX-License-Identifier: Apache-2.0

import { PendingToolConfirmationTracker } from '@theia/ai-chat/lib/browser/pending-tool-confirmation-tracker';
import { ToolCallChatResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';
import { PREFERENCE_NAME_DEFAULT_NOTIFICATION_TYPE } from '@theia/ai-core/lib/common/ai-core-preferences';
import { NOTIFICATION_TYPE_OFF } from '@theia/ai-core/lib/common/notification-types';
import { AISettingsService } from '@theia/ai-core/lib/common/settings-service';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { Progress } from '@theia/core/lib/common/message-service-protocol';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import type { WaitingAgent, WaitingAgentContribution } from 'theia-cli-companion/lib/browser';
import { visibleText } from 'theia-cli-companion/lib/common';
import { textAsMarkdown } from '../../common/plain-text';
import { cappedText, QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { ConversationPage } from '../chat/conversation-page';
import { Conversations } from '../chat/conversations';
import { PermissionView } from '../chat/permission-view';
import { AnswerGate } from './answer-gate';

const LOOK_AGAIN_MS = 100;
/** A card that is just asked comes into view by itself. */
const UNSEEN_MS = 1_000;
const TOLD_MS = 8_000;
/** Characters of what a message says; it answers nothing. */
const MAX_TOLD = 200;

/** Where it can be answered: at its card in the chat, and in the title of its diff. */
type Place = 'card' | 'diff';

interface Waiting {
    /** Among what Theia's keys of the chat approve and deny. */
    readonly entry: Disposable;
    /** Since when it is in view there, as `performance.now()` counts. */
    readonly seen: Partial<Record<Place, number>>;
    unseenSince: number;
    /** In milliseconds since the epoch. */
    readonly since: number;
    message?: Promise<Progress | undefined>;
}

/**
 * Sees to it that nobody overlooks that Qwen waits: by a number on the chat's icon, and by a message while the card is not in view, because
 * the chat is closed, shows another conversation or was scrolled up. To the companion it is an agent that waits. Keys, and buttons over a diff,
 * answer only what is in view; else they show it.
 */
@injectable()
export class WaitingPermissions implements FrontendApplicationContribution, WaitingAgentContribution {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(ConversationPage)
    protected readonly page: ConversationPage;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(PendingToolConfirmationTracker)
    protected readonly tracker: PendingToolConfirmationTracker;
    @inject(AnswerGate)
    protected readonly guard: AnswerGate;
    @inject(AISettingsService)
    protected readonly agentSettings: Pick<AISettingsService, 'getAgentSettings'>;
    @inject(PreferenceService)
    protected readonly preferences: Pick<PreferenceService, 'get'>;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    protected readonly entries = new Map<PermissionView, Waiting>();
    protected looking: ReturnType<typeof setInterval> | undefined;

    onStart(): void {
        this.conversations.onDidChange(() => this.update());
    }

    /** Allows once, or refuses, what has been in view for a while, whole. Else shows it. */
    async decide(allow: boolean, permission: PermissionView, place: Place): Promise<void> {
        this.look();
        const since = this.entries.get(permission)?.seen[place];
        if (permission.isQuestion || (allow && permission.permission.truncated) || since === undefined) {
            await this.show(permission);
        } else if (this.guard.takesAnswer(performance.now(), since)) {
            this.guard.restart();
            permission.decide(allow);
        }
    }

    async show(permission: PermissionView): Promise<void> {
        await this.page.view.showAsked(permission);
        this.guard.restart();
    }

    waitingAgents(): WaitingAgent[] {
        return [...this.entries].map(([permission, { since }]) => ({
            id: `chat ${permission.permission.id}`,
            status: {
                name: QWEN_AGENT_ID,
                state: 'blocked',
                kind: permission.isQuestion ? 'question' : 'permission',
                message: askedIn(permission) || undefined,
                since
            },
            widget: this.page.view.widget,
            reveal: () => this.show(permission)
        }));
    }

    protected update(): void {
        // Of a conversation something changes with every word of an answer.
        const { waiting } = this.conversations;
        if (waiting.length === this.entries.size && waiting.every(permission => this.entries.has(permission))) {
            return;
        }
        for (const [permission, entry] of this.entries) {
            if (!waiting.includes(permission)) {
                this.entries.delete(permission);
                entry.entry.dispose();
                this.takeBack(entry);
            }
        }
        waiting
            .filter(permission => !this.entries.has(permission))
            .forEach(permission =>
                this.entries.set(permission, { entry: this.track(permission), seen: {}, unseenSince: performance.now(), since: Date.now() })
            );
        this.onDidChangeEmitter.fire();
        this.page.view.showWaiting(waiting.length);
        if (this.entries.size > 0) {
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
            deny: () => void this.decide(false, permission, 'card')
        });
    }

    /** The key is easily pressed to send what is typed at the input, which may say no. */
    protected async allowUnlessTyping(permission: PermissionView): Promise<void> {
        if (!this.page.view.isTyping) {
            await this.decide(true, permission, 'card');
            return;
        }
        const text = nls.localize(
            'theia/qwen-daemon/waiting/typing',
            'Nothing was allowed: there is text at the input. Enter sends it, Ctrl+Shift+F8 goes to what Qwen asks.'
        );
        this.messages.info(textAsMarkdown(text), { timeout: TOLD_MS });
    }

    protected look(): void {
        const now = performance.now();
        for (const [permission, waiting] of this.entries) {
            const { seen } = waiting;
            seen.diff = this.page.diffs.isInView(permission.edit) ? (seen.diff ?? now) : undefined;
            seen.card = this.page.view.isInView(permission) ? (seen.card ?? now) : undefined;
            if (seen.card !== undefined) {
                waiting.unseenSince = now;
                this.takeBack(waiting);
            } else if (now - waiting.unseenSince >= UNSEEN_MS) {
                waiting.message ??= this.tell(permission);
            }
        }
    }

    /** Unless Theia does, which is the user's choice. It only shows: whoever answers looks at the card. */
    protected async tell(permission: PermissionView): Promise<Progress | undefined> {
        const settings = await this.agentSettings.getAgentSettings(QWEN_AGENT_ID);
        const usual = this.preferences.get(PREFERENCE_NAME_DEFAULT_NOTIFICATION_TYPE, NOTIFICATION_TYPE_OFF);
        if ((settings?.completionNotification ?? usual) !== NOTIFICATION_TYPE_OFF) {
            return undefined;
        }
        const asked = askedIn(permission);
        const show = nls.localize('theia/qwen-daemon/waiting/show', 'Show');
        // Of Theia's messages only one with progress can be taken back.
        const message = await this.messages.showProgress({
            text: asked
                ? textAsMarkdown(nls.localize('theia/qwen-daemon/waiting/withAsked', 'Qwen waits for you: {0}', asked))
                : nls.localize('theia/qwen-daemon/waiting/short', 'Qwen waits for you'),
            actions: [show, nls.localize('theia/qwen-daemon/waiting/later', 'Later')],
            options: { location: 'notification', cancelable: false }
        });
        void message.result.then(action => (action === show ? this.show(permission) : undefined));
        return message;
    }

    protected takeBack({ message }: Waiting): void {
        void message?.then(shown => shown?.cancel());
    }
}

/** What one line has room for; of a question or a plan nothing. */
function askedIn({ isQuestion, permission: { plan, command, title } }: PermissionView): string {
    return isQuestion || plan !== undefined ? '' : cappedText(visibleText(command?.line ?? title), MAX_TOLD);
}
