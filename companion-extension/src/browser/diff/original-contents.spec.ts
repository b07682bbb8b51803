// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { EncodingRegistry } from '@theia/core/lib/browser/encoding-registry';
import { QuickInputService } from '@theia/core/lib/browser/quick-input';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { URI } from '@theia/core/lib/common/uri';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { FileFacts } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { SPECIAL_FILES } from '../../test/special-files';
import { FileEncodings } from './file-encodings';
import { FileLooks } from './file-looks';
import { OriginalContents } from './original-contents';

const FILE = new URI('file:///ws/a.txt');

describe('The left side of a review', () => {
    let contents: OriginalContents;
    let bytes: Uint8Array;
    let modifiedAt: number;
    /** Why the file cannot be read. */
    let failure: Error | undefined;
    /** The setting, and that of the file's editor. */
    let encoding: string;
    let ofEditor: string | undefined;
    let picked: string | undefined;
    let encodings: FileEncodings;
    let facts: FileFacts | undefined;

    beforeEach(() => {
        [modifiedAt, failure, encoding] = [1, undefined, 'utf8'];
        [ofEditor, picked, facts] = [undefined, undefined, undefined];
        write('one\n');
        const services = new FakeServices();
        const read = async <T>(value: () => T): Promise<T> => {
            if (failure) {
                throw failure;
            }
            return value();
        };
        services.bind(CompanionConnection, {
            ask: (call: () => Promise<unknown>) => call()
        });
        services.bind(FileService, {
            readFile: () => read(() => ({ value: { buffer: bytes }, mtime: modifiedAt, size: bytes.length }))
        });
        services.bind(FileLooks, { look: async () => facts });
        services.bind(FileSystemPreferences, { 'files.maxFileSizeMB': 1, 'files.autoGuessEncoding': false });
        let override: string | undefined;
        services.bind(EncodingRegistry, {
            getEncodingForResource: (_: URI, preferred?: string) => override ?? preferred ?? encoding,
            registerOverride: (chosen: { encoding: string }) => {
                override = chosen.encoding;
                return { dispose: () => (override = undefined) };
            }
        });
        services.bindReal(EncodingService, FileEncodings);
        services.bind(MonacoTextModelService, { get: () => ofEditor && { getEncoding: () => ofEditor, dirty: true } });
        services.bind(QuickInputService, {
            showQuickPick: async (items: Array<{ encoding: string }>) => items.find(item => item.encoding === picked)
        });
        contents = services.create(OriginalContents);
        encodings = services.get(FileEncodings);
    });

    function write(text: string): void {
        bytes = new TextEncoder().encode(text);
    }

    for (const file of SPECIAL_FILES) {
        it(`is the text of a file: ${file.name}`, async () => {
            bytes = file.bytes;
            const { exists, text, fault } = await contents.read(FILE);
            const kind = file.isBinary ? 'binary' : file.isHidden ? 'unknownEncoding' : undefined;
            expect([exists, fault?.kind]).to.deep.equal([true, kind]);
            if (kind === undefined) {
                expect(text).to.equal(file.text);
            }
            encoding = file.encoding;
            expect((await contents.read(FILE)).text, 'with the setting').to.equal(file.isBinary ? '' : file.text);
        });
    }

    it('is decoded as the user has set it for the file’s editor, also if the bytes are UTF-8, too', async () => {
        write('é');
        ofEditor = 'gbk';
        expect(await contents.read(FILE)).to.deep.include({ text: '茅', encoding: 'gbk' });
    });

    it('is decoded as the user chooses it, from then on', async () => {
        const { bytes: gbk, text } = SPECIAL_FILES.find(({ name }) => name === 'GBK')!;
        bytes = gbk;
        const chosen: string[] = [];
        encodings.onDidChoose(file => chosen.push(file.toString()));
        await encodings.choose(FILE);
        expect((await contents.read(FILE)).fault, 'nothing was chosen').to.deep.equal({ kind: 'unknownEncoding' });
        for (const [name, expected] of [
            ['utf8', undefined],
            ['gbk', text]
        ] as const) {
            picked = name;
            await encodings.choose(FILE);
            const read = await contents.read(FILE);
            expect(read.fault ? undefined : read.text).to.equal(expected);
            expect(read.chosenEncoding).to.be.a('string');
        }
        expect(chosen).to.deep.equal([FILE.toString(), FILE.toString()]);
    });

    it('says why a file is not shown', async () => {
        const faults: Array<[FileOperationResult, string]> = [
            [FileOperationResult.FILE_TOO_LARGE, 'tooLarge'],
            [FileOperationResult.FILE_EXCEEDS_MEMORY_LIMIT, 'tooLarge'],
            [FileOperationResult.FILE_IS_DIRECTORY, 'directory'],
            [FileOperationResult.FILE_PERMISSION_DENIED, 'unreadable']
        ];
        for (const [result, kind] of faults) {
            failure = new FileOperationError('why', result);
            const { exists, text, fault } = await contents.read(FILE);
            expect([exists, text, fault?.kind]).to.deep.equal([true, '', kind]);
        }
    });

    it('comes with what the backend sees of the file', async () => {
        facts = { state: 'same', isLink: true };
        expect((await contents.read(FILE)).facts).to.equal(facts);
    });

    it('is empty if there is no file', async () => {
        failure = new FileOperationError('why', FileOperationResult.FILE_NOT_FOUND);
        expect(await contents.read(FILE)).to.deep.equal({ exists: false, text: '' });
    });

    it('comes with its time and size', async () => {
        expect(await contents.read(FILE)).to.deep.include({ text: 'one\n', modifiedAt: 1, size: 4 });
    });
});
