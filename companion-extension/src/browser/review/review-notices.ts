// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { injectable } from '@theia/core/shared/inversify';
import { FileFacts, ReviewInfo } from '../../common/companion-protocol';
import { REPLACEMENT_CHARACTER } from '../../common/file-decoder';
import { joinSentences, listOf } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { reloadReason } from '../window/restart-watch';
import { OriginalDifference } from '../diff/original-file';

/**
 * What the user has answered, where that takes long. It waits for
 * - `connection`: nothing of it has left the page
 * - `confirmation`: it may have arrived
 * - `reload`: until then nothing arrives
 */
export interface UnconfirmedAnswer {
    readonly accepts: boolean;
    readonly waitsFor: 'connection' | 'confirmation' | 'reload';
}

/** The facts about a review that matter for a decision. @since 0.1 */
export interface ReviewFacts {
    readonly info: ReviewInfo;
    /** The user's text. */
    readonly isEdited: boolean;
    readonly isEmptied: boolean;
    readonly isTooLong: boolean;
    /** True if the typed text would be lost with the page. */
    readonly isAtRisk: boolean;
    readonly unconfirmed?: UnconfirmedAnswer;
    /** No line differs. */
    readonly changesNothing: boolean;
    readonly differences: readonly OriginalDifference[];
    /** The name of the encoding that the user has chosen for the file. */
    readonly chosenEncoding?: string;
    /** What the backend has seen of the file. */
    readonly file?: FileFacts;
    /** How many lines of an edited proposal may get another line end. */
    readonly uncertainLineEnds?: number;
    /** The file is open with unsaved changes. */
    readonly isUnsaved: boolean;
    /** The CLIs of other proposals for the file that wait. */
    readonly rivals: readonly string[];
}

/**
 * A sentence above the diff, and what it offers: to start the CLI again, to ask it again, to take the answer back, or to choose the encoding.
 *
 * @since 0.1
 */
export interface ReviewNotice {
    readonly text: string;
    readonly action?: 'runCli' | 'askAgain' | 'takeBack' | 'chooseEncoding';
}

/** The notices above a proposal: what matters for a decision, in plain sentences. Promised: `ofFile`, for subclasses. @since 0.1 */
@injectable()
export class ReviewNotices {
    /** The most important first: only that one is in sight. None promises what another one takes back. */
    of(facts: ReviewFacts): ReviewNotice[] {
        const refusal = this.refusalOf(facts);
        const about = [...this.ofFile(facts), ...this.ofSpecialFile(facts), ...this.ofProposal(facts), ...this.ofReadOnly(facts)];
        return [...(refusal ? [refusal] : []), ...about.map(notice => (typeof notice === 'string' ? { text: notice } : notice))];
    }

    /** Why accepting would do nothing; `undefined` if it does something, or if that is not known. */
    refusalOf(facts: ReviewFacts): ReviewNotice | undefined {
        const { info, isEmptied, isTooLong, changesNothing, isEdited, unconfirmed } = facts;
        if (unconfirmed) {
            return this.describeUnconfirmed(unconfirmed);
        }
        if (info.cliGone) {
            const text = nls.localize(
                'theia/cli-companion/review/cliGone',
                '{0} has stopped responding: accepting would write nothing. If you stopped it with Ctrl+Z, type "fg" in its terminal.',
                info.cliName
            );
            return { text, action: 'runCli' };
        }
        if (isEmptied) {
            const text = nls.localize(
                'theia/cli-companion/review/emptied',
                '{0} cannot empty a file: it would write its own proposal instead. Reject the proposal, or leave some text.',
                info.cliName
            );
            return { text };
        }
        if (isTooLong) {
            const text = nls.localize(
                'theia/cli-companion/review/tooLong',
                'The text on the right is too long to be accepted or kept. Shorten it, or undo your last edit.'
            );
            return { text };
        }
        if (changesNothing && isEdited) {
            const text = nls.localize(
                'theia/cli-companion/review/nothingLeft',
                'Nothing is left of the proposal. Reject it, or undo your last edit.'
            );
            return { text };
        }
        const difference = this.refusedDifference(facts);
        const text = difference && this.describeDifference(difference, info);
        return text === undefined ? undefined : { text, action: 'askAgain' };
    }

    protected describeUnconfirmed({ accepts, waitsFor }: UnconfirmedAnswer): ReviewNotice {
        const answer = accepts
            ? nls.localize('theia/cli-companion/review/youAccepted', 'Accepted.')
            : nls.localize('theia/cli-companion/review/youRejected', 'Rejected.');
        switch (waitsFor) {
            case 'connection': {
                const waits = nls.localize('theia/cli-companion/review/waitsForConnection', 'Waiting for the connection.');
                return { text: joinSentences([answer, waits]), action: 'takeBack' };
            }
            case 'confirmation': {
                const may = nls.localize('theia/cli-companion/review/mayHaveArrived', 'It may have arrived, but is not confirmed yet.');
                return { text: joinSentences([answer, may]) };
            }
            case 'reload':
                return { text: joinSentences([answer, reloadReason()]) };
        }
    }

    /**
     * What makes the CLI write nothing. Qwen Code (0.24) compares the time and the size of the file, as the left side does. A file that has
     * vanished it writes again, or not, depending on the tool that its model has called.
     */
    protected refusedDifference({ info, differences }: ReviewFacts): OriginalDifference | undefined {
        // Nobody knows what a CLI that does not respond will do.
        const { changedFile, createdFile = changedFile } = info.traits;
        const refused = (kind: OriginalDifference['kind']): boolean =>
            (kind === 'changed' && changedFile === 'refuses') || (kind === 'created' && createdFile === 'refuses');
        return info.cliGone ? undefined : differences.find(({ kind }) => refused(kind));
    }

