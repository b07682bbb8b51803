// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { reviewInfo } from '../test/review-info';
import { ReviewFacts, ReviewNotices, UnconfirmedAnswer } from './review-notices';

describe('Notices above a diff', () => {
    const notices = new ReviewNotices();

    function factsOf(changes: Partial<ReviewFacts> = {}, info: Partial<ReviewFacts['info']> = {}): ReviewFacts {
        return {
            info: reviewInfo('a', info),
            isEdited: false,
            isEmptied: false,
            isTooLong: false,
            isAtRisk: false,
            changesNothing: false,
            differences: [],
            isUnsaved: false,
            rivals: [],
            ...changes
        };
    }

    function texts(facts: ReviewFacts): string[] {
        return notices.of(facts).map(({ text }) => text);
    }

    it('say nothing where there is nothing to know', () => {
        expect(texts(factsOf())).to.deep.equal([]);
        expect(notices.refusalOf(factsOf())).to.equal(undefined);
    });

    it('say what the user has answered while it is not confirmed, and whether it can be taken back', () => {
        const said = (unconfirmed: UnconfirmedAnswer): string => {
            const [{ text, action }] = notices.of(factsOf({ unconfirmed, isUnsaved: true }));
            return `${text} ${action ?? ''}`;
        };
        expect(said({ accepts: true, waitsFor: 'connection' })).to.equal('Accepted. Waiting for the connection. takeBack');
        expect(said({ accepts: false, waitsFor: 'confirmation' })).to.equal('Rejected. It may have arrived, but is not confirmed yet. ');
        expect(said({ accepts: true, waitsFor: 'reload' })).to.match(/^Accepted\. .*reload this page to reconnect\. $/);
    });

    it('say first why accepting would do nothing, with what to do instead', () => {
        const refused = { traits: { changedFile: 'refuses' as const } };
        const cases: Array<[ReviewFacts, string, string | undefined]> = [
            [factsOf({}, { cliGone: true }), 'Qwen Code has stopped responding', 'runCli'],
            [factsOf({ isEdited: true, isEmptied: true }), 'Qwen Code cannot empty a file', undefined],
            [factsOf({ isEdited: true, isTooLong: true }), 'The text on the right is too long', undefined],
            [factsOf({ isEdited: true, changesNothing: true }), 'Nothing is left of the proposal', undefined],
            [factsOf({ differences: [{ kind: 'changed' }] }, refused), 'The file on disk has changed', 'askAgain'],
            [factsOf({ differences: [{ kind: 'created' }] }, refused), 'Since Qwen Code proposed this new file', 'askAgain']
        ];
        for (const [facts, text, action] of cases) {
            const [first] = notices.of({ ...facts, isUnsaved: true });
            expect(first.text).to.contain(text);
            expect(first.action).to.equal(action);
            expect(notices.refusalOf(facts)?.text).to.equal(first.text);
        }
    });

    it('say what an accept does to a file that has changed, as the CLI does it', () => {
        const changed = { differences: [{ kind: 'changed' as const }] };
        expect(texts(factsOf(changed))).to.deep.equal([
            'The file on disk has changed since Qwen Code made this proposal. Accepting replaces what is on the left.'
        ]);
        expect(texts(factsOf(changed, { traits: { changedFile: 'merges' } }))[0]).to.contain('if it still fits');
        expect(texts(factsOf({ differences: [{ kind: 'vanished' }] }))[0]).to.contain('Accepting creates it again');
        // Nobody knows what a CLI that does not respond will do.
        expect(texts(factsOf(changed, { cliGone: true }))[1]).not.to.contain('Accepting');
    });

    it('say that a CLI writes its own text, last, and offer to reject it with a reason', () => {
        const traits = { writesOwnText: true, createdFile: 'refuses' as const };
        const [changed, last] = notices.of(factsOf({ differences: [{ kind: 'changed' }] }, { traits }));
        expect(changed.text).to.contain('Accepting replaces what is on the left');
        expect(last).to.deep.equal({ text: 'Read-only: Qwen Code always writes its own text. To change it, reject it with a reason.' });
        expect(notices.refusalOf(factsOf({ differences: [{ kind: 'changed' }] }, { traits }))).to.equal(undefined);
        expect(notices.refusalOf(factsOf({ differences: [{ kind: 'created' }] }, { traits }))?.action).to.equal('askAgain');
    });

    it('say what cannot be shown of the file, where it is, and that it has unsaved changes', () => {
        const faults = ['unknownEncoding', 'binary', 'tooLarge', 'directory', 'unreadable'] as const;
        const all = faults.flatMap(kind => texts(factsOf({ differences: [{ kind }] })));
        expect(new Set(all).size).to.equal(faults.length);
        expect(texts(factsOf({}, { outsideWorkspace: true }))[0]).to.contain('outside this workspace: /ws/a');
        expect(texts(factsOf({ isUnsaved: true }))[0]).to.contain('unsaved changes');
        expect(texts(factsOf({ isAtRisk: true }))[0]).to.contain('Leave this page open');
    });

    it('say what keeps the file from being written, and that there is one of almost this name', () => {
        const file = { state: 'same' as const, obstacle: 'EACCES: permission denied', similarName: 'cafe\u0301.txt' };
        expect(texts(factsOf({ file }))).to.deep.equal([
            'The file cannot be written as it is: EACCES: permission denied',
            'There is a file with almost this name: cafe\u0301.txt. It differs only in case, or in the form of its letters.'
        ]);
    });

    it('say how many lines of an edited text may get another line end', () => {
        expect(texts(factsOf({ isEdited: true, uncertainLineEnds: 7 }))).to.deep.equal([
            'This file mixes line ends. Accepting your text may change those of up to 7 lines.',
            'You have edited the proposal: Qwen Code gets your text.'
        ]);
        expect(texts(factsOf({ uncertainLineEnds: 7 }))).to.deep.equal([]);
    });

    it('say where to answer edits that an answer in the terminal would drop, and that no line differs', () => {
        const drops = { traits: { dropsEditsInTerminal: true } };
        expect(texts(factsOf({ isEdited: true }, drops))[0]).to.contain('Answer here to keep your edits');
        expect(texts(factsOf({}, drops))).to.deep.equal([]);
        expect(texts(factsOf({ isEdited: true })), 'every CLI').to.deep.equal(['You have edited the proposal: Qwen Code gets your text.']);
        expect(texts(factsOf({ changesNothing: true }))[0]).to.contain('No lines differ');
    });
});
