// SPDX-License-Identifier: Apache-2.0

import { Command } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { SHARED_COMMANDS } from '../window/shared-command-ids';

/** The bar above a proposal: which file, whose proposal, and the two answers. In the order in which it is read and tabbed through. */
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
    protected readonly accept: HTMLButtonElement;
    protected readonly reject: HTMLButtonElement;
    protected readonly rejectWithReason: HTMLButtonElement;
    protected content: BarContent | undefined;

    constructor(
        protected readonly document: Document,
        toggleWrap: () => void
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
        this.wrap.addEventListener('click', toggleWrap);
        this.accept = this.button(SHARED_COMMANDS.ACCEPT_REVIEW, 'theia-button main', () => this.content?.accept);
        this.reject = this.button(SHARED_COMMANDS.REJECT_REVIEW, 'companion-review-reject', () => this.content?.reject);
        this.rejectWithReason = this.button(
            SHARED_COMMANDS.REJECT_WITH_REASON,
            'companion-review-reject',
            () => this.content?.rejectWithReason
        );
        const answers = this.element('span', 'companion-review-answers');
        answers.append(this.accept, this.reject, this.rejectWithReason);
        this.node.append(file, this.newFile, this.cli, this.place, this.changes, this.wrap, answers);
    }

    set(content: BarContent): void {
        this.content = content;
        const { path, leadsTo, isNewFile, cliName, place } = content;
        const end = path.lastIndexOf('/') + 1;
        const label = nls.localize('theia/cli-companion/review/barLabel', 'Proposal of {0} for {1}', cliName, path);
        this.node.setAttribute('aria-label', label);
        const target = leadsTo === undefined ? '' : ` → ${leadsTo}`;
        this.node.title = path + target;
        setText(this.folder, path.substring(0, end));
        setText(this.name, path.substring(end));
        setText(this.leadsTo, target);
        setText(this.newFile, isNewFile ? nls.localize('theia/cli-companion/review/newFile', 'new file') : '');
        setText(this.cli, cliName);
        setText(
            this.place,
            place ? nls.localize('theia/cli-companion/review/place', '{0} of {1}', String(place.number), String(place.of)) : ''
        );
        this.describe(this.accept, content.accept, nls.localize('theia/cli-companion/review/accept', 'Accept'), path);
        this.describe(this.reject, content.reject, nls.localize('theia/cli-companion/review/reject', 'Reject'), path);
        const why = nls.localize('theia/cli-companion/review/rejectWithReason', 'Reject with Reason…');
        this.describe(this.rejectWithReason, content.rejectWithReason, why, path);
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

    protected describe(button: HTMLButtonElement, { explanation, keys, refusal }: AnswerButton, word: string, path: string): void {
        const [label, key] = button.children;
        setText(label, word);
        setText(key, keys[0] ?? '');
        button.setAttribute('aria-label', `${word} ${path}`);
        button.title = refusal ?? `${explanation} (${keys.join(', ')})`;
        // Not `disabled`: the keyboard would skip it, and the reason with it.
        button.setAttribute('aria-disabled', String(refusal !== undefined));
    }

    /** Its id is that of the command: embedders and drivers click on it. */
    protected button({ id }: Command, className: string, answer: () => AnswerButton | undefined): HTMLButtonElement {
        const button = this.element('button', `companion-review-answer ${className}`);
        button.id = id;
        const key = this.element('kbd', 'companion-review-key');
        key.setAttribute('aria-hidden', 'true');
        button.append(this.element('span', ''), key);
        this.keepKeyboard(button);
        button.addEventListener('click', () => {
            const { refusal, run } = answer() ?? {};
            if (refusal !== undefined) {
                status(refusal);
            } else {
                run?.();
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

/** The content of the bar. */
export interface BarContent {
    /** In the user's words. */
    readonly path: string;
    /** Where the file is really, if a link leads there. */
    readonly leadsTo?: string;
    readonly isNewFile: boolean;
    readonly cliName: string;
    /** Its place among those that wait, counted from 1; absent if it is alone. */
    readonly place?: { readonly number: number; readonly of: number };
    readonly accept: AnswerButton;
    readonly reject: AnswerButton;
    readonly rejectWithReason: AnswerButton;
}

interface AnswerButton {
    /** The hover text: the effect of the button. */
    readonly explanation: string;
    /** The keys that do the same, the first one as it is shown. */
    readonly keys: readonly string[];
    /** Why it would do nothing. It then says so instead. */
    readonly refusal?: string;
    run(): void;
}

/** Text, never markup. Left alone if nothing changes: screen readers and selections would notice. */
function setText(element: Element, text: string): void {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}
