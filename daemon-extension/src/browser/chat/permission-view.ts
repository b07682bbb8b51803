// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel, QuestionResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';
import { nls } from '@theia/core/lib/common/nls';
import { DaemonProblem } from '../../common/daemon-problem';
import {
    PermissionAnswer,
    PermissionClosedEvent,
    PermissionOption,
    PermissionRequest,
    QuestionAnswer,
    UserQuestion
} from '../../common/qwen-daemon-protocol';
import { textAsMarkdown } from '../../common/plain-text';
import { Edit } from '../diff/edit-diff-resources';
import { optionLabel, PermissionContent } from '../parts/permission-content';
import { QuestionContent } from '../parts/question-content';
import { TurnHost } from './conversation-page';

/** Value of the choice to type an answer; no label of a model can be it, since those carry their index. */
const OTHER = 'other';

/** In milliseconds. Events are gathered for a moment, and come behind the answer to a vote. */
const UNHEARD_MS = 2_000;

export interface AskingTurn {
    readonly marker: { sessionId: string; turnId: string };
    readonly request: MutableChatRequestModel;
    readonly host: TurnHost;
    showNotice(message: string): void;
    showProblem(problem: DaemonProblem): void;
}

/**
 * Shows one permission, or a set of questions to the user, in the chat. Nothing waits for the answer: events go on meanwhile, because
 * another client may answer first, or the turn may be cancelled.
 */
export class PermissionView {
    readonly parts: QuestionResponseContentImpl[];
    /** Nobody has answered, as far as it is known. */
    isOpen = true;

    protected unheard: ReturnType<typeof setTimeout> | undefined;
    protected readonly answers = new Map<number, QuestionAnswer>();

    constructor(
        readonly permission: PermissionRequest,
        protected readonly turn: AskingTurn
    ) {
        const { questions } = permission;
        this.parts = questions?.length ? questions.map((question, index) => this.questionPart(question, index)) : [this.permissionPart()];
        turn.request.response.waitForInput();
    }

    get chatSessionId(): string {
        return this.turn.host.chatSessionId;
    }

    get edit(): Edit {
        return { ...this.turn.marker, toolId: this.permission.toolId };
    }

    /** The model asks the user; else it asks for a permission. */
    get isQuestion(): boolean {
        return !(this.parts[0] instanceof PermissionContent);
    }

    /** The user allows it once, or refuses it, elsewhere than at its card. What the model asks cannot be answered so. */
    decide(allow: boolean): void {
        const [part] = this.parts;
        if (part instanceof PermissionContent) {
            part.decide(allow);
        }
    }

    /** Somebody answered, or the turn ended. It may be said more than once. */
    close(event?: Pick<PermissionClosedEvent, 'optionId' | 'by'>): void {
        if (!this.isOpen) {
            return;
        }
        this.isOpen = false;
        const option = this.permission.options.find(({ id }) => id === event?.optionId);
        const shown = option ? optionLabel(option.label) : nls.localize('theia/qwen-daemon/permission/cancelled', 'Cancelled');
        clearTimeout(this.unheard);
        for (const part of this.parts) {
            // The answer that counts may be another one than that which was clicked here.
            if (!part.selectedOptions || event?.by === 'other-client' || (!this.isQuestion && option)) {
                part.selectedOption = { text: shown };
            }
        }
        if (event?.by === 'other-client') {
            this.turn.showNotice(
                nls.localize('theia/qwen-daemon/permission/answeredElsewhere', 'Another client answered first: {0}', shown)
            );
        }
        this.turn.request.response.stopWaitingForInput();
        this.turn.host.page.diffs.closeForPermission(this.edit);
    }

    protected permissionPart(): QuestionResponseContentImpl {
        const part: PermissionContent = new PermissionContent(
            this.permission,
            this.turn.request,
            optionId => this.vote(part, { optionId }),
            () => void this.vote(part, { cancelled: true })
        );
        return part;
    }

    protected questionPart(question: UserQuestion, index: number): QuestionResponseContentImpl {
        const options = [
            ...question.options.map(({ label, description }, choice) => ({
                text: label,
                value: `${choice}`,
                description: description || undefined
            })),
            { text: nls.localize('theia/qwen-daemon/question/other', 'Other…'), value: OTHER }
        ];
        const text = textAsMarkdown(question.question);
        const header = question.header || nls.localize('theia/qwen-daemon/question/header', 'Qwen asks');
        const onSkip = (): void => void this.vote(part, { cancelled: true });
        const part: QuestionContent = question.multiSelect
            ? new QuestionContent(
                  text,
                  options,
                  this.turn.request,
                  // Without a choice the user dismissed it: Theia says it so for several choices.
                  (chosen: { text: string; value?: string }[]) => (chosen.length ? this.choose(part, question, index, chosen) : onSkip()),
                  { header, multiSelect: true }
              )
            : new QuestionContent(text, options, this.turn.request, option => this.choose(part, question, index, [option]), {
                  header,
                  onSkip
              });
        return part;
    }

    protected async choose(
        part: QuestionResponseContentImpl,
        question: UserQuestion,
        index: number,
        chosen: { text: string; value?: string }[]
    ): Promise<void> {
        const listed = chosen.filter(({ value }) => value !== OTHER);
        const answer: QuestionAnswer = { options: listed.map(({ value }) => Number(value)) };
        if (listed.length < chosen.length) {
            const own = await this.turn.host.page.askText(question.question);
            if (!own || !this.isOpen) {
                this.reopen(part);
                return;
            }
            answer.text = own;
            part.selectedOptions = [...listed, { text: own }];
        }
        this.answers.set(index, answer);
        if (this.answers.size === this.parts.length) {
            await this.vote(part, { optionId: this.submitOption()?.id ?? '', answers: Object.fromEntries(this.answers) });
        }
    }

    /** The option that means "submit"; the others refuse. */
    protected submitOption(): PermissionOption | undefined {
        const { options } = this.permission;
        return options.find(({ role }) => role === 'allow_once') ?? options.find(({ role }) => !role.startsWith('reject'));
    }

    protected async vote(part: QuestionResponseContentImpl, answer: PermissionAnswer): Promise<void> {
        if (!this.isOpen) {
            return;
        }
        const { host } = this.turn;
        const result = await host.call((backend, session) => backend.answerPermission(session, this.permission.id, answer));
        if (!this.isOpen) {
            return;
        }
        const { page, chatSessionId } = host;
        page.view.focusInput(chatSessionId);
        if (result.ok) {
            if (result.value === 'late') {
                // An event says whose answer counts, and closes it. If none comes, it must not stay open for ever.
                this.unheard = setTimeout(() => this.close(), UNHEARD_MS);
            } else if (this.isRefusal(answer)) {
                this.turn.showNotice(nls.localize('theia/qwen-daemon/permission/rejected', 'Rejected. Tell Qwen what to do instead.'));
            }
        } else {
            this.turn.showProblem(result.problem);
            this.reopen(part);
        }
    }

    protected isRefusal(answer: PermissionAnswer): boolean {
        const option = 'optionId' in answer && this.permission.options.find(({ id }) => id === answer.optionId);
        return option ? option.role === 'reject_once' : false;
    }

    protected reopen(part: QuestionResponseContentImpl): void {
        if (this.isOpen) {
            this.answers.delete(this.parts.indexOf(part));
            if (part instanceof QuestionContent) {
                part.askedAgain++;
            }
            part.selectedOptions = undefined;
        }
    }
}
