// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { DiffTexts } from '../../common/qwen-daemon-protocol';
import { Edit } from './edit-diff-resources';
import { FileRevert, TextFiles } from './file-revert';

describe('Reverting a file that Qwen changed', () => {
    const PATH = '/work/a.txt';
    const [first, last]: Edit[] = ['call-1', 'call-2'].map(toolId => ({ sessionId: 's', turnId: 't', toolId }));
    let disk: Map<string, string>;
    let texts: Map<string, DiffTexts>;
    let said: string[];
    let isDirty: boolean;
    let revert: (confirm?: () => Promise<boolean>, isNew?: boolean) => Promise<boolean>;

    const edit = (oldText: string, newText: string, isExact = true): DiffTexts => ({
        path: PATH,
        oldText,
        newText,
        truncated: false,
        isExact
    });

    beforeEach(() => {
        disk = new Map([[PATH, 'two\n']]);
        texts = new Map([
            ['call-1', edit('zero\n', 'one\n')],
            ['call-2', edit('one\n', 'two\n')]
        ]);
        said = [];
        isDirty = false;
        const files: TextFiles = {
            read: async ({ path }) => {
                const value = disk.get(`${path}`);
                return value === undefined ? Promise.reject(new Error('missing')) : { value, mtime: 1, etag: '' };
            },
            write: async ({ path }: URI, text) => disk.set(`${path}`, text),
            delete: async ({ path }) => void disk.delete(`${path}`),
            isDirty: () => isDirty
        };
        const messages = { warn: async (text: string): Promise<undefined> => void said.push(text) };
        const file = new FileRevert(files, { texts: async ({ toolId }) => texts.get(toolId) }, messages);
        revert = (confirm = async () => true, isNew = false) =>
            file.revert({ edit: first, edits: [first, last], diff: { path: PATH, isNew } }, confirm);
    });

    it('gives it the text that it had before the turn', async () => {
        expect(await revert()).to.equal(true);
        expect([disk.get(PATH), said]).to.deep.equal(['zero\n', []]);
    });

    it('deletes a new one, and leaves it if the user says no', async () => {
        expect(await revert(async () => false, true)).to.equal(false);
        expect(disk.has(PATH)).to.equal(true);
        expect(await revert(undefined, true)).to.equal(true);
        expect(disk.has(PATH)).to.equal(false);
    });

    it('keeps line endings that the tool does not report', async () => {
        disk.set(PATH, 'two\r\n');
        expect(await revert()).to.equal(true);
        expect(disk.get(PATH)).to.equal('zero\r\n');
    });

    const cases: [string, () => void][] = [
        ['was changed since', () => disk.set(PATH, 'an hour of work\n')],
        ['is missing', () => disk.delete(PATH)],
        ['has changes that are not saved', () => (isDirty = true)],
        ['was changed by somebody else between two edits', () => texts.set('call-2', edit('one, and mine\n', 'two\n'))],
        ['was read as what is no text', () => texts.set('call-1', edit('\uFFFD\n', 'one\n'))],
        ['has an earlier text that is not kept', () => texts.delete('call-1')],
        ['has an earlier text from which a secret was taken', () => texts.set('call-1', edit('…\n', 'one\n', false))]
    ];
    for (const [what, change] of cases) {
        it(`leaves one that ${what}, says so and asks nothing`, async () => {
            change();
            const before = disk.get(PATH);
            expect(await revert(() => expect.fail('a question'))).to.equal(false);
            expect(disk.get(PATH)).to.equal(before);
            expect(said).to.have.length(1);
        });
    }

    it('leaves one that was changed while the question was open', async () => {
        const answer = async (): Promise<boolean> => {
            disk.set(PATH, 'mine');
            return true;
        };
        expect(await revert(answer)).to.equal(false);
        expect(disk.get(PATH)).to.equal('mine');
    });
});