    /** Notices about the file. */
    protected ofFile(facts: ReviewFacts): string[] {
        const { info, isAtRisk, differences, isUnsaved, rivals } = facts;
        const refused = this.refusedDifference(facts);
        return [
            isAtRisk &&
                nls.localize(
                    'theia/cli-companion/review/notStored',
                    'What you typed is only in this page: the IDE has not confirmed it, and the browser cannot store it. Leave this page open.'
                ),
            info.outsideWorkspace &&
                nls.localize(
                    'theia/cli-companion/review/outsideWorkspace',
                    'This file is outside this workspace: {0}',
                    visibleText(info.path)
                ),
            ...differences.filter(({ kind }) => kind !== refused?.kind).map(difference => this.describeDifference(difference, info)),
            rivals.length > 0 &&
                nls.localize(
                    'theia/cli-companion/review/rivals',
                    'Another proposal for this file is waiting: {0}. The one that is written last may replace the other.',
                    listOf(rivals)
                ),
            !refused &&
                isUnsaved &&
                nls.localize(
                    'theia/cli-companion/review/unsaved',
                    'This file is open with unsaved changes. They are not part of this diff, and what {0} writes will conflict with them.',
                    info.cliName
                )
        ].filter(text => typeof text === 'string');
    }

    /** Notices about the proposal. */
    protected ofProposal(facts: ReviewFacts): string[] {
        const { info, isEdited, changesNothing } = facts;
        if (this.refusalOf(facts)) {
            return [];
        }
        return [
            isEdited &&
                (info.traits.dropsEditsInTerminal
                    ? nls.localize(
                          'theia/cli-companion/review/answerHere',
                          'Answer here to keep your edits. If you answer in the terminal, {0} drops them and writes its own text.',
                          info.cliName
                      )
                    : nls.localize('theia/cli-companion/review/edited', 'You have edited the proposal: {0} gets your text.', info.cliName)),
            changesNothing &&
                nls.localize(
                    'theia/cli-companion/review/changesNothing',
                    'No lines differ. Accepting changes at most the line endings or the byte order mark.'
                )
        ].filter(text => typeof text === 'string');
    }

    /** Why nothing can be typed on the right. */
    protected ofReadOnly({ info: { traits, cliName } }: ReviewFacts): string[] {
        const text = nls.localize(
            'theia/cli-companion/review/readOnly',
            'Read-only: {0} always writes its own text. To change it, reject it with a reason.',
            cliName
        );
        return traits.writesOwnText ? [text] : [];
    }

    protected describeDifference({ kind, cause }: OriginalDifference, { cliName, cliGone, traits }: ReviewInfo): string | undefined {
        // Nobody knows what a CLI that does not respond will do. Measured with Qwen Code 0.24, Gemini CLI 0.61 and Claude Code 2.1.330.
        const refused = nls.localize('theia/cli-companion/review/refused', '{0} will write nothing, even if you accept.', cliName);
        const does = kind === 'created' ? (traits.createdFile ?? traits.changedFile) : traits.changedFile;
        const withConsequence = (what: string, replaces: string, { refuses = refused, merges = replaces } = {}): string =>
            cliGone ? what : joinSentences([what, does ? { refuses, merges }[does] : replaces]);
        const mayWriteNothing = nls.localize(
            'theia/cli-companion/review/vanishedRefused',
            '{0} may write nothing, even if you accept.',
            cliName
        );
        switch (kind) {
            case 'changed':
                return withConsequence(
                    nls.localize(
                        'theia/cli-companion/review/changed',
                        'The file on disk has changed since {0} made this proposal.',
                        cliName
                    ),
                    nls.localize('theia/cli-companion/review/changedOverwritten', 'Accepting replaces what is on the left.'),
                    {
                        merges: nls.localize(
                            'theia/cli-companion/review/changedMerged',
                            'If you accept, {0} writes its change only if it still fits into the file.',
                            cliName
                        )
                    }
                );
            case 'created':
                return withConsequence(
                    nls.localize(
                        'theia/cli-companion/review/created',
                        'Since {0} proposed this new file, a file with this name has been created.',
                        cliName
                    ),
                    nls.localize('theia/cli-companion/review/createdOverwritten', 'Accepting replaces it.')
                );
            case 'vanished':
                return withConsequence(
                    nls.localize('theia/cli-companion/review/vanished', 'The file is no longer on disk.'),
                    nls.localize('theia/cli-companion/review/vanishedCreated', 'Accepting creates it again.'),
                    { refuses: mayWriteNothing, merges: mayWriteNothing }
                );
            case 'binary':
                return nls.localize('theia/cli-companion/review/binary', 'The file on disk is not a text file; its content is not shown.');
            case 'tooLarge':
                return nls.localize('theia/cli-companion/review/tooLarge', 'The file on disk is too large to be shown.');
            case 'directory':
                return nls.localize('theia/cli-companion/review/directory', 'On disk, this is a folder.');
            case 'unreadable':
                return nls.localize('theia/cli-companion/review/unreadable', 'The file on disk cannot be read: {0}', cause ?? '');
            case 'unknownEncoding':
                // One of the special files.
                return undefined;
        }
    }

    /** Notices about a file that is special: by its encoding, its line ends, its name, or because it cannot be written. */
    protected ofSpecialFile(facts: ReviewFacts): ReviewNotice[] {
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
