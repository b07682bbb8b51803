// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer } from '../../common/daemon-status';
import { PermissionAnswer } from '../../common/qwen-daemon-protocol';
import { DiffInfo, PermissionClosedEvent, PermissionEvent } from '../../common/session-events';
import { Edit } from '../diff/edit-diff-uris';
import { PermissionView } from './permission-view';

export interface TurnHost {
    /** Absolute path of the folder in which the daemon works; empty while it is not known. */
    folder(): string;
    answerPermission(permissionId: string, answer: PermissionAnswer): Promise<Answer<'accepted' | 'late'>>;
    askText(question: string): Promise<string | undefined>;
    focusInput(): void;
    /** Shows the edit that a permission is about. */
    openDiff(edit: Edit, diff: DiffInfo): void;
    closeDiff(edit: Edit): void;
}

/** The turn that asks. */
export interface AskingTurn {
    readonly marker: { sessionId: string; turnId: string };
    readonly request: MutableChatRequestModel;
    readonly host: TurnHost;
    showNotice(message: string): void;
    showProblem(problem: DaemonProblem): void;
}

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
        const view = new PermissionView(permission, request, {
            answer: (id, answer) => host.answerPermission(id, answer),
            askText: question => host.askText(question),
            focusInput: () => host.focusInput(),
            showNotice: message => this.turn.showNotice(message),
            showProblem: problem => this.turn.showProblem(problem)
        });
        this.views.set(permission.id, view);
        request.response.response.addContents(view.parts);
        if (permission.diff && !closed.has(permission.id)) {
            host.openDiff(this.edit(permission.toolId), permission.diff);
        }
    }

    close(event: PermissionClosedEvent): void {
        const view = this.views.get(event.permissionId);
        if (view?.isOpen) {
            view.close(event);
            this.turn.host.closeDiff(this.edit(view.permission.toolId));
        }
    }

    closeAll(): void {
        this.reset(new Set());
    }

    /** Closes all but those that will be asked again. */
    reset(asked: ReadonlySet<string>): void {
        for (const [id, view] of this.views) {
            if (view.isOpen && !asked.has(id)) {
                view.close();
                this.turn.host.closeDiff(this.edit(view.permission.toolId));
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
