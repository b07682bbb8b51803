// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { WindowIdentity } from '../window/window-identity';
import { WindowIdVariable } from './window-id-variable';

/**
 * Tells the backend which window a new shell belongs to. The call that creates shells is the one place that every terminal passes: new,
 * restored, of a plugin or of a debugger.
 */
@injectable()
export class TerminalWindowId {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WindowIdentity)
    protected readonly identity: WindowIdentity;

    decorate(server: ShellTerminalServerProxy): ShellTerminalServerProxy {
        const variable = new WindowIdVariable({
            connection: () => this.connection,
            windowId: () => this.identity.windowId
        });
        return variable.decorate(server);
    }
}
