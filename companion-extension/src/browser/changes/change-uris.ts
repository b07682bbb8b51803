// SPDX-License-Identifier: Apache-2.0

import { DiffUris } from '@theia/core/lib/browser/diff-uris';
import { URI } from '@theia/core/lib/common/uri';

export const BASELINE_SCHEME = 'companion-baseline';
/** The query of a side without a file. */
const NO_FILE = 'no-file';

/** `companion-baseline:<absolute path>`. The path gives language, icon and title. */
export const ChangeUris = {
    /** @param label the title @param isDeleted there is no file to show on the right */
    diff(file: URI, label: string, isDeleted: boolean): URI {
        const baseline = file.withScheme(BASELINE_SCHEME);
        return DiffUris.encode(baseline, isDeleted ? baseline.withQuery(NO_FILE) : file, label);
    },

    fileOf(baseline: URI): URI {
        return baseline.withScheme('file').withQuery('');
    },

    isNoFile(uri: URI): boolean {
        return uri.query === NO_FILE;
    },

    /** Whether the right side of the diff has no file. */
    hasNoFile(editor: URI): boolean {
        return ChangeUris.isNoFile(DiffUris.decode(editor)[1]);
    },

    /** The file whose change a diff shows; `undefined` for every other editor. */
    changedFile(editor: URI): URI | undefined {
        const left = DiffUris.isDiffUri(editor) ? DiffUris.decode(editor)[0] : undefined;
        return left?.scheme === BASELINE_SCHEME ? ChangeUris.fileOf(left) : undefined;
    }
} as const;

/** The last name of a file, or of a folder, whose URI ends with `/`. */
export function nameIn(uri: string): string {
    return new URI(uri.replace(/\/$/, '')).path.base;
}
