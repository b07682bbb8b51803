// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Accepted, AfterAcceptPage, ExpectedWrite } from './expected-write';

/** Follows each accept: shows the file that the CLI writes, or says that it was not written. */
export class AfterAccept implements Disposable {
    /** Writes that are expected, by the files' URIs. A later accept for the same file takes the place of an earlier one. */
    protected readonly expected = new Map<string, ExpectedWrite>();

    constructor(protected readonly page: AfterAcceptPage) {}

    /** Call it before the CLI gets the answer: from then on, no change of the file is missed. */
    expect(accepted: Accepted): ExpectedWrite {
        const { uri } = accepted.review;
        this.expected.get(uri)?.dispose();
        const expected = new ExpectedWrite(this.page, accepted, () => this.expected.delete(uri));
        this.expected.set(uri, expected);
        return expected;
    }

    dispose(): void {
        [...this.expected.values()].forEach(expected => expected.dispose());
    }
}
