// SPDX-License-Identifier: Apache-2.0

import { PermissionClosedEvent, PermissionEvent } from '../../common/session-events';
import { Edit } from '../diff/edit-diff-uris';
import { AskingTurn } from './conversation-page';
import { PermissionView } from './permission-view';

/** What one turn asks the user, and what was answered. */
export class TurnPermissions {
    protected readonly views = new Map<string, PermissionView>();

    constructor(protected readonly turn: AskingTurn) {}

    /** What the user is asked for. */
    get waiting(): PermissionView[] {
        return [...this.views.values()].filter(({ isOpen }) => isOpen);
    }

    /** @param closed permissions whose answer is already known: no diff opens for them */
    show({ permission }: PermissionEvent, closed: ReadonlySet<string>): void {
        // After a reconnect it is said again. What the user has begun to answer stays.
        const asked = this.views.get(permission.id);
        if (asked?.isOpen) {
            const { response } = this.turn.request.response;
            response.addContents(asked.parts.filter(part => !response.content.includes(part)));
            return;
        }
        const { request, host } = this.turn;
        const view = new PermissionView(permission, this.turn);
        this.views.set(permission.id, view);
        request.response.response.addContents(view.parts);
        if (permission.diff && !closed.has(permission.id)) {
            host.page.openDiff(this.edit(permission.toolId), permission.diff);
        }
    }

    /** @returns whether the turn asked for it */
    close(event: PermissionClosedEvent): boolean {
        const view = this.views.get(event.permissionId);
        if (view?.isOpen) {
            view.close(event);
            this.turn.host.page.closeDiff(this.edit(view.permission.toolId));
        }
        return view !== undefined;
    }

    closeAll(): void {
        this.reset(new Set());
    }

    /** Closes all but those that will be asked again. */
    reset(asked: ReadonlySet<string>): void {
        for (const [id, view] of this.views) {
            if (view.isOpen && !asked.has(id)) {
                view.close();
                this.turn.host.page.closeDiff(this.edit(view.permission.toolId));
            }
            if (!view.isOpen) {
                this.views.delete(id);
            }
        }
    }

    protected edit(toolId: string): Edit {
        return { ...this.turn.marker, toolId };
    }
}
