// SPDX-License-Identifier: Apache-2.0

/** An image that goes with a prompt. */
export interface PromptImage {
    /** A file's name, for people and for the model. */
    name: string;
    mimeType: string;
    /** Base64. */
    data: string;
}

/** What is wrong with the images of a prompt. */
export type ImageFlaw = 'type' | 'size' | 'empty' | 'unreadable' | 'count' | 'total';

const MIB = 1024 * 1024;

/** The kinds that Qwen Code takes as images, by MIME type, each with the endings of its files. */
const ENDINGS: Record<string, readonly string[]> = {
    'image/png': ['png'],
    'image/jpeg': ['jpg', 'jpeg'],
    'image/gif': ['gif'],
    'image/webp': ['webp'],
    'image/bmp': ['bmp']
};

export namespace PromptImage {
    /** Of one, in bytes: the daemon's limit (Qwen Code 0.24). */
    export const maxBytes = 8 * MIB;
    /** Of all of a prompt, in bytes: they cross to the backend in one message. */
    export const maxTotalBytes = 20 * MIB;
    export const maxCount = 10;

    /** In bytes. */
    export function size({ data }: Pick<PromptImage, 'data'>): number {
        return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
    }

    export function isSupported(mimeType: string): boolean {
        return Object.hasOwn(ENDINGS, mimeType);
    }

    /** The first thing that is wrong, with the image that it is about. */
    export function flaw(images: readonly PromptImage[]): { flaw: ImageFlaw; name?: string } | undefined {
        for (const image of images) {
            const bytes = size(image);
            const flaw = !isSupported(image.mimeType) ? 'type' : bytes === 0 ? 'empty' : bytes > maxBytes ? 'size' : undefined;
            if (flaw) {
                return { flaw, name: image.name };
            }
        }
        if (images.length > maxCount) {
            return { flaw: 'count' };
        }
        return images.reduce((sum, image) => sum + size(image), 0) > maxTotalBytes ? { flaw: 'total' } : undefined;
    }

    /** A name that the daemon takes: of a file, without a path, with an ending that fits the kind (Qwen Code 0.24 checks both). */
    export function fileName({ name, mimeType }: Pick<PromptImage, 'name' | 'mimeType'>): string {
        const endings = ENDINGS[mimeType] ?? [];
        const last = name.split(/[\\/]/).pop() ?? '';
        // eslint-disable-next-line no-control-regex
        const base = last.replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '').replace(/^[. ]+|[. ]+$/g, '');
        const ending = /\.([^.]*)$/.exec(base)?.[1].toLowerCase() ?? '';
        const fits = endings.includes(ending);
        const stem = (fits ? base.slice(0, -ending.length - 1) : base).slice(0, 50) || 'image';
        const isReserved = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i.test(stem);
        return `${isReserved ? 'image' : stem}.${fits ? ending : endings[0]}`;
    }
}
