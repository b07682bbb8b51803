// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { z } from 'zod/v4';
import { PromptImage } from '../../common/prompt-image';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';

const providers = z.object({
    providers: z.array(
        z.object({
            models: z.array(
                z.object({
                    modelId: z.string(),
                    name: z.string().default(''),
                    baseUrl: z.string().optional(),
                    isCurrent: z.boolean().default(false),
                    modalities: z.object({ image: z.boolean().optional() }).optional()
                })
            )
        })
    ),
    current: z.object({ visionModelId: z.string().optional() }).optional()
});

type Attachment = Awaited<ReturnType<DaemonSessionClient['uploadAttachment']>>;

/** Hands the images of a prompt to the daemon, which keeps them with the session. */
export namespace ImageUpload {
    /**
     * @param modelId of the session
     * @returns the parts of the prompt that stand for them. Rejects with a {@link DaemonProblemError}; then nothing of them is left there.
     */
    export async function send(
        client: DaemonSessionClient,
        images: readonly PromptImage[],
        modelId: string | undefined
    ): Promise<Attachment[]> {
        if (!images.length) {
            return [];
        }
        await checkVision(client, modelId);
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
            // Of an old daemon, which does not know the route.
            const isOld = status === 404 && DaemonError.code(error) === undefined;
            throw new DaemonProblemError(isOld ? { code: 'no-images' } : problemOf(error, 'upload-image'));
        }
    }

    /**
     * The daemon drops images silently which neither the model sees nor another one at the same address describes for it (Qwen Code 0.24).
     * If it does not say what its models can see, they are sent.
     */
    async function checkVision(client: DaemonSessionClient, modelId: string | undefined): Promise<void> {
        const answer: unknown = await client.client.workspaceProviders().catch(() => undefined);
        const { data } = providers.safeParse(answer);
        const models = data?.providers.flatMap(provider => provider.models) ?? [];
        const model = models.find(candidate => candidate.modelId === modelId) ?? models.find(({ isCurrent }) => isCurrent);
        if (!model?.modalities || model.modalities.image || data?.current?.visionModelId) {
            return;
        }
        if (!models.some(({ baseUrl, modalities }) => modalities?.image && baseUrl === model.baseUrl)) {
            throw new DaemonProblemError({ code: 'no-vision', model: model.name || model.modelId });
        }
    }
}
