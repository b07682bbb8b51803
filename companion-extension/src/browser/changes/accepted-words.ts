// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { AcceptedProposal } from '../../common/companion-protocol';
import { joinClauses } from '../../common/sentences';

/** Its CLI has made something of it. */
export function isWritten({ verdict }: AcceptedProposal): boolean {
    return verdict === 'written' || verdict === 'formatted' || verdict === 'different';
}

/** For the status bar, and for screen readers. */
export function describeWrite({ verdict, lost }: AcceptedProposal, path: string): string {
    if (lost === 'link') {
        return nls.localize('theia/cli-companion/review/writtenLink', '{0} written: it was a link, and is a file of its own now', path);
    }
    if (lost === 'executable') {
        return nls.localize('theia/cli-companion/review/writtenMode', '{0} written: it cannot be executed any more', path);
    }
    switch (verdict) {
        case 'formatted':
            return nls.localize('theia/cli-companion/review/writtenFormatted', '{0} written, and formatted', path);
        case 'different':
            return nls.localize('theia/cli-companion/review/writtenOtherwise', '{0} written, but not as you accepted it', path);
        default:
            return nls.localize('theia/cli-companion/review/written', '{0} written', path);
    }
}

/** Beside its row: how it was written, and why there is no undo. */
export function describeAccepted(proposal: AcceptedProposal): string {
    const { verdict, noUndo } = proposal;
    const how = {
        written: '',
        formatted: nls.localize('theia/cli-companion/accepted/formatted', 'formatted'),
        different: nls.localize('theia/cli-companion/accepted/different', 'not as you accepted it'),
        unknown: nls.localize('theia/cli-companion/accepted/unknown', 'not known whether it was written'),
        notWritten: nls.localize('theia/cli-companion/accepted/notWritten', 'not written')
    }[verdict];
    const why = {
        private: nls.localize('theia/cli-companion/accepted/private', 'no undo: this file is never shared'),
        room: nls.localize('theia/cli-companion/accepted/room', 'no undo: the text before is too large to be kept'),
        unknown: nls.localize('theia/cli-companion/accepted/noText', 'no undo: the text before is not known')
    };
    return joinClauses([how, isWritten(proposal) && noUndo ? why[noUndo] : ''].filter(text => text !== ''));
}
