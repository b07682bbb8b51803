// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import {
    IMAGE_CONTEXT_VARIABLE,
    ImageContextVariable,
    ResolvedImageContextVariable
} from '@theia/ai-chat/lib/common/image-context-variable';
import { ParsedChatRequestPart, ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { DaemonProblem } from '../../common/daemon-problem';
import { PromptImage } from '../../common/prompt-image';

/**
 * Reads a file that is attached to a message as an image, by its name as Theia writes it. Resolves to `undefined` if there is none, and to
 * its size alone if it is larger than an image may be.
 */
export type ReadImage = (name: string) => Promise<{ mimeType: string; data: string } | 'too-large' | undefined>;
export const ReadImage = Symbol('ReadImage');

export type RequestImages = { images: PromptImage[] } | { problem: DaemonProblem };

type ImagePart = ParsedChatRequestVariablePart & { variableArg: string };

/**
 * The images of a request: pasted or dropped into its text, or attached at the input. What Theia could not resolve is resolved here, also in
 * the message that the chat shows: files that were dragged from the explorer, whose path Theia looks for below the wrong folder; and what was
 * pasted into an earlier message that is sent again, since Theia forgets pasted images with the first sending (1.74).
 */
export async function imagesOf(request: MutableChatRequestModel, read: ReadImage): Promise<RequestImages> {
    const found = new Map<string, PromptImage>();
    for (const variable of request.context.variables.filter(isImage)) {
        const image = variable.arg === undefined ? undefined : parsed(variable.arg);
        const file = image && !ImageContextVariable.isResolved(image) ? await withFile(image, read) : image;
        if (file === 'too-large' || !file) {
            return { problem: problemOf(file, image?.name ?? variable.value) };
        }
        add(found, file);
    }
    for (const part of request.message.parts.filter(isImagePart)) {
        const image = imageIn(part) ?? earlier(request, part.variableArg) ?? (await withFile({ wsRelativePath: part.variableArg }, read));
        if (image === 'too-large' || !image) {
            return { problem: problemOf(image, part.variableArg) };
        }
        if (!imageIn(part)) {
            part.resolution = ImageContextVariable.resolve(ImageContextVariable.createRequest(image));
            // That is what Theia stores.
            request.message.variables.push(part.resolution);
        }
        add(found, image);
    }
    const images = [...found.values()];
    const flaw = PromptImage.flaw(images);
    return flaw ? { problem: { code: 'bad-image', ...flaw } } : { images };
}

/** Whether the chat shows an image in this message. */
export function showsImage({ context, message }: MutableChatRequestModel): boolean {
    return context.variables.some(isImage) || message.parts.some(part => isImagePart(part) && imageIn(part) !== undefined);
}

/** Theia stores a chat with the images that stand in its messages, but does not find them again after a reload (1.74). */
export function restoreImages({ message }: MutableChatRequestModel): void {
    for (const part of message.parts.filter(isImagePart)) {
        const stored = message.variables.find(variable => isImage(variable) && variable.value === part.resolution?.value);
        if (!imageIn(part) && stored) {
            part.resolution = stored;
        }
    }
}

/** Pasted at the input. */
export function isImageWithoutPath(element: object): boolean {
    return ImageContextVariable.isImageContextRequest(element) && parsed(element.arg)?.wsRelativePath === undefined;
}

export function isImage({ variable }: { variable: { id: string } }): boolean {
    return variable.id === IMAGE_CONTEXT_VARIABLE.id;
}

function isImagePart(part: ParsedChatRequestPart): part is ImagePart {
    return part instanceof ParsedChatRequestVariablePart && part.variableName === IMAGE_CONTEXT_VARIABLE.name && !!part.variableArg;
}

function imageIn({ resolution }: ParsedChatRequestVariablePart): ResolvedImageContextVariable | undefined {
    return resolution?.arg === undefined ? undefined : resolved(resolution.arg);
}

/** Theia calls a pasted image `pasted_image` in each message anew, so the newest is meant. */
function earlier(request: MutableChatRequestModel, arg: string): ResolvedImageContextVariable | undefined {
    const before = request.session.getRequests().filter(({ id }) => id !== request.id);
    const same = before.flatMap(({ message }) => message.parts.filter(isImagePart)).filter(({ variableArg }) => variableArg === arg);
    return same.map(imageIn).findLast(image => image !== undefined);
}

async function withFile(image: ImageContextVariable, read: ReadImage): Promise<ResolvedImageContextVariable | 'too-large' | undefined> {
    const name = image.wsRelativePath;
    const file = name ? await read(name) : undefined;
    return file === undefined || file === 'too-large' ? file : { ...image, ...file };
}

function parsed(arg: string): ImageContextVariable | undefined {
    try {
        return ImageContextVariable.parseArg(arg);
    } catch {
        return undefined;
    }
}

function resolved(arg: string): ResolvedImageContextVariable | undefined {
    const image = parsed(arg);
    return image && ImageContextVariable.isResolved(image) ? image : undefined;
}

function nameOf({ name, wsRelativePath }: ImageContextVariable): string {
    return wsRelativePath ?? name ?? 'image';
}

function add(found: Map<string, PromptImage>, image: ResolvedImageContextVariable): void {
    if (!found.has(image.data)) {
        found.set(image.data, { name: nameOf(image), mimeType: image.mimeType, data: image.data });
    }
}

function problemOf(file: 'too-large' | undefined, name: string): DaemonProblem {
    return { code: 'bad-image', flaw: file === 'too-large' ? 'size' : 'unreadable', name };
}
