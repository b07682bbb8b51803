// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { OriginalFile } from '../diff/original-file';
import { monacoModel } from '../test/monaco-model';
import { ReadOnlyResource } from '../window/read-only-resource';
import { OriginalModel } from './original-model';

describe('The text on the left side of a diff', () => {
    let model: OriginalModel;
    let onDisk: OriginalFile;
    /** The reads that are under way. */
    let reads: Deferred[];
    let isSlow: boolean;
    let shown: OriginalFile[];
    const onDidChangeFile = new Emitter<void>();

    beforeEach(async () => {
        [onDisk, reads, isSlow, shown] = [{ exists: true, text: 'v1\n', modifiedAt: 1 }, [], false, []];
        const read = async (): Promise<OriginalFile> => {
            const file = onDisk;
            const reading = new Deferred();
            reads.push(reading);
            if (isSlow) {
                await reading.promise;
            }
            return file;
        };
        const uri = new URI('companion-original://a/ws/a.txt');
        let last: OriginalFile | undefined;
        const resource = new ReadOnlyResource(uri, async () => (last = await read()).text, onDidChangeFile.event);
        resource.markShown = () => last && shown.push(last);
        model = await monacoModel(OriginalModel, resource);
    });

    afterEach(() => model.dispose());

    async function settle(): Promise<void> {
        await new Promise(resolve => setTimeout(resolve, 5));
    }

    it('is said once the editor has it, with the time of the file', () => {
        expect(model.textEditorModel.getValue()).to.equal('v1\n');
        expect(shown).to.deep.equal([{ exists: true, text: 'v1\n', modifiedAt: 1 }]);
    });

    it('is not said of a read that another event has overtaken: the editor does not take it', async () => {
        isSlow = true;
        onDisk = { exists: true, text: 'v2, a colleague\n', modifiedAt: 2 };
        // A watch of the folder and one of the file.
        onDidChangeFile.fire();
        await settle();
        onDidChangeFile.fire();
        reads[1].resolve();
        await settle();
        expect([model.textEditorModel.getValue(), shown.length]).to.deep.equal(['v1\n', 1]);
        reads[2].resolve();
        await settle();
        expect([model.textEditorModel.getValue(), shown[1].modifiedAt]).to.deep.equal(['v2, a colleague\n', 2]);
    });

    it('is said of a file that was only written again', async () => {
        onDisk = { ...onDisk, modifiedAt: 2 };
        await model.sync();
        expect(shown.map(({ modifiedAt }) => modifiedAt)).to.deep.equal([1, 2]);
    });

    it('is not said any more of an editor that is gone', async () => {
        isSlow = true;
        onDidChangeFile.fire();
        await settle();
        model.dispose();
        reads[1].resolve();
        await settle();
        expect(shown).to.have.length(1);
    });
});
