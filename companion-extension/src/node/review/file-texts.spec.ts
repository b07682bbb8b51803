// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { editId, Revision } from '../../common/revision';
import { ModelClock, settle } from '../../test/reviews/model-clock';
import { SPECIAL_FILES } from '../../test/special-files';
import { FileAccess } from '../host/file-access';
import { FileTexts } from './file-texts';
import { KeptEdits, StoredEdit } from './kept-edits';
import { WriteJudge } from './write-judge';

const REVIEW = '22222222-2222-4333-8444-555555555555';
const REVISION: Revision = { page: '11111111-2222-4333-8444-555555555555', n: 1 };

describe('What a file has', () => {
    let folder: string;
    let file: string;
    let texts: FileTexts;

    beforeEach(async () => {
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'file-texts-'));
        file = path.join(folder, 'a.txt');
        texts = new FileTexts(new FileAccess(5_000));
    });
    afterEach(() => fs.rm(folder, { recursive: true }));

    for (const { name, bytes, text, encoding, isBinary } of SPECIAL_FILES) {
        it(`is its text in the encoding that a page knows: ${name}`, async () => {
            await fs.writeFile(file, bytes);
            const look = await texts.look(file);
            expect((await look?.read(encoding))?.text).to.equal(isBinary ? undefined : text);
        });

        if (!isBinary) {
            it(`ends an edit that a CLI has written in the encoding of the file: ${name}`, async () => {
                await fs.writeFile(file, 'before');
                const clock = new ModelClock();
                const writes = { resume: () => expect.fail('no CLI was told it') };
                const edits = new KeptEdits({ files: texts, writes, clock, today: () => '', concerns: () => true, waiting: () => [] });
                const edit: StoredEdit = {
                    id: editId(REVIEW, REVISION),
                    reviewId: REVIEW,
                    revision: REVISION,
                    text: `${text}typed`,
                    encoding,
                    path: file,
                    cliName: 'Qwen Code',
                    place: { windowId: 'window', roots: [] },
                    reason: 'rejected',
                    keptAt: 1,
                    days: 0,
                    lastDay: ''
                };
                edits.keep(edit, new WriteJudge('', edit.text));
                await settle();
                const hasBOM = bytes[0] >= 0xef;
                await fs.writeFile(file, new EncodingService().encode(`${text}typed`, { encoding, hasBOM }).buffer);
                await edits.look();
                expect(edits.listed).to.deep.equal([]);
                edits.dispose();
            });
        }
    }

    it('changes its stamp with each write, and when it is made and removed', async () => {
        const stamps: Array<string | undefined> = [];
        const look = async (): Promise<void> => void stamps.push((await texts.look(file))?.stamp);
        await look();
        await fs.writeFile(file, 'one');
        await look();
        await look();
        await fs.writeFile(file, 'another');
        await look();
        await fs.rm(file);
        await look();
        const [missing, one, same, another, removed] = stamps;
        expect([missing, one]).to.deep.equal([removed, same]);
        expect(new Set([missing, one, another]).size).to.equal(3);
    });

    it('is not known of a folder, and of a file below one', async () => {
        expect(await (await texts.look(folder))?.read(undefined)).to.equal(undefined);
        await fs.writeFile(file, '');
        expect(await texts.look(path.join(file, 'below'))).to.equal(undefined);
    });
});
