// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { pathToFileURL } from 'url';
import type { DaemonApprovalMode, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { isApprovalMode } from '../../common/approval-modes';
import { EditorContextText } from '../../common/editor-context';
import { Answer, DaemonLimits, PermissionAnswer, PromptAccepted, PromptImage, SessionPrompt } from '../../common/qwen-daemon-protocol';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { DaemonSession } from './daemon-session';
import { rewindSession } from './session-rewind';

/** More than a person sends before the daemon has taken the first; the daemon itself keeps five. */
const MAX_ADMISSIONS = 10;

/**
 * In milliseconds. A prompt that waited longer for the daemon is not sent any more. The page gives up after two minutes, and if the user
 * then asks again, the work must not be done twice.
 */
const ADMISSION = 60_000;

/** How often a goal is read and paused, if Qwen changes it in between. */
const PAUSE_ATTEMPTS = 3;

/** What a page asks of a session: checked against what the session offered, and handed to the daemon. */
export class SessionCommands {
    /** Prompts and cancellations, one after the other, in the order in which the user gave them. */
    protected last: Promise<unknown> = Promise.resolve();
    protected readonly admissions = new Map<string, Promise<Answer<PromptAccepted>>>();

    constructor(
        readonly session: DaemonSession,
        protected readonly admission = ADMISSION
    ) {}

    /** Sends a request only once: a page repeats a call that got no answer. */
    sendPrompt(prompt: SessionPrompt): Promise<Answer<PromptAccepted>> {
        const running = this.admissions.get(prompt.requestId);
        if (running) {
            return running;
        }
        const known = this.session.own.turnOf(prompt.requestId);
        if (known) {
            return Promise.resolve({ ok: true, value: { turnId: known, ahead: 0 } });
        }
        if (this.admissions.size >= MAX_ADMISSIONS) {
            return Promise.resolve({ ok: false, problem: { code: 'prompt-limit' } });
        }
        const deadline = Date.now() + this.admission;
        // One prompt at a time, so that a turn of ours that begins meanwhile can only be this prompt's.
        const admission = this.enqueue(() => this.attempt(client => this.submit(client, prompt, deadline)));
        this.admissions.set(prompt.requestId, admission);
        return admission.finally(() => this.admissions.delete(prompt.requestId));
    }

    /** Cancels in its place among the prompts: the daemon cancels whatever runs, and that must not be a later prompt. */
    cancelTurn(turnId: string): Promise<Answer<void>> {
        return this.enqueue(() => this.cancel(turnId));
    }

    protected cancel(turnId: string): Promise<Answer<void>> {
        return this.attempt(async client => {
            const { turns } = this.session.mapper;
            const isOwn = this.session.own.requestOf(turnId) !== undefined;
            if (turns.knows(turnId) && !turns.isOpen(turnId)) {
                return;
            }
            if (!turns.knows(turnId) && !isOwn) {
                throw new DaemonProblemError({ code: 'invalid' });
            }
            const waits = turns.isQueued(turnId) || !turns.knows(turnId);
            const { removed } = !waits
                ? { removed: false }
                : await (this.session.own.steers(turnId) ? client.removeMidTurnMessage(turnId) : client.removePendingPrompt(turnId));
            const { running } = this.session.mapper.turns;
            const ended = this.session.mapper.turns.knows(turnId) && !this.session.mapper.turns.isOpen(turnId);
            if (!removed && !ended && (running === turnId || running === undefined)) {
                await client.cancel();
                await this.pauseGoal(client);
            }
        });
    }

    /** Whoever stops a turn does not want its goal to begin the next one. `/goal resume` goes on with it. */
    protected async pauseGoal(client: DaemonSessionClient): Promise<void> {
        for (let attempt = 1; ; attempt++) {
            try {
                const { goal } = (await client.goal()).snapshot;
                if (goal?.status === 'active') {
                    await client.controlGoal({ action: 'pause', expectedGoalId: goal.goalId, expectedRevision: goal.revision });
                }
                return;
            } catch (error) {
                const status = DaemonError.status(error);
                if (status === 404) {
                    // An old daemon has none.
                    return;
                }
                // 409: Qwen has changed the goal meanwhile, perhaps because its turn was cancelled.
                if (status !== 409 || attempt === PAUSE_ATTEMPTS) {
                    throw error;
                }
            }
        }
    }

    /** The session forgets this turn and all that came after it. In its place among the prompts; none of them may run. */
    rewind(turnId: string): Promise<Answer<void>> {
        return this.enqueue(() => this.attempt(client => rewindSession(client, this.session.mapper.turns, turnId)));
    }

    async answerPermission(permissionId: string, answer: PermissionAnswer): Promise<Answer<'accepted' | 'late'>> {
        const { permissions } = this.session.mapper;
        const pending = permissions.get(permissionId);
        if (!pending) {
            return { ok: true, value: 'late' };
        }
        const vote = permissions.vote(pending, answer);
        if (!vote) {
            return { ok: false, problem: { code: 'invalid' } };
        }
        // If this fails, the request stays and can be answered again.
        return this.attempt(async client => {
            if (permissions.refuses(pending.request, answer)) {
                // Qwen Code (0.24) would take them into the turn that it ends, and never answer them. The user gets them back.
                const { steering } = this.session.mapper.turns;
                await Promise.all(steering.map(turnId => client.removeMidTurnMessage(turnId).catch(() => undefined)));
            }
            const accepted =
                this.session.mapper.permissions.get(permissionId) !== undefined &&
                (await client.respondToSessionPermission(permissionId, vote));
            return accepted ? 'accepted' : 'late';
        });
    }

    async setModel(modelId: string): Promise<Answer<void>> {
        if (!this.session.context.models.some(({ id }) => id === modelId)) {
            return { ok: false, problem: { code: 'invalid' } };
        }
        // The daemon's answer holds a part of a key and is dropped. The change comes as an event.
        return this.attempt(async client => void (await client.setModel(modelId)));
    }

    setApprovalMode(modeId: string): Promise<Answer<void>> {
        return this.attempt(client => this.changeMode(client, modeId));
    }

    protected async changeMode(client: DaemonSessionClient, modeId: string): Promise<void> {
        const { session } = this;
        const { modes } = session.context;
        // If the daemon could not be asked: the modes that every daemon has.
        if (modes.length > 0 ? !modes.some(({ id }) => id === modeId) : !isApprovalMode(modeId)) {
            throw new DaemonProblemError({ code: 'invalid' });
        }
        const before = session.chosenModeId;
        // Before: the event of the change compares the two.
        session.chosenModeId = modeId;
        try {
            await client.client.setSessionApprovalMode(session.sessionId, modeId as DaemonApprovalMode, { clientId: client.clientId });
        } catch (error) {
            session.chosenModeId = before;
            throw error;
        }
        session.log.append(session.mapper.traits.mode(modeId));
        await session.keepMode();
    }

    protected enqueue<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
        const asked = this.last.then(ask);
        this.last = asked;
        return asked;
    }

    protected async submit(client: DaemonSessionClient, prompt: SessionPrompt, deadline: number): Promise<PromptAccepted> {
        const { ahead } = this.session.mapper.turns;
        const links = (prompt.files ?? []).map(file => ({
            type: 'resource_link',
            uri: pathToFileURL(file).href,
            name: path.basename(file)
        }));
        // A block of its own: what the daemon says of the prompt begins with the user's words.
        const editor = prompt.editor ? [{ type: 'text', text: EditorContextText.create(prompt.editor) }] : [];
        const images = await sendImages(client, prompt.images ?? []);
        if (Date.now() > deadline) {
            await removeImages(client, images);
            throw new DaemonProblemError({ code: 'not-sent' });
        }
        const { modeId } = prompt;
        if (modeId !== undefined && (modeId !== this.session.mapper.traits.modeId || modeId !== this.session.chosenModeId)) {
            await this.changeMode(client, modeId);
        }
        const messageId = this.canSteer(prompt) ? await this.steer(client, prompt) : undefined;
        if (messageId !== undefined) {
            return { turnId: messageId, ahead, steers: true };
        }
        const content = [{ type: 'text', text: prompt.text }, ...editor, ...images, ...links];
        this.session.own.expected = prompt.requestId;
        try {
            const { promptId } = await client.submitPrompt({ prompt: content });
            this.session.own.add(promptId, prompt.requestId);
            return { turnId: promptId, ahead };
        } catch (error) {
            // Only the answer was lost: the turn's events have come.
            const turnId = this.session.own.turnOf(prompt.requestId);
            if (turnId === undefined) {
                if (!DaemonError.isNetwork(error)) {
                    await removeImages(client, images);
                }
                throw error;
            }
            return { turnId, ahead };
        } finally {
            this.session.own.expected = undefined;
        }
    }

    /** A turn that was asked for here runs, and the daemon takes this message for it: text only, and no command. */
    protected canSteer({ text, files, images, editor }: SessionPrompt): boolean {
        const { running } = this.session.mapper.turns;
        const length = text.length + (editor ? EditorContextText.create(editor).length : 0);
        return (
            running !== undefined &&
            this.session.own.requestOf(running) !== undefined &&
            !files?.length &&
            !images?.length &&
            !text.startsWith('/') &&
            length < DaemonLimits.steering
        );
    }

    /** @returns `undefined` if the daemon does not take it: the turn has just ended, or too many messages wait */
    protected async steer(client: DaemonSessionClient, { requestId, text, editor }: SessionPrompt): Promise<string | undefined> {
        const message = editor ? text + EditorContextText.create(editor) : text;
        // Before, for the turn may take it before the answer comes.
        this.session.own.add(requestId, requestId, true);
        let accepted = false;
        try {
            // Its own id, so that the daemon takes it once if the page asks again.
            ({ accepted } = await client.enqueueMidTurnMessage(message, { messageId: requestId }));
        } catch (error) {
            if (DaemonError.isNetwork(error)) {
                throw error;
            }
        } finally {
            if (!accepted) {
                this.session.own.forget(requestId);
            }
        }
        return accepted ? requestId : undefined;
    }

    protected async attempt<T>(ask: (client: DaemonSessionClient) => Promise<T>): Promise<Answer<T>> {
        try {
            return { ok: true, value: await ask(await this.session.client()) };
        } catch (error) {
            this.session.reportFailure(error);
            return { ok: false, problem: problemOf(error) };
        }
    }
}

