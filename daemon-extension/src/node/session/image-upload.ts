// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { PromptImage } from '../../common/prompt-image';
import { DaemonError, DaemonProblemError } from '../connection/daemon-problems';

type Attachment = Awaited<ReturnType<DaemonSessionClient['uploadAttachment']>>;

/** Hands the images of a prompt to the daemon, which keeps them with the session. */
export namespace ImageUpload {
    /** @returns the parts of the prompt that stand for them. If it rejects, nothing of them is left there. */
    export async function send(client: DaemonSessionClient, images: readonly PromptImage[]): Promise<Attachment[]> {
        const sent: Attachment[] = [];
        try {
            for (const image of images) {
                sent.push(await upload(client, image));
            }
            return sent;
        } catch (error) {
            await Promise.all(sent.map(({ attachmentId }) => client.removeAttachment(attachmentId).catch(() => undefined)));
            throw error;
        }
    }

    async function upload(client: DaemonSessionClient, image: PromptImage): Promise<Attachment> {
        const { name, mimeType, data } = image;
        try {
            const blob = new Blob([Buffer.from(data, 'base64')], { type: mimeType });
            return await client.uploadAttachment(blob, PromptImage.fileName(image), mimeType);
        } catch (error) {
            const status = DaemonError.status(error);
            if (status === 413 || status === 400) {
                throw new DaemonProblemError({ code: 'bad-image', flaw: status === 413 ? 'size' : 'type', name });
            }
            throw error;
        }
    }
}
