// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { ContextSnapshot, ToldContext } from '../../common/companion-protocol';
import { ContextBackend } from '../../common/context-protocol';
import { PageConnection } from './page-connection';
import { Windows } from './windows';

/** What a page calls about the context that CLIs get. */
@injectable()
export class ContextService implements ContextBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(Windows)
    protected readonly windows: Windows;

    async updateContext(snapshot: ContextSnapshot): Promise<void> {
        this.windows.updateContext(this.connection.window, this.connection.payloads.context.parse(snapshot));
    }

    async readToldContexts(): Promise<ToldContext[]> {
        return this.windows.toldContexts(this.connection.window);
    }
}