type Attachment = Awaited<ReturnType<DaemonSessionClient['uploadAttachment']>>;

/**
 * Hands the images of a prompt to the daemon, which keeps them with the session.
 *
 * @returns the parts of the prompt that refer to them. If it rejects, none of them is left there.
 */
export async function sendImages(client: DaemonSessionClient, images: readonly PromptImage[]): Promise<Attachment[]> {
    const sent: Attachment[] = [];
    try {
        for (const image of images) {
            sent.push(await upload(client, image));
        }
        return sent;
    } catch (error) {
        await removeImages(client, sent);
        throw error;
    }
}

async function removeImages(client: DaemonSessionClient, images: readonly Attachment[]): Promise<void> {
    await Promise.all(images.map(({ attachmentId }) => client.removeAttachment(attachmentId).catch(() => undefined)));
}

async function upload(client: DaemonSessionClient, { name, mimeType, data }: PromptImage): Promise<Attachment> {
    try {
        return await client.uploadAttachment(
            new Blob([Buffer.from(data, 'base64')], { type: mimeType }),
            fileName(name, mimeType),
            mimeType
        );
    } catch (error) {
        throw [400, 413].includes(DaemonError.status(error) ?? 0) ? new DaemonProblemError({ code: 'bad-image', name }) : error;
    }
}

/** A name that the daemon takes: of a file, without a path, with an ending of its kind (Qwen Code 0.24 checks both). */
function fileName(name: string, mimeType: string): string {
    const stem = path
        .parse(name.replaceAll('\\', '/'))
        // eslint-disable-next-line no-control-regex
        .name.replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '')
        .replace(/^[. ]+|[. ]+$/g, '');
    return `${stem.slice(0, 50) || 'image'}.${mimeType.replace('image/', '')}`;
}
