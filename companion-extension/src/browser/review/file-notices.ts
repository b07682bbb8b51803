// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { visibleText } from '../../common/visible-text';
import { REPLACEMENT_CHARACTER } from '../../common/file-decoder';
import { ReviewFacts, ReviewNotice } from './review-facts';

/** Notices about files that are special: by their encoding, their line ends, their names, or because they cannot be written. */
export class FileNotices {
    of(facts: ReviewFacts): ReviewNotice[] {
        return [...this.ofPath(facts), ...this.ofEncoding(facts), ...this.ofLineEnds(facts)];
    }

    protected ofPath({ file: { obstacle, similarName } = { state: 'same' } }: ReviewFacts): ReviewNotice[] {
        const texts = [
            obstacle !== undefined &&
                nls.localize('theia/cli-companion/review/obstacle', 'The file cannot be written as it is: {0}', visibleText(obstacle)),
            similarName !== undefined &&
                nls.localize(
                    'theia/cli-companion/review/similarName',
                    'There is a file with almost this name: {0}. It differs only in case, or in the form of its letters.',
                    visibleText(similarName)
                )
        ];
        return texts.filter(text => typeof text === 'string').map(text => ({ text }));
    }

    protected ofEncoding({ differences, chosenEncoding }: ReviewFacts): ReviewNotice[] {
        if (differences.some(({ kind }) => kind === 'unknownEncoding')) {
            const text = nls.localize(
                'theia/cli-companion/review/unknownEncoding',
                'The encoding of the file on disk is not known: some characters on the left are shown as {0}. Single changes cannot be taken back.',
                REPLACEMENT_CHARACTER
            );
            return [{ text, action: 'chooseEncoding' }];
        }
        if (chosenEncoding === undefined) {
            return [];
        }
        const text = nls.localize(
            'theia/cli-companion/review/chosenEncoding',
            'The file on disk is read as {0}, as you have chosen.',
            chosenEncoding
        );
        return [{ text, action: 'chooseEncoding' }];
    }

    protected ofLineEnds({ isEdited, uncertainLineEnds = 0 }: ReviewFacts): ReviewNotice[] {
        if (!isEdited || uncertainLineEnds === 0) {
            return [];
        }
        const text = nls.localize(
            'theia/cli-companion/review/lineEnds',
            'This file mixes line ends. Accepting your text may change those of up to {0} lines.',
            uncertainLineEnds
        );
        return [{ text }];
    }
}
