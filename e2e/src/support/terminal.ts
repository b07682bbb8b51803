// SPDX-License-Identifier: Apache-2.0

import { Locator, Page } from '@playwright/test';
import { delay, eventually, Wait } from './eventually';
import { TerminalText } from './page-probe';
import { restMouse } from './rest-mouse';

/**
 * Both CLIs take an Enter that follows the text at once for a pasted line break, and wait for more input
 * (Gemini CLI 0.61, Qwen Code 0.24). A person pauses before Enter, too.
 */
const PAUSE_BEFORE_ENTER = 600;

/** A terminal of the IDE, driven by keyboard and read as its screen shows it. */
export class Terminal {
    constructor(
        readonly page: Page,
        readonly widgetId: string
    ) {}

    /** All text, with what has scrolled off the screen; empty lines at the end left out. */
    async text(): Promise<string> {
        return (await this.read()).lines.join('\n').trimEnd();
    }

    /** What a person sees without scrolling. */
    async screen(): Promise<string> {
        return (await this.read(true)).lines.join('\n');
    }

    async focus(): Promise<void> {
        const tab = this.page.locator(`[id="shell-tab-${this.widgetId}"]`);
        await tab.waitFor();
        if (!(await tab.evaluate(element => element.classList.contains('lm-mod-current')))) {
            await restMouse(this.page);
            // At its beginning: a CLI may give its terminal a title of one character, and then the middle is the cross that closes it.
            await tab.click({ position: { x: 4, y: 8 } });
        }
        const input = this.page.locator(`[id="${this.widgetId}"] .xterm-helper-textarea`);
        // Focused as by a click on the screen, without the click: that would move the selection.
        await eventually('the terminal to take the focus', async () => {
            await input.focus();
            return input.evaluate(element => document.activeElement === element);
        });
    }

    async hasKeyboard(): Promise<boolean> {
        return this.page.evaluate(id => document.getElementById(id)?.contains(document.activeElement) ?? false, this.widgetId);
    }

    async press(key: string): Promise<void> {
        await this.focus();
        await this.page.keyboard.press(key);
    }

    async type(text: string): Promise<void> {
        await this.focus();
        await this.page.keyboard.type(text);
    }

    /** Types the text and sends it off, as a person does. */
    async submit(text: string): Promise<void> {
        await this.type(text);
        // Gemini CLI (0.61) that reads the last key together with Enter leaves it out. What is between is where lines wrap.
        const end = lettersOf(text).slice(-8);
        await eventually(`what was typed: ${text}`, async () => lettersOf(await this.screen()).includes(end), {
            state: () => this.describe()
        });
        await this.sendOff();
    }

    /** Sends off what stands in the prompt, as a person does. */
    async sendOff(): Promise<void> {
        await this.focus();
        await delay(PAUSE_BEFORE_ENTER);
        await this.page.keyboard.press('Enter');
    }

    /** Drags a row of the explorer onto it. With a single move, Chromium tells nobody of the drag. */
    async dragHere(row: Locator): Promise<void> {
        const target = this.page.locator(`[id="${this.widgetId}"]`);
        await row.hover();
        await this.page.mouse.down();
        for (let moves = 0; moves < 3; moves++) {
            await target.hover({ position: { x: 20 + moves, y: 20 }, force: true });
        }
        await this.page.mouse.up();
    }

    /** Drops files of the person's own machine onto it, or pastes them. @param files base64, by their names */
    async give(how: 'drop' | 'paste', files: Readonly<Record<string, string>>): Promise<void> {
        await this.page.evaluate(
            ([id, name, entries]) => {
                const data = new DataTransfer();
                for (const [file, base64] of entries) {
                    data.items.add(new File([Uint8Array.from(atob(base64), character => character.charCodeAt(0))], file));
                }
                const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
                const target = document.querySelector(`[id="${id}"] .xterm-helper-textarea`);
                target?.dispatchEvent(name === 'drop' ? new DragEvent(name, init) : new ClipboardEvent(name, init));
            },
            [this.widgetId, how, Object.entries(files)] as const
        );
    }

    /** Types a shell's command, and sends it off once it is on the screen: a letter that got lost would be looked for elsewhere. */
    async run(command: string): Promise<void> {
        await this.type(command);
        await this.waitForScreen(command, `the shell to show what was typed: ${command}`);
        await this.press('Enter');
    }

    async waitForScreen(expected: string | RegExp, what = `the screen to show ${expected}`, wait: Wait = {}): Promise<void> {
        await eventually(what, async () => contains(await this.screen(), expected), { state: () => this.describe(), ...wait });
    }

    async waitFor(expected: string | RegExp, what = `the terminal to show ${expected}`): Promise<void> {
        await eventually(what, async () => contains(await this.text(), expected), { state: () => this.text() });
    }

    /** Waits for the screen to show this no longer; what has scrolled off it does not count. */
    async waitUntilGone(unexpected: string | RegExp, wait: Wait = {}): Promise<void> {
        await eventually(`the screen to show ${unexpected} no longer`, async () => !contains(await this.screen(), unexpected), {
            state: () => this.describe(),
            ...wait
        });
    }

    /** For a message: all text, and how much of it the screen shows. */
    private async describe(): Promise<string> {
        const { rows } = await this.read();
        return `The screen has ${rows} rows. The terminal:\n${await this.text()}`;
    }

    private async read(onlyScreen = false): Promise<TerminalText> {
        const found = await this.page.evaluate(([id, isScreen]) => window.companionProbe.terminal(id, isScreen), [
            this.widgetId,
            onlyScreen
        ] as const);
        if (!found) {
            throw new Error(`The terminal ${this.widgetId} is gone`);
        }
        return found;
    }
}

/** Lines are joined: a terminal breaks long ones wherever its edge is. */
function contains(text: string, expected: string | RegExp): boolean {
    return typeof expected === 'string' ? text.includes(expected) || text.replaceAll('\n', '').includes(expected) : expected.test(text);
}

function lettersOf(text: string): string {
    return text.replace(/[^\p{L}\p{N}]/gu, '');
}
