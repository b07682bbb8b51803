// SPDX-License-Identifier: Apache-2.0

import { Page } from '@playwright/test';

/** All that a page is sent, sends and keeps, for a search for what must not be there. */
export class PageScan {
    private readonly frames: Buffer[] = [];

    /** Sees the sockets that are opened from now on. */
    constructor(private readonly page: Page) {
        page.on('websocket', socket => {
            socket.on('framereceived', ({ payload }) => this.frames.push(Buffer.from(payload as string)));
            socket.on('framesent', ({ payload }) => this.frames.push(Buffer.from(payload as string)));
        });
    }

    /** Where the text is; empty: nowhere. */
    async placesOf(text: string): Promise<string[]> {
        const held = await this.page.evaluate(() => ({
            page: document.documentElement.outerHTML,
            localStorage: JSON.stringify({ ...localStorage }),
            sessionStorage: JSON.stringify({ ...sessionStorage })
        }));
        const places = Object.entries(held).flatMap(([place, content]) => (content.includes(text) ? place : []));
        return this.frames.some(frame => frame.includes(text)) ? [...places, 'wire'] : places;
    }
}
