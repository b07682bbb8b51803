// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { IgnoreFileContent, IgnoreRules, relativePath } from './ignore-rules';

describe('IgnoreRules', () => {
    function rules(gemini: IgnoreFileContent | undefined, qwen: IgnoreFileContent | undefined): IgnoreRules {
        return new IgnoreRules({ '.geminiignore': gemini, '.qwenignore': qwen });
    }

    it('S16: each of the two files counts for every CLI, and is named', () => {
        const both = rules({ text: 'private/\n' }, { text: '*.draft\n' });
        expect(both.withheldBy('private/deep/a.txt')).to.equal('.geminiignore');
        expect(both.withheldBy('src/b.draft')).to.equal('.qwenignore');
        expect(both.withheldBy('src/a.txt')).to.equal(undefined);
    });

    it('S16: neither file takes back what the other one says', () => {
        const both = rules({ text: 'secret.txt\n' }, { text: '*.md\n!secret.txt\n!README.md\n' });
        expect(both.withheldBy('secret.txt')).to.equal('.geminiignore');
        expect(both.withheldBy('README.md'), 'a file may take back what it says itself').to.equal(undefined);
    });

    it('S16: nothing is shared until both files are read, and while one cannot be read', () => {
        expect(new IgnoreRules().withheldBy('a.txt')).to.equal('.geminiignore is not read yet');
        expect(rules('missing', undefined).withheldBy('a.txt')).to.equal('.qwenignore is not read yet');
        expect(rules('missing', 'unreadable').withheldBy('a.txt')).to.equal('.qwenignore cannot be read');
        expect(rules('missing', 'missing').withheldBy('a.txt')).to.equal(undefined);
    });

    it('reads the syntax of gitignore: comments, anchors, folders, upper and lower case, line ends, a byte order mark', () => {
        const read = rules('missing', { text: '\uFEFF/top.txt\r\n# notes.txt\r\nbuild/**/out.log\r\n\\#odd\r\n' });
        expect(read.withheldBy('top.txt')).to.equal('.qwenignore');
        expect(read.withheldBy('TOP.txt')).to.equal('.qwenignore');
        expect(read.withheldBy('deep/top.txt')).to.equal(undefined);
        expect(read.withheldBy('notes.txt')).to.equal(undefined);
        expect(read.withheldBy('build/a/b/out.log')).to.equal('.qwenignore');
        expect(read.withheldBy('#odd')).to.equal('.qwenignore');
    });

    it('S16: takes folders and files whose names are dots', () => {
        const read = rules({ text: '.../\n..hidden\n' }, 'missing');
        expect(read.withheldBy('.../a.txt')).to.equal('.geminiignore');
        expect(read.withheldBy('..hidden')).to.equal('.geminiignore');
        expect(read.withheldBy('..')).to.equal(undefined);
    });
});

describe('relativePath', () => {
    it('is free of ./ and has forward slashes', () => {
        expect(relativePath('/ws', '/ws/src/a.ts')).to.equal('src/a.ts');
        expect(relativePath('/ws/', '/ws//./src/a.ts')).to.equal('src/a.ts');
        expect(relativePath('/', '/a.ts')).to.equal('a.ts');
        expect(relativePath('C:\\ws', 'c:\\WS\\src\\a.ts')).to.equal('src/a.ts');
    });

    it('S16: a root is found in whatever case it is written', () => {
        expect(relativePath('/Users/Me/WS', '/users/me/ws/Secret.txt')).to.equal('Secret.txt');
    });

    it('is none for the folder itself and for what lies outside', () => {
        expect(relativePath('/ws', '/ws')).to.equal(undefined);
        expect(relativePath('/ws', '/ws2/a.ts')).to.equal(undefined);
        expect(relativePath('/ws/src', '/ws/a.ts')).to.equal(undefined);
    });

    it('keeps a backslash that is part of a name', () => {
        expect(relativePath('/ws', '/ws/a\\b.ts')).to.equal('a\\b.ts');
    });
});
