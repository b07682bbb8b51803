// SPDX-License-Identifier: Apache-2.0

import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import { z } from 'zod/v4';
import {
    DaemonLimits,
    PermissionAnswer,
    PermissionClosedEvent,
    PermissionOption,
    PermissionRequest,
    QuestionAnswer,
    ShellCommand,
    ToolCall,
    UserQuestion
} from '../../common/qwen-daemon-protocol';
import { Redactor } from '../config/redactor';
import { payloads } from './event-payloads';

const roles: readonly string[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

/** More than a turn asks; a daemon that sends more is not believed. */
const MAX_PENDING = 100;
/** Options of a request, its questions, and options of a question. */
const MAX_CHOICES = 20;

type Question = z.infer<typeof payloads.questions>['questions'][number];
type PermissionPayload = z.infer<typeof payloads.permission>;

/** The daemon's kind of the tool by which the model asks for its plan to be approved. */
const PLAN_KIND = 'switch_mode';

export interface PendingPermission {
    turnId: string;
    request: PermissionRequest;
    /** Of each question, what its options are called by the model. */
    labels: string[][];
    /** Ids of the options that choose the mode to which the daemon then changes. */
    modeOptions: string[];
}

export class PendingPermissions {
    protected readonly pending = new Map<string, PendingPermission>();

    constructor(protected readonly redactor: Redactor) {}

    get(permissionId: string): PendingPermission | undefined {
        return this.pending.get(permissionId);
    }

    get size(): number {
        return this.pending.size;
    }

    /** @returns `undefined` if it is known already or there are too many */
    add(
        turnId: string,
        data: PermissionPayload,
        tool: ToolCall,
        text?: { text: string; truncated: boolean }
    ): PermissionRequest | undefined {
        if (this.pending.has(data.requestId) || this.pending.size >= MAX_PENDING) {
            return undefined;
        }
        const questions = this.readQuestions(data);
        const isPlan = tool.toolKind === PLAN_KIND;
        const plan = isPlan ? this.plan(data) : undefined;
        const request: PermissionRequest = {
            id: data.requestId,
            toolId: tool.id,
            title: this.redactor.redact(data.toolCall.title ?? '', DaemonLimits.asked) || tool.title,
            truncated: (plan === undefined && text?.truncated === true) || isCut(data),
            // The daemon gives the plan as the tool's text as well.
            description: plan === undefined ? (text?.text ?? '') : '',
            plan,
            command: tool.toolKind === 'execute' ? this.command(data) : undefined,
            diff: tool.diff,
            options: data.options.slice(0, MAX_CHOICES).map(option => this.option(option)),
            questions: this.shown(questions)
        };
        const labels = questions.map(({ options }) => options.map(({ label }) => label));
        const modeOptions = request.options.filter(
            ({ role }) => (isPlan && role === 'allow_once') || ((isPlan || tool.toolKind === 'edit') && role === 'allow_always')
        );
        this.pending.set(request.id, { turnId, request, labels, modeOptions: modeOptions.map(({ id }) => id) });
        return request;
    }

    /** @returns `undefined` if it was not waiting: the daemon says more than once that a request ended */
    close(permissionId: string, how: Omit<PermissionClosedEvent, 'kind' | 'permissionId'>): PermissionClosedEvent | undefined {
        return this.pending.delete(permissionId) ? { kind: 'permissionClosed', permissionId, ...how } : undefined;
    }

    closeTurn(turnId: string): PermissionClosedEvent[] {
        return [...this.pending].flatMap(([id, { turnId: of }]) =>
            of === turnId ? (this.close(id, { outcome: 'cancelled', by: 'turn' }) ?? []) : []
        );
    }

    /**
     * Only what was offered can be answered.
     *
     * @returns the vote; `undefined` if the answer was not offered
     */
    vote({ request, labels }: PendingPermission, answer: PermissionAnswer): PermissionResponse | undefined {
        if ('cancelled' in answer) {
            return { outcome: { outcome: 'cancelled' } };
        }
        const option = request.options.find(({ id }) => id === answer.optionId);
        if (!option) {
            return undefined;
        }
        const outcome = { outcome: 'selected', optionId: option.id } as const;
        if (!request.questions || this.refuses(request, answer)) {
            return answer.answers ? undefined : { outcome };
        }
        const answers = answer.answers ?? {};
        const texts = request.questions.map((question, index) => this.answer(question, labels[index], answers[String(index)]));
        return texts.every(text => text !== undefined) && Object.keys(answers).length === texts.length
            ? { outcome, answers: Object.fromEntries(texts.entries()) }
            : undefined;
    }

    /** After a refusal Qwen Code (0.24) ends the turn. */
    refuses({ options }: PermissionRequest, answer: PermissionAnswer): boolean {
        return 'cancelled' in answer || options.some(({ id, role }) => id === answer.optionId && role.startsWith('reject'));
    }

    /** The answer in the model's own words. `undefined` if there is none, or if it was not offered. */
    protected answer(question: UserQuestion, labels: string[], answer: QuestionAnswer | undefined): string | undefined {
        const chosen = (answer?.options ?? []).map(index => (index < question.options.length ? labels[index] : undefined));
        const own = answer?.text?.trim() ? [answer.text] : [];
        const all = [...chosen, ...own];
        const count = question.multiSelect ? all.length > 0 : all.length === 1;
        return count && !chosen.includes(undefined) ? all.join(', ') : undefined;
    }

    protected option({ optionId, name, kind }: { optionId: string; name: string; kind: string }): PermissionOption {
        const role = roles.includes(kind) ? (kind as PermissionOption['role']) : 'other';
        return { id: optionId, label: this.redactor.label(name), role };
    }

    protected plan({ toolCall }: PermissionPayload): string | undefined {
        const { data } = payloads.planApproval.safeParse(toolCall.rawInput);
        return data && this.redactor.redact(data.plan, DaemonLimits.asked);
    }

    /** The daemon's title of a command is the command, and behind it what it says about it (Qwen Code 0.24). */
    protected command({ toolCall }: PermissionPayload): ShellCommand | undefined {
        const { data } = payloads.command.safeParse(toolCall.rawInput);
        if (!data) {
            return undefined;
        }
        const { command, description } = data;
        const title = toolCall.title ?? '';
        const rest = title.startsWith(command) ? title.slice(command.length).trim() : description;
        return {
            line: this.redactor.redact(command, DaemonLimits.asked),
            note: this.redactor.label(rest === `(${description})` ? description : rest)
        };
    }

    /** Questions look like any other tool; their kind is `think` (Qwen Code 0.24). */
    protected readQuestions({ toolCall }: PermissionPayload): Question[] {
        const isQuestion = toolCall._meta?.qwenInteractionKind === 'user_question' || toolCall._meta?.toolName === 'ask_user_question';
        const parsed = isQuestion ? payloads.questions.safeParse(toolCall.rawInput) : undefined;
        return (parsed?.data?.questions ?? []).slice(0, MAX_CHOICES);
    }

    /** As a page may know them. */
    protected shown(questions: Question[]): UserQuestion[] | undefined {
        const shown = questions.map(({ header, question, options, multiSelect }) => ({
            header: this.redactor.label(header),
            question: this.redactor.label(question),
            options: options.slice(0, MAX_CHOICES).map(({ label, description }) => ({
                label: this.redactor.label(label),
                description: this.redactor.label(description)
            })),
            multiSelect
        }));
        return shown.length > 0 ? shown : undefined;
    }
}

/** Whether the user decides by less than there is. A command and a plan are arguments; of several edits one is shown. */
function isCut({ toolCall: { title, kind, rawInput, content } }: PermissionPayload): boolean {
    const isShown = kind === 'execute' || kind === PLAN_KIND;
    const { asked, diffText } = DaemonLimits;
    const edits = (content ?? []).filter(part => 'newText' in part);
    const isTooLong = edits.some(({ newText, oldText }) => Math.max(newText.length, oldText?.length ?? 0) > diffText);
    return edits.length > 1 || isTooLong || (title ?? '').length > asked || (isShown && JSON.stringify(rawInput ?? '').length > asked);
}
