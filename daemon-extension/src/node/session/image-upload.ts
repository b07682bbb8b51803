// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { PromptImage } from '../../common/qwen-daemon-protocol';
import { DaemonError, DaemonProblemError } from '../connection/daemon-problems';

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
        await Promise.all(sent.map(({ attachmentId }) => client.removeAttachment(attachmentId).catch(() => undefined)));
        throw error;
    }
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
