// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { visibleText } from '../../common/visible-text';

/** Quick picks draw `$(name)` as an icon; text from a CLI or a file name is text. */
export function withoutIcons(text: string): string {
    return visibleText(text).replace(/\$\(/g, '$\u200b(');
}

/** @param age in milliseconds */
export function describeAge(age: number): string {
    const seconds = Math.max(0, Math.round(age / 1000));
    const format = new Intl.RelativeTimeFormat(nls.locale ?? 'en', { numeric: 'auto', style: 'short' });
    if (seconds < 60) {
        return format.format(-seconds, 'second');
    }
    return seconds < 3600 ? format.format(-Math.floor(seconds / 60), 'minute') : format.format(-Math.floor(seconds / 3600), 'hour');
}
