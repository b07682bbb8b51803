// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { Sentences, ProblemOf, SessionNotice } from './daemon-problem';
import { PromptImage } from './prompt-image';

const MIB = 1024 * 1024;

export function badImage(problem: ProblemOf<'bad-image'>): Sentences {
    return [
        badImageMessage(problem),
        nls.localize('theia/qwen-daemon/image/badNext', 'The message was not sent. Edit it above, or send another one.')
    ];
}

function badImageMessage({ flaw, name = '' }: ProblemOf<'bad-image'>): string {
    switch (flaw) {
        case 'type':
            return nls.localize(
                'theia/qwen-daemon/image/type',
                'Qwen does not accept images like {0}: only PNG, JPEG, GIF, WebP and BMP.',
                name
            );
        case 'size':
            return nls.localize(
                'theia/qwen-daemon/image/size',
                'The image {0} is too large: Qwen takes {1} MiB at most.',
                name,
                PromptImage.maxBytes / MIB
            );
        case 'empty':
            return nls.localize('theia/qwen-daemon/image/empty', 'The image {0} is empty.', name);
        case 'unreadable':
            return nls.localize('theia/qwen-daemon/image/unreadable', 'The image {0} could not be read.', name);
        case 'count':
            return nls.localize('theia/qwen-daemon/image/count', 'Too many images: {0} go with a message at most.', PromptImage.maxCount);
        case 'total':
            return nls.localize(
                'theia/qwen-daemon/image/total',
                'The images are too large together: {0} MiB go with a message at most.',
                PromptImage.maxTotalBytes / MIB
            );
    }
}

export function noImages(): Sentences {
    return [
        nls.localize('theia/qwen-daemon/image/tooOld', 'This daemon does not accept images.'),
        nls.localize('theia/qwen-daemon/image/tooOldNext', 'Update Qwen Code, or send the message without them.')
    ];
}

/** Qwen Code has another model describe images for one that cannot see them. Where they went, the user should know. */
export function imagesDescribed({ described, omitted, by, sent }: Extract<SessionNotice, { code: 'images-described' }>): string {
    if (described === 0) {
        return sent
            ? nls.localize(
                  'theia/qwen-daemon/image/notDescribedSent',
                  'The model cannot see images. They were sent to {0}, which did not describe them, so the model knows nothing about them.',
                  by
              )
            : nls.localize(
                  'theia/qwen-daemon/image/notDescribed',
                  'The model cannot see images, and {0} could not describe them, so the model knows nothing about them.',
                  by
              );
    }
    const text = nls.localize(
        'theia/qwen-daemon/image/described',
        'The model cannot see images. They were sent with the prompt to {0}, which described them for it.',
        by
    );
    return omitted > 0 ? `${text} ${nls.localize('theia/qwen-daemon/image/omitted', 'Left out: {0}.', omitted)}` : text;
}
