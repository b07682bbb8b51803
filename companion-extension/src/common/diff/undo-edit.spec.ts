// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { undoEdit } from './undo-edit';

const OLD = 'a\nb\nc\nd\ne\n';

describe('An edit that is taken back in a text that others have changed', () => {
    const cases: Array<[title: string, before: string, after: string, text: string, left: string, isPartial?: true]> = [
        ['whole, if nobody has', OLD, 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\ne\n', OLD],
        [
            'with a line above and one right below',
            OLD,
            'a\nB\nc\nd\ne\n',
            'mine\na\nB\nmine too\nc\nd\ne\n',
            'mine\na\nb\nmine too\nc\nd\ne\n'
        ],
        ['with another edit in the next line', OLD, 'a\nB\nc\nd\ne\n', 'a\nB\nmine\nd\ne\n', 'a\nb\nmine\nd\ne\n'],
        ['with a line between new lines', OLD, 'a\nX\nY\nb\nc\nd\ne\n', 'a\nX\nmine\nY\nb\nc\nd\ne\n', 'a\nmine\nb\nc\nd\ne\n'],
        ['with a line between replaced lines', OLD, 'a\nB\nC\nd\ne\n', 'a\nB\nmine\nC\nd\ne\n', 'a\nb\nc\nmine\nd\ne\n'],
        ['but for a new line that was changed', OLD, 'a\nX\nY\nb\nc\nd\ne\n', 'a\nX\nmine\nb\nc\nd\ne\n', 'a\nmine\nb\nc\nd\ne\n', true],
        ['but for a replaced line that was changed', OLD, 'a\nB\nc\nD\ne\n', 'a\nmine\nc\nD\ne\n', 'a\nmine\nc\nd\ne\n', true],
        ['where lines were deleted', OLD, 'a\ne\n', 'a\nmine\ne\nend\n', 'a\nb\nc\nd\nmine\ne\nend\n'],
        ['where lines were deleted, and the line above was changed', OLD, 'a\ne\n', 'mine\ne\n', 'mine\nb\nc\nd\ne\n'],
        ['that was taken back already', OLD, 'a\nB\nc\nD\ne\n', 'a\nb\nc\nD\ne\n', OLD],
        ['where a blank line was deleted', 'a\n\nb\n', 'a\nb\n', 'a\nb\nmine\n', 'a\n\nb\nmine\n'],
        ['of which a new line was deleted', OLD, 'a\nX\nY\nb\nc\nd\ne\n', 'a\nY\nb\nc\nd\ne\n', OLD],
        ['that a formatter has indented', OLD, 'a\nX()\nb\nc\nd\ne\n', 'a\n    X( )\nb\nc\nd\ne\nmine\n', `${OLD}mine\n`],
        ['at an end without a line end', 'a\nb', 'a\nb\nc\n', 'a\nb\nc\nmine\n', 'a\nb\nmine\n'],
        ['behind a last line without a line end', 'a\nb\nc\n', 'a', 'a\nmine', 'a\nb\nc\nmine'],
        ['with the line ends of the file', 'a\r\nb\r\n', 'a\r\nB\r\n', 'a\r\nB\r\nmine\r\n', 'a\r\nb\r\nmine\r\n'],
        ['of all lines', OLD, 'X\n', 'X\nmine\n', `${OLD}mine\n`],
        ['that nothing is left of', OLD, 'a\nX\nb\nc\nd\ne\n', 'mine\n', 'mine\n', true]
    ];
    for (const [title, before, after, text, left, isPartial = false] of cases) {
        it(title, () => expect(undoEdit(text, before, after)).to.deep.equal({ text: left, isPartial }));
    }
});
