// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { expect } from 'chai';
import { eventually } from '../test/test-cli';
import { ChangesHost } from './test/changes-host';

describe('What was changed in files of other encodings and line ends', () => {
    let ide: ChangesHost;

    beforeEach(async () => {
        ide = new ChangesHost();
        ide.git('init', '-q', '-b', 'main');
        fs.writeFileSync(ide.file('.gitignore'), '/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        ide.commit();
        await ide.start();
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    it('is undone to the byte in other encodings, and in files whose lines end in two ways; a deleted file is the same again', async () => {
        const gbk = (line: string): Buffer =>
            Buffer.concat([Buffer.from([0xd6, 0xd0, 10]), Buffer.from(line), Buffer.from([0xce, 0xc4, 10])]);
        const wide = (line: string): Buffer => Buffer.from(`\uFEFFä\n${line}\n`, 'utf16le');
        const files: Record<string, (line: string) => Buffer> = {
            'gbk.txt': gbk,
            'wide.txt': wide,
            'mixed.txt': line => Buffer.from(`a\r\n${line}\nc\r\n`),
            'eol.bat': line => Buffer.from(`a\r\n${line}\r\nc\r\n`),
            'windows.txt': line => Buffer.from(`\uFEFFa\r\n${line}\r\n`)
        };
        const all = Object.entries(files);
        fs.writeFileSync(ide.file('.gitattributes'), '*.bat eol=crlf\n');
        all.forEach(([name, of]) => fs.writeFileSync(ide.file(name), of('before')));
        ide.commit();
        expect(ide.git('cat-file', 'blob', 'HEAD:eol.bat'), 'git has LF').not.to.contain('\r');
        await ide.startAgent();
        all.forEach(([name, of]) => ide.write(name, of('after')));
        await ide.lists(...all.map(([name]) => `modified ${name} +1 -1`));
        for (const [name, of] of all) {
            expect(await ide.undo(name, 0), name).to.equal(true);
            expect(ide.bytes(name).equals(of('before')), name).to.equal(true);
        }
        await ide.lists();
        all.forEach(([name]) => ide.remove(name));
        await eventually('all to be listed', async () => (await ide.list()).filter(row => row.startsWith('deleted')).length === all.length);
        for (const [name, of] of all) {
            expect(await ide.undo(name), name).to.equal(true);
            expect(ide.bytes(name).equals(of('before')), name).to.equal(true);
        }
        await ide.lists();
    });

    it('is undone as a whole where the encoding is another one: lines of one would be damaged in the other', async () => {
        fs.writeFileSync(ide.file('a.txt'), 'ä\nb\n');
        ide.commit();
        await ide.startAgent();
        ide.write('a.txt', Buffer.from([0xe4, 10, 98, 10]));
        await ide.lists('modified a.txt +1 -1');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal('ä\nb\n');
        await ide.lists();
    });
});
