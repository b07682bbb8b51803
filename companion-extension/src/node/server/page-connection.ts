// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionPage, WindowSnapshot } from '../../common/companion-protocol';
import type { PagePayloads } from '../../common/page-payloads';
import { ConnectedPage } from './connected-page';
import { Window } from './window';
import { Windows } from './windows';

/**
 * Who the page of one connection is: the same for all services of the connection. Holds no state worth keeping, since Theia destroys it with
 * every reload and, by default, with every drop of the socket.
 */
@injectable()
export class PageConnection {
    @inject(Windows)
    protected readonly windows: Windows;

    protected client: CompanionPage | undefined;
    protected greeted: ConnectedPage | undefined;
    /** Loaded with the first hello. */
    protected schemas: typeof PagePayloads;

    open(client: CompanionPage): void {
        this.client = client;
    }

    /** Rejects a hello of another shape. @returns what the page says of its window */
    async greet(hello: WindowSnapshot): Promise<WindowSnapshot> {
        this.schemas = await ConnectedPage.payloads();
        const snapshot = this.schemas.window.parse(hello);
        if (!this.client) {
            throw new Error('The connection is closed');
        }
        this.greeted ??= new ConnectedPage(snapshot.loadId, this.client);
        this.greeted.markHeard();
        return snapshot;
    }

    /** The page has called. Throws before it has said hello. */
    get page(): ConnectedPage {
        if (!this.greeted) {
            throw new Error('The window has not said hello');
        }
        this.greeted.markHeard();
        return this.greeted;
    }

    /** The schemas of calls. Throws before the page has said hello. */
    get payloads(): typeof PagePayloads {
        return this.page && this.schemas;
    }

    /** Throws as long as its hello is not answered. */
    get window(): Window {
        return this.windows.windowOf(this.page);
    }

    /** @returns the page, if it has said hello */
    close(): ConnectedPage | undefined {
        const { greeted } = this;
        this.client = undefined;
        this.greeted = undefined;
        if (greeted) {
            greeted.closed = true;
        }
        return greeted;
    }
}
