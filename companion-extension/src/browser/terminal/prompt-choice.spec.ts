// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { URI } from '@theia/core/lib/common/uri';
import { promptChoices } from './prompt-choice';

describe('promptChoices', () => {
    const file = (path: string, isFile = true): object => ({ id: path, fileStat: { resource: URI.fromFilePath(path), isFile } });
    const problem = {
        id: 'problem',
        marker: {
            uri: 'file:///ws/a.ts',
            owner: 'ts',
            data: {
                range: { start: { line: 1, character: 4 }, end: { line: 1, character: 9 } },
                message: "Cannot find name 'b'.",
                source: 'ts',
                code: 2304,
                severity: 1
            }
        }
    };

    it('takes the files that are selected in the explorer', () => {
        expect(promptChoices([file('/ws/a.ts'), file('/ws/b.ts')])).to.deep.equal([
            { path: '/ws/a.ts', lines: undefined },
            { path: '/ws/b.ts', lines: undefined }
        ]);
        expect(promptChoices(file('/ws/a.ts'))).to.have.length(1);
    });

    it('takes a problem with its line, its text and its source', () => {
        expect(promptChoices([problem])).to.deep.equal([
            { path: '/ws/a.ts', lines: { first: 2, last: 2, text: "Cannot find name 'b'. [ts 2304]" } }
        ]);
    });

    it('S22: shows what is invisible in the text of a problem: whoever wrote it speaks to the model', () => {
        const { marker } = problem;
        const data = { ...marker.data, message: 'Wrong\u200b\n\u{e0049}gnore', source: 'ts\u202e' };
        const [{ lines }] = promptChoices([{ ...problem, marker: { ...marker, data } }]);
        expect(lines?.text).to.equal('Wrong[U+200B]\n[U+E0049]gnore [ts[U+202E] 2304]');
    });

    it('takes nothing if a folder, a file elsewhere or something else is selected', () => {
        expect(promptChoices([file('/ws/a.ts'), file('/ws/src', false)])).to.deep.equal([]);
        expect(promptChoices([{ fileStat: { resource: new URI('vscode-remote://x/a'), isFile: true } }])).to.deep.equal([]);
        expect(promptChoices(['text'])).to.deep.equal([]);
        expect(promptChoices(undefined)).to.deep.equal([]);
    });
});
