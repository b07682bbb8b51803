// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { pathToFileURL } from 'url';
import type { DaemonApprovalMode, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { isApprovalMode } from '../../common/approval-modes';
import { EditorContextText } from '../../common/editor-context';
import { Answer, EndEvent, PermissionAnswer, PromptImage, SessionPrompt } from '../../common/qwen-daemon-protocol';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { DaemonSession } from './daemon-session';
import { annotationOf } from './event-payloads';
import { rewindSession } from './session-rewind';

/** More than a person sends while Qwen works; the daemon itself keeps five. */
const MAX_WAITING = 10;

/**
 * What a page asks of a session: checked against what the session offered, and handed to the daemon. Prompts wait here until nothing runs, each
 * with its mode, because the daemon has one mode for all that wait there.
 */
export class SessionCommands {
    /** What changes the turns, one after the other, in the order in which the user gave it. */
    protected last: Promise<unknown> = Promise.resolve();
    /** By their turns. */
    protected readonly waiting = new Map<string, SessionPrompt>();
    /** The turn whose prompt is on its way. */
    protected sending: string | undefined;

    constructor(readonly session: DaemonSession) {
        session.log.onDidAppend(() => this.sendNext());
    }

    /** What becomes of it is said by the events of its turn, which has the id of the request. Asking twice asks once. */
    async sendPrompt(prompt: SessionPrompt): Promise<Answer<void>> {
        const { mapper, log } = this.session;
        const { turns } = mapper;
        const turnId = prompt.requestId;
        if (this.session.gone) {
            return { ok: false, problem: this.session.gone };
        }
        if (turns.knows(turnId)) {
            return { ok: true, value: undefined };
        }
        if (turns.waiting.length >= MAX_WAITING) {
            return { ok: false, problem: { code: 'prompt-limit' } };
        }
        turns.ask(turnId);
        this.waiting.set(turnId, prompt);
        log.append({ kind: 'turn', turnId, origin: 'own', prompt: mapper.prompt(prompt.text) }, ...turns.queue());
        this.sendNext();
        return { ok: true, value: undefined };
    }

    /** Cancels in its place among the prompts: the daemon cancels whatever runs, and that must not be a later prompt. */
    async cancelTurn(turnId: string): Promise<Answer<void>> {
        if (this.session.mapper.turns.is('waiting', turnId)) {
            this.end({ kind: 'end', turnId, outcome: 'removed' });
            return { ok: true, value: undefined };
        }
        return this.enqueue(() => this.attempt(client => this.cancel(client, turnId)));
    }

    protected async cancel(client: DaemonSessionClient, turnId: string): Promise<void> {
        if (!this.session.mapper.turns.knows(turnId)) {
            throw new DaemonProblemError({ code: 'invalid' });
        }
        const promptId = this.session.ids.promptOf(turnId);
        // Behind another client's prompt it waits in the daemon.
        if (
            promptId !== undefined &&
            this.session.mapper.turns.is('sent', turnId) &&
            (await client.removePendingPrompt(promptId)).removed
        ) {
            this.end({ kind: 'end', turnId, outcome: 'removed' });
        }
        const { turns } = this.session.mapper;
        if (turns.isOpen(turnId) && (turns.running ?? turnId) === turnId) {
            await client.cancel();
        }
    }

    /** The session forgets this turn and all that came after it. In its place among the prompts; none of them may run. */
    rewind(turnId: string): Promise<Answer<void>> {
        return this.enqueue(() =>
            this.attempt(async client => this.session.log.forget(await rewindSession(client, this.session.mapper.turns, turnId)))
        );
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

    /** Gives the daemon what waits longest, if nothing runs. */
    protected sendNext(): void {
        const { turns } = this.session.mapper;
        const [turnId] = turns.waiting;
        if (turnId !== undefined && turns.working.length === 0 && this.sending !== turnId) {
            this.sending = turnId;
            void this.enqueue(() => this.attempt(client => this.submit(client, turnId))).then(sent => {
                // Another one is on its way if this one was taken back.
                this.sending = this.sending === turnId ? undefined : this.sending;
                if (!sent.ok) {
                    this.end({ kind: 'end', turnId, outcome: 'removed', problem: sent.problem });
                }
                this.sendNext();
            });
        }
        this.waiting.forEach((_, known) => !turns.is('waiting', known) && this.waiting.delete(known));
    }

    protected async submit(client: DaemonSessionClient, turnId: string): Promise<void> {
        const prompt = this.waiting.get(turnId);
        if (!prompt) {
            throw new DaemonProblemError({ code: 'invalid' });
        }
        const { text, files = [], editor, images = [], modeId } = prompt;
        const links = files.map(file => ({ type: 'resource_link', uri: pathToFileURL(file).href, name: path.basename(file) }));
        // A block of its own: what the daemon says of the prompt begins with the user's words.
        const context = editor ? [{ type: 'text', text: EditorContextText.create(editor) }] : [];
        const { traits } = this.session.mapper;
        if (modeId !== undefined && (modeId !== traits.modeId || modeId !== this.session.chosenModeId)) {
            await this.changeMode(client, modeId);
        }
        const attached = await sendImages(client, images);
        if (!this.session.mapper.turns.send(turnId)) {
            // It was cancelled meanwhile.
            await removeImages(client, attached);
            return;
        }
        this.session.log.append({ kind: 'queue', turnIds: this.session.mapper.turns.waiting });
        const { promptId } = await client
            .submitPrompt({
                prompt: [{ type: 'text', text }, ...context, ...attached, ...links],
                _meta: { inputAnnotations: [annotationOf(turnId)] }
            })
            .catch(async error => {
                if (!DaemonError.isNetwork(error)) {
                    await removeImages(client, attached);
                    throw error;
                }
                // It may have arrived: its events say so, or the daemon says that nothing runs.
                this.session.reportFailure(error);
                return { promptId: undefined };
            });
        if (promptId !== undefined) {
            this.session.ids.add(promptId, turnId);
        }
    }

    protected end(event: EndEvent): void {
        this.session.log.append(...this.session.mapper.end(event));
    }

    protected async attempt<T>(ask: (client: DaemonSessionClient) => Promise<T>): Promise<Answer<T>> {
        try {
            return { ok: true, value: await ask(await this.session.client()) };
        } catch (error) {
            this.session.reportFailure(error);
            if (DaemonError.isSessionGone(error)) {
                // Another daemon answers, of which the stream has not heard yet. It may load the session.
                this.session.outOfStep();
                return { ok: false, problem: { code: 'session-died' } };
            }
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
async function sendImages(client: DaemonSessionClient, images: readonly PromptImage[]): Promise<Attachment[]> {
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

async function removeImages(client: DaemonSessionClient, images: Attachment[]): Promise<void> {
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
