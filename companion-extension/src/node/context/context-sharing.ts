// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ContextSnapshot, ToldContext } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { Policy } from '../host/policy';
import { CliSessions } from '../server/cli-sessions';
import { ServerEvents } from '../server/companion-events';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';
import { Windows } from '../server/windows';
import { SharedContext } from './shared-context';

/** What the sessions of a server share, and whose it is. */
interface ServerContext {
    readonly shared: SharedContext;
    /** The id of the window that it got it from last. */
    source?: string;
}

/** Gives each server the context of the window that serves it. */
@injectable()
export class ContextSharing implements WindowFeature {
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(Policy)
    protected readonly policy: Policy;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;

    readonly onDidChange = Event.None;
    protected readonly contexts = new WeakMap<CliSessions, ServerContext>();

    stateOf(): WindowStatePart {
        return {};
    }

    serve(window: Window, sessions: CliSessions): void {
        const shared = new SharedContext(sessions);
        this.contexts.set(sessions, { shared });
        this.events.followContext(shared, window.id, id => this.clis.nameOf(id));
    }

    /** Shares what a window's page said last of the editors, unless that is older than what is known. */
    update(window: Window, { sequence, context: sent }: ContextSnapshot): void {
        const context = this.policy.overrideContext(sent, window.folders);
        if (this.windows.takeContext(window, { sequence, context })) {
            this.windows.servedBy(window).forEach(owner => this.contextOf(owner)?.shared.update(context));
        }
    }

    /** Another window may serve a server now. Without one, its selection ends with the page that shared it. */
    followWindows(): void {
        this.windows.all().forEach(window => window.absent && window.forgetSelection());
        for (const owner of this.windows.open()) {
            const context = this.contextOf(owner);
            if (context) {
                this.share(owner, context);
            }
        }
    }

    /** Describes what was last shared with the CLIs that the window serves. */
    toldContexts(window: Window): ToldContext[] {
        return this.windows.sessionsOf(window).map(session => {
            const { peer, told } = session;
            return {
                cliName: this.windows.nameOf(session),
                ...(peer?.folder === undefined ? {} : { folder: peer.folder }),
                ...(told && { toldAt: told.at, context: told.context })
            };
        });
    }

    protected share(owner: Window, context: ServerContext): void {
        const serving = this.windows.serving(owner);
        const source = this.windows.get(context.source ?? owner.id);
        const isOther = serving !== undefined && serving.id !== context.source;
        context.source = serving?.id ?? context.source;
        if (isOther && serving.context) {
            context.shared.update(serving.context);
        } else if (isOther || (!serving && (!source || source.absent))) {
            context.shared.forgetSelection();
        }
    }

    protected contextOf({ server }: Window): ServerContext | undefined {
        return server && this.contexts.get(server.sessions);
    }
}
