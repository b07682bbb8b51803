// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { WindowTitleService } from '@theia/core/lib/browser/window/window-title-service';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status as announce } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { CompanionConfiguration } from '../../common/companion-preferences';
import { spokenLabel } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { companionName } from '../companion-name';
import { PageReviews } from '../review/page-reviews';
import { PagePolicy } from '../window/page-policy';
import { TabMemory } from '../window/tab-memory';
import { describeAgent } from './agent-words';
import { PageAgents } from './page-agents';
import { WaitingAgent } from './waiting-agent-contribution';

/** Of each terminal the browser shows the newest one. */
const TAG = 'companion-agent';
const TOLD = 'companion.agentsTold';
/** More than the terminals that a page may have. */
const MOST_TOLD = 1000;
const NOTIFICATIONS = 'companion.notifications';
type Notifications = CompanionConfiguration[typeof NOTIFICATIONS];

/** Not in the types of the DOM. Without it, a notification in the place of another one is silent. */
interface RenotifyOptions extends NotificationOptions {
    readonly renotify: true;
}

/** Tells once what waits or has finished: the title of the page, a screen reader, and a notification of the browser while the page is not in use. */
@injectable()
export class AgentNews implements FrontendApplicationContribution {
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(PagePolicy)
    protected readonly policy: PagePolicy;
    @inject(WindowTitleService)
    protected readonly titles: WindowTitleService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    /** What was told. After a reload it is no news, however late its terminal is restored. */
    protected told = TabMemory.readIds(TOLD);
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.agents.onDidChange(() => this.update()),
            this.reviews.onDidChange(() => this.showCount()),
            this.titles.onDidChangeTitle(() => this.showCount()),
            this.preferences.onPreferenceChanged(({ preferenceName }) => {
                if (preferenceName === NOTIFICATIONS) {
                    void this.askForPermission();
                }
            }),
            this.policy.onDidChange(() => void this.askForPermission())
        ]);
        void this.preferences.ready.then(() => this.askForPermission());
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected update(): void {
        this.showCount();
        const done = this.agents.all.filter(({ status }) => status.state === 'done');
        const news: Array<Omit<WaitingAgent, 'widget'>> = [
            ...this.agents.waiting,
            ...done.map(({ status }) => ({ id: String(status.shell), status, reveal: () => this.agents.reveal(status) }))
        ];
        const fresh = news.filter(agent => !this.told.includes(keyOf(agent)));
        if (fresh.length === 0) {
            return;
        }
        this.told = [...this.told, ...fresh.map(keyOf)].slice(-MOST_TOLD);
        TabMemory.write(TOLD, JSON.stringify(this.told));
        // Of a proposal, its own message tells.
        const words = fresh.filter(({ status }) => status.reviewId === undefined).map(({ status }) => visibleText(describeAgent(status)));
        if (words.length > 0) {
            // All at once: Monaco (1.108) replaces what it has said in the same moment.
            announce(spokenLabel(words));
        }
        fresh.forEach(agent => this.notify(agent));
    }

    /** Proposals and programs that wait; a program with its proposal is one. */
    protected showCount(): void {
        const reviews = this.reviews.waiting;
        const others = this.agents.waiting.filter(({ status }) => !reviews.some(({ id }) => id === status.reviewId));
        const count = reviews.length + others.length;
        const title = document.title.replace(/^\(\d+\) /, '');
        document.title = count > 0 ? `(${count}) ${title}` : title;
    }

    protected notify({ id, status, reveal }: Omit<WaitingAgent, 'widget'>): void {
        const { wanted } = this;
        const isWanted = status.state === 'blocked' ? wanted !== 'off' : wanted === 'waitingOrDone';
        if (isWanted && !document.hasFocus() && this.permission === 'granted') {
            const options: RenotifyOptions = { body: visibleText(describeAgent(status)), tag: `${TAG} ${id}`, renotify: true };
            try {
                const notification = new Notification(companionName(), options);
                notification.onclick = () => {
                    notification.close();
                    window.focus();
                    void reveal();
                };
            } catch {
                // Chrome on Android has the class, and throws.
            }
        }
    }

    /** Browsers ask only after a click. */
    protected async askForPermission(): Promise<void> {
        if (this.wanted === 'off' || this.permission !== 'default') {
            return;
        }
        const allow = nls.localize('theia/cli-companion/agents/allow', 'Ask the Browser');
        const text = nls.localize('theia/cli-companion/agents/mayNotify', 'The browser has to allow this page to notify you.');
        if ((await this.messages.info(text, allow)) === allow) {
            await Notification.requestPermission();
        }
    }

    /** The user's own: a cloned repository has none to set. */
    protected get wanted(): Notifications {
        const { globalValue, defaultValue } = this.policy.inspect<Notifications>(NOTIFICATIONS) ?? {};
        return globalValue ?? defaultValue ?? 'off';
    }

    /** Some embedded pages have no notifications. */
    protected get permission(): NotificationPermission {
        return typeof Notification === 'undefined' ? 'denied' : Notification.permission;
    }
}

function keyOf({ id, status: { state, since, reviewId = '' } }: Omit<WaitingAgent, 'widget'>): string {
    return [id, state, since, reviewId].join();
}
