// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { SHARED_COMMANDS } from '../window/shared-command-ids';

/** The bar above a proposal or a change: which file, whose, and the answers. In the order in which it is read and tabbed through. */
export class DiffBar {
    readonly node: HTMLElement;
    protected readonly folder: HTMLElement;
    protected readonly name: HTMLElement;
    protected readonly leadsTo: HTMLElement;
    protected readonly newFile: HTMLElement;
    protected readonly cli: HTMLElement;
    protected readonly place: HTMLElement;
    protected readonly changes: HTMLElement;
    protected readonly wrap: HTMLButtonElement;
    protected readonly answers: HTMLElement;
    protected buttons: readonly BarButton[] = [];

    constructor(
        protected readonly document: Document,
        protected readonly host: BarHost
    ) {
        this.node = this.element('div', 'companion-review-bar');
        this.node.setAttribute('role', 'group');
        const file = this.element('span', 'companion-review-file');
        this.folder = this.element('span', 'companion-review-folder');
        this.name = this.element('span', 'companion-review-name');
        this.leadsTo = this.element('span', 'companion-review-folder');
        file.append(this.folder, this.name, this.leadsTo);
        this.newFile = this.element('span', 'companion-review-new');
        this.cli = this.element('span', 'companion-review-cli');
        this.place = this.element('span', 'companion-review-place');
        this.changes = this.element('span', 'companion-review-changes');
        const { id, label = '', iconClass = '' } = SHARED_COMMANDS.TOGGLE_WRAP;
        this.wrap = this.element('button', `companion-review-wrap ${iconClass}`);
        this.wrap.id = id;
        this.wrap.title = label;
        this.wrap.setAttribute('aria-label', label);
        this.keepKeyboard(this.wrap);
        this.wrap.addEventListener('click', () => this.host.toggleWrap());
        this.answers = this.element('span', 'companion-review-answers');
        this.node.append(file, this.newFile, this.cli, this.changes, this.place, this.wrap, this.answers);
    }

    set({ label, path, leadsTo, isNewFile, cliName, place = '', answers }: BarContent): void {
        const end = path.lastIndexOf('/') + 1;
        this.node.setAttribute('aria-label', label);
        const target = leadsTo === undefined ? '' : ` → ${leadsTo}`;
        this.node.title = path + target;
        setText(this.folder, path.substring(0, end));
        setText(this.name, path.substring(end));
        setText(this.leadsTo, target);
        setText(this.newFile, isNewFile ? nls.localize('theia/cli-companion/review/newFile', 'new file') : '');
        setText(this.cli, cliName);
        setText(this.place, place);
        const isSame = answers.map(({ command }) => command).join() === this.buttons.map(({ command }) => command).join();
        this.buttons = answers;
        if (!isSame) {
            this.answers.replaceChildren(...answers.map((_, index) => this.button(index)));
        }
        answers.forEach((answer, index) => this.describe(this.answers.children[index], answer, path));
    }

    setChanges(text: string): void {
        setText(this.changes, text);
    }

    /** Under the answers, until its animation ends. */
    say(text: string): void {
        this.node.querySelector('.companion-review-said')?.remove();
        const said = this.element('span', 'companion-review-said');
        said.textContent = text;
        said.addEventListener('animationend', () => said.remove());
        this.node.append(said);
        status(text);
    }

    setWrapped(isWrapped: boolean): void {
        this.wrap.setAttribute('aria-pressed', String(isWrapped));
    }

    /** The keyboard stays where it is. */
    protected keepKeyboard(button: HTMLButtonElement): void {
        button.addEventListener('mousedown', event => event.preventDefault());
    }

    protected describe(button: Element, { command, word, explanation, refusal }: BarButton, path: string): void {
        const [label, key] = button.children;
        const keys = this.host.keysOf(command);
        setText(label, word);
        setText(key, keys[0] ?? '');
        button.setAttribute('aria-label', `${word} ${path}`);
        button.setAttribute('title', refusal ?? (keys.length > 0 ? `${explanation} (${keys.join(', ')})` : explanation));
        // Not `disabled`: the keyboard would skip it, and the reason with it.
        button.setAttribute('aria-disabled', String(refusal !== undefined));
    }

    /** Its id is that of the command: embedders and drivers click on it. */
    protected button(index: number): HTMLButtonElement {
        const { command, isMain } = this.buttons[index];
        const button = this.element('button', `companion-review-answer ${isMain ? 'theia-button main' : 'companion-review-reject'}`);
        button.id = command;
        const key = this.element('kbd', 'companion-review-key');
        key.setAttribute('aria-hidden', 'true');
        button.append(this.element('span', ''), key);
        this.keepKeyboard(button);
        button.addEventListener('click', () => {
            const { refusal } = this.buttons[index];
            if (refusal !== undefined) {
                status(refusal);
            } else {
                this.host.run(command);
            }
        });
        return button;
    }

    protected element<K extends keyof HTMLElementTagNameMap>(tag: K, className: string): HTMLElementTagNameMap[K] {
        const element = this.document.createElement(tag);
        element.className = className;
        return element;
    }
}

/** What the bar asks of its diff. */
export interface BarHost {
    toggleWrap(): void;
    keysOf(commandId: string): readonly string[];
    run(commandId: string): void;
}

/** The content of the bar. */
export interface BarContent {
    /** For screen readers: what the bar is about. */
    readonly label: string;
    /** In the user's words. */
    readonly path: string;
    /** Where the file is really, if a link leads there. */
    readonly leadsTo?: string;
    readonly isNewFile: boolean;
    /** Empty if nobody's name is known. */
    readonly cliName: string;
    /** Its place among those that wait, in words; absent if it is alone. */
    readonly place?: string;
    readonly answers: readonly BarButton[];
}

export interface BarButton {
    /** The id of the command that it runs. */
    readonly command: string;
    /** In one or two words. */
    readonly word: string;
    readonly isMain?: boolean;
    /** The hover text: the effect of the button. */
    readonly explanation: string;
    /** Why it would do nothing. It then says so instead. */
    readonly refusal?: string;
}

/** Text, never markup. Left alone if nothing changes: screen readers and selections would notice. */
function setText(element: Element, text: string): void {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}
