// SPDX-License-Identifier: Apache-2.0

import { ChatContext, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { IMAGE_CONTEXT_VARIABLE, ImageContextVariable } from '@theia/ai-chat/lib/common/image-context-variable';
import { ParsedChatRequest, ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { DaemonProblem } from '../../common/daemon-problem';
import { PromptImage } from '../../common/qwen-daemon-protocol';

/** What Qwen Code 0.24 takes. */
const KINDS = /^image\/(png|jpeg|gif|webp|bmp)$/;
/** Base64 characters of all of a message, 20 MiB: they cross to the backend in one. */
const MAX_CHARACTERS = 28 * 1024 * 1024;

/** Theia's name of the variable for a file. */
const FILE = 'file';

export type RequestImages = { images: PromptImage[] } | { problem: DaemonProblem };

/** The images that Theia read for a request: pasted into its text, or attached at the input. */
export function imagesOf({ context, message }: MutableChatRequestModel): RequestImages {
    const named = message.parts.filter(part => part instanceof ParsedChatRequestVariablePart);
    const args = [
        ...context.variables.filter(isImage).map(({ arg }) => arg),
        ...named
            .filter(({ variableName }) => variableName === IMAGE_CONTEXT_VARIABLE.name)
            .map(part => part.resolution?.arg ?? part.variableArg)
    ];
    const images: PromptImage[] = [];
    for (const arg of args) {
        const image = parsed(arg);
        const name = image?.wsRelativePath ?? image?.name ?? arg ?? 'image';
        if (!image || !ImageContextVariable.isResolved(image) || !KINDS.test(image.mimeType)) {
            return { problem: { code: 'bad-image', name } };
        }
        if (!images.some(({ data }) => data === image.data)) {
            images.push({ name, mimeType: image.mimeType, data: image.data });
        }
    }
    const characters = images.reduce((sum, { data }) => sum + data.length, 0);
    return characters > MAX_CHARACTERS ? { problem: { code: 'bad-image' } } : { images };
}

function isImage({ variable }: { variable: { id: string } }): boolean {
    return variable.id === IMAGE_CONTEXT_VARIABLE.id;
}

/** `undefined` where it is only the name of an image. */
function parsed(arg: string | undefined): ImageContextVariable | undefined {
    try {
        return arg === undefined ? undefined : ImageContextVariable.parseArg(arg);
    } catch {
        return undefined;
    }
}

export interface Attachments {
    /** Paths of the files, relative to the workspace (with the root's name first) or absolute, as Theia names them. */
    files: string[];
    unsupported: string[];
}

/**
 * What the user attached to the request, or named in its text as `#file:…`, except images. Files go as links, and the daemon reads them
 * itself. Nothing else can be sent.
 */
export function attachments(context: ChatContext, { parts }: Pick<ParsedChatRequest, 'parts'>): Attachments {
    const files = new Set<string>();
    const unsupported: string[] = [];
    for (const { variable, arg } of context.variables) {
        if (variable.name === FILE && arg) {
            files.add(arg);
        } else if (!isImage({ variable })) {
            unsupported.push(variable.label ?? variable.name);
        }
    }
    for (const part of parts) {
        if (part instanceof ParsedChatRequestVariablePart && part.variableName === FILE && part.variableArg) {
            files.add(part.variableArg);
        }
    }
    return { files: [...files], unsupported };
}
