// SPDX-License-Identifier: Apache-2.0

import { Locator, Page } from '@playwright/test';
import { Frame } from './png';

/** How long a frame of a movement is shown, in milliseconds. */
const MOVING = 50;
const TYPING = 90;
const PRESSING = 250;
/** Frames from one place to another. */
const STEPS = 10;

/** Frame by frame what a person does in the page: how long each is shown is chosen here, not measured. */
export class Film {
    readonly frames: Frame[] = [];
    private x = 0;
    private y = 0;

    constructor(private readonly page: Page) {}

    /** Puts the mouse somewhere, such as where it was before the page was loaded. */
    async putMouse(x = this.x, y = this.y): Promise<void> {
        Object.assign(this, { x, y });
        await this.page.mouse.move(x, y);
        await this.page.evaluate(() => window.companionHand.show(true));
    }

    /** Shows the page as it is now, in milliseconds. */
    async hold(delay: number): Promise<void> {
        const png = await this.page.screenshot({ caret: 'initial' });
        const last = this.frames.at(-1);
        if (last?.png.equals(png)) {
            this.frames[this.frames.length - 1] = { png, delay: last.delay + delay };
        } else {
            this.frames.push({ png, delay });
        }
    }

    /** @param part of its width and height, from its upper left corner on */
    async moveTo(target: Locator, part = { x: 0.5, y: 0.5 }): Promise<void> {
        const box = await target.boundingBox();
        if (!box) {
            throw new Error(`${target} is not on the screen`);
        }
        const [fromX, fromY] = [this.x, this.y];
        const [toX, toY] = [box.x + box.width * part.x, box.y + box.height * part.y];
        for (let step = 1; step <= STEPS; step++) {
            // Slow at both ends, as a hand is.
            const way = (1 - Math.cos((Math.PI * step) / STEPS)) / 2;
            await this.putMouse(fromX + (toX - fromX) * way, fromY + (toY - fromY) * way);
            await this.hold(MOVING);
        }
    }

    /** @param count two for a double click */
    async click(count = 1): Promise<void> {
        for (let clickCount = 1; clickCount <= count; clickCount++) {
            await this.page.mouse.down({ clickCount });
            await this.hold(PRESSING);
            await this.page.mouse.up({ clickCount });
        }
    }

    async type(text: string): Promise<void> {
        for (const letter of text) {
            await this.page.keyboard.type(letter);
            await this.hold(TYPING);
        }
    }

    /** Shows the name of a key, for as long as a person needs to read it. */
    async showKey(name: string): Promise<void> {
        await this.page.evaluate(label => window.companionHand.key(label), name);
        await this.hold(900);
        await this.page.evaluate(() => window.companionHand.key(''));
    }
}
