// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel, QuestionContentData, QuestionResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';
import { nls } from '@theia/core/lib/common/nls';
import { visibleText } from 'theia-cli-companion/lib/common';
import { PermissionOption, PermissionRequest } from '../../common/qwen-daemon-protocol';

export const PERMISSION_KIND = 'qwenDaemonPermission';

/** What is shown of a permission, before and after the answer. */
export interface PermissionData extends Omit<PermissionRequest, 'questions'> {
    /** Label of what was chosen, or why nothing was. Absent while it is asked. */
    answer?: string;
}

/**
 * A permission that the daemon asks for. To Theia it is a question, so Theia says in its lists that the chat waits for the user. It has a
 * renderer of its own: a plan and a command are more than a sentence. It stays in the stored chat with its answer.
 */
export class PermissionContent extends QuestionResponseContentImpl {
    constructor(
        readonly permission: Readonly<PermissionData>,
        request?: MutableChatRequestModel,
        protected readonly vote?: (optionId: string) => unknown,
        onSkip?: () => void
    ) {
        const options = PermissionContent.inOrder(permission.options).map(({ id, label }) => ({ text: label, value: id }));
        const { answer } = permission;
        super(permission.title, options, request, vote && (({ value }) => vote(value ?? '')), {
            onSkip,
            selectedOption: answer === undefined ? undefined : { text: optionLabel(answer) }
        });
    }

    /** Whether it was allowed; `undefined` while nobody answered. */
    get allowed(): boolean | undefined {
        const { selectedOption, permission } = this;
        const role = PermissionContent.inOrder(permission.options).find(({ label }) => label === selectedOption?.text)?.role;
        return selectedOption && (role === 'allow_once' || role === 'allow_always');
    }

    choose(optionId: string): void {
        const option = this.options.find(({ value }) => value === optionId);
        if (option && !this.isReadOnly && !this.isResolved) {
            this.selectedOption = option;
            this.vote?.(optionId);
        }
    }

    /** Takes the option that allows or refuses it this time only. */
    decide(allow: boolean): void {
        const wanted = allow ? 'allow_once' : 'reject_once';
        const option = PermissionContent.inOrder(this.permission.options).find(({ role }) => role === wanted);
        if (option) {
            this.choose(option.id);
        }
    }

    /** What allows the least first, as people read it. What allows for ever is never the first, wherever the daemon puts it. */
    static inOrder(options: readonly PermissionOption[]): PermissionOption[] {
        const ranks: Record<PermissionOption['role'], number> = {
            allow_once: 0,
            reject_once: 1,
            reject_always: 2,
            other: 3,
            allow_always: 4
        };
        // Of several that allow once, this is the one that goes on asking (Qwen Code 0.24).
        const rank = ({ id, role }: PermissionOption): number => (id === 'proceed_once' ? -1 : ranks[role]);
        return options.map(option => ({ ...option, label: optionLabel(option.label) })).sort((a, b) => rank(a) - rank(b));
    }

    override toSerializable(): SerializableChatResponseContentData<QuestionContentData & { permission: PermissionData }> {
        const chosen = this.selectedOption?.text;
        // In the daemon's words: the user may have another language when it is read.
        const answer = this.permission.options.find(({ label }) => optionLabel(label) === chosen)?.label ?? chosen;
        const permission: PermissionData = { ...this.permission, answer };
        return { kind: PERMISSION_KIND, data: { ...super.toSerializable().data, permission } };
    }
}

/** In the daemon's words, which are English; some name the key that they have in its terminal. */
export function optionLabel(label: string): string {
    switch (label) {
        case 'Allow':
            return nls.localize('theia/qwen-daemon/waiting/allow', 'Allow');
        case 'Reject':
            return nls.localize('theia/qwen-daemon/waiting/reject', 'Reject');
        default:
            return visibleText(label).replace(/ \(esc\)$/, '');
    }
}
