// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';

export interface NoticeHost {
    /** The editor's element; the notices lie above its first line. */
    node: HTMLElement;
    /** Leaves so many pixels free above the first line, so that a notice covers no text there. */
    reserve(height: number): void;
    /** Tells users of screen readers. */
    announce(text: string): void;
}

/** @property actions what the user can do about it, as buttons */
export interface ReviewNotice {
    text: string;
    actions?: ReadonlyArray<{ label: string; run(): void }>;
}

/**
 * Plain sentences over the top of a diff that the user has to know before deciding. They stay in sight while the text scrolls: Monaco's
 * view zones do not, vanish with the model of a hidden editor, and are hidden from screen readers.
 */
export class ReviewNotices implements Disposable {
    protected readonly list: HTMLUListElement;
    protected readonly observer: ResizeObserver;
    protected shown: readonly ReviewNotice[] = [];

    constructor(protected readonly host: NoticeHost) {
        this.list = host.node.ownerDocument.createElement('ul');
        this.list.className = 'companion-review-notices';
        // Announced by the host: a live region that comes into the page together with its first text is passed over by screen readers.
        this.list.setAttribute('role', 'list');
        this.observer = new ResizeObserver(() => this.host.reserve(this.list.offsetHeight));
    }

    /** Shows these notices instead of those before. They are text, never markup. */
    set(notices: readonly ReviewNotice[]): void {
        const before = this.shown.map(({ text }) => text);
        const texts = notices.map(({ text }) => text);
        if (texts.length === before.length && texts.every((text, index) => text === before[index])) {
            return;
        }
        this.shown = [...notices];
        const added = texts.filter(text => !before.includes(text));
        if (added.length > 0) {
            this.host.announce(added.join(' '));
        }
        if (!this.list.isConnected && texts.length > 0) {
            this.host.node.appendChild(this.list);
            this.observer.observe(this.list);
        }
        this.list.replaceChildren(...notices.map(notice => this.createItem(notice)));
        this.list.hidden = texts.length === 0;
    }

    dispose(): void {
        this.observer.disconnect();
        this.list.remove();
    }

    protected createItem({ text, actions = [] }: ReviewNotice): HTMLLIElement {
        const { ownerDocument } = this.list;
        const item = ownerDocument.createElement('li');
        item.className = 'companion-review-notice';
        item.textContent = text;
        for (const action of actions) {
            const button = ownerDocument.createElement('button');
            button.className = 'theia-button secondary companion-review-notice-action';
            button.textContent = action.label;
            button.addEventListener('click', () => action.run());
            item.appendChild(button);
        }
        return item;
    }
}
