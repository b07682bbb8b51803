// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { ContextSnapshot, ToldContext } from '../../common/companion-protocol';
import { ContextBackend } from '../../common/context-protocol';
import { PageConnection } from '../server/page-connection';
import { ContextSharing } from './context-sharing';

/** What a page calls about the context that CLIs get. */
@injectable()
export class ContextService implements ContextBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(ContextSharing)
    protected readonly sharing: ContextSharing;

    async updateContext(snapshot: ContextSnapshot): Promise<void> {
        this.sharing.update(this.connection.window, this.connection.payloads.context.parse(snapshot));
    }

    async readToldContexts(): Promise<ToldContext[]> {
        return this.sharing.toldContexts(this.connection.window);
    }
}
