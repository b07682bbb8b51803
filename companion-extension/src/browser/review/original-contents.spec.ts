// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { EncodingRegistry } from '@theia/core/lib/browser/encoding-registry';
import { URI } from '@theia/core/lib/common/uri';
import { FileService, TextFileOperationError, TextFileOperationResult } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { reviewInfo } from '../test/review-info';
import { CompanionConnection } from '../window/companion-connection';
import { OriginalContents } from './original-contents';

const FILE = new URI('file:///ws/a.txt');

describe('The left side of a review', () => {
    let contents: OriginalContents;
    let bytes: Uint8Array;
    let modifiedAt: number;
    /** Why the file cannot be read. */
    let failure: Error | undefined;
    /** What Theia makes of bytes that are not UTF-8. */
    let decoded: { value: string; encoding: string };
    let encoding: string;
    let isConnected: boolean;
    let changed: string[];

    beforeEach(() => {
        [modifiedAt, failure, encoding, isConnected, changed] = [1, undefined, 'utf8', true, []];
        decoded = { value: '', encoding: 'utf8' };
        write('one\n');
        const services = new FakeServices();
        const read = async <T>(value: () => T): Promise<T> => {
            if (failure) {
                throw failure;
            }
            return value();
        };
        services.bind(CompanionConnection, {
            get connected() {
                return isConnected;
            },
            ask: (call: () => Promise<unknown>) => call()
        });
        services.bind(FileService, {
            readFile: () => read(() => ({ value: { buffer: bytes }, mtime: modifiedAt })),
            read: () => read(() => decoded)
        });
        services.bind(FileSystemPreferences, { 'files.maxFileSizeMB': 1, 'files.autoGuessEncoding': false });
        services.bind(EncodingRegistry, { getEncodingForResource: () => encoding });
        contents = services.create(OriginalContents);
        contents.onDidFindChange(id => changed.push(id));
    });

    function write(text: string): void {
        bytes = new TextEncoder().encode(text);
    }

    /** An editor shows the file. */
    async function show(): Promise<string> {
        const file = await contents.read(FILE);
        contents.show('a.txt', file);
        return file.text;
    }

    it('is the file’s text', async () => {
        expect(await contents.read(FILE)).to.deep.equal({ exists: true, text: 'one\n', modifiedAt: 1, fault: undefined });
    });

    it('is decoded as the user has set it', async () => {
        bytes = Uint8Array.of(0xb2, 0xe2);
        encoding = 'gbk';
        decoded = { value: '测', encoding: 'gbk' };
        expect(await contents.read(FILE)).to.deep.include({ text: '测', fault: undefined });
        write('é');
        decoded = { value: '茅', encoding: 'gbk' };
        expect((await contents.read(FILE)).text, 'also if the bytes are UTF-8, too').to.equal('茅');
    });

    it('is said not to be exact where characters could not be decoded', async () => {
        bytes = Uint8Array.of(0xb2, 0xe2);
        decoded = { value: '\uFFFD\uFFFD', encoding: 'utf8' };
        expect((await contents.read(FILE)).fault).to.deep.equal({ kind: 'notUtf8' });
        await show();
        expect(contents.isExact('a.txt')).to.equal(false);
        write('\uFFFD');
        expect((await contents.read(FILE)).fault, 'the file itself has the character').to.equal(undefined);
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
        failure = new TextFileOperationError('why', TextFileOperationResult.FILE_IS_BINARY);
        expect((await contents.read(FILE)).fault).to.deep.equal({ kind: 'binary' });
    });

    it('is empty if there is no file', async () => {
        failure = new FileOperationError('why', FileOperationResult.FILE_NOT_FOUND);
        expect(await contents.read(FILE)).to.deep.equal({ exists: false, text: '' });
    });

    it('is up to date while the file has its text, whatever its line ends', async () => {
        const text = await show();
        write('one\r\n');
        modifiedAt = 2;
        expect(await contents.isUpToDate(reviewInfo('a.txt'), text)).to.equal(true);
        expect(changed).to.deep.equal([]);
    });

    it('is not up to date after a change that nobody reported, and is read again', async () => {
        const text = await show();
        write('two\n');
        expect(await contents.isUpToDate(reviewInfo('a.txt'), text)).to.equal(false);
        failure = new FileOperationError('why', FileOperationResult.FILE_NOT_FOUND);
        expect(await contents.isUpToDate(reviewInfo('a.txt'), text)).to.equal(false);
        expect(changed).to.deep.equal(['a.txt', 'a.txt']);
    });

    it('keeps no accept waiting if the file cannot be looked at', async () => {
        const text = await show();
        write('two\n');
        isConnected = false;
        expect(await contents.isUpToDate(reviewInfo('a.txt'), text)).to.equal(true);
        isConnected = true;
        failure = new Error('no answer');
        expect(await contents.isUpToDate(reviewInfo('a.txt'), text)).to.equal(true);
        contents.show('a.txt');
        failure = undefined;
        expect(await contents.isUpToDate(reviewInfo('a.txt'), text), 'no editor shows it').to.equal(true);
    });
});
