// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { URI } from '@theia/core/lib/common/uri';
import { problemText } from '../../common/problem-text';
import { decodeIgnoreFile, IgnoreFileContent, IgnoreRules } from '../../common/patterns/ignore-rules';
import { IgnoreRoots } from './ignore-roots';

describe('IgnoreRoots', () => {
    const WS = URI.fromFilePath('/ws');
    const NESTED = URI.fromFilePath('/ws/nested');
    /** What is on disk, by path; what is not here is missing. */
    let disk: Map<string, IgnoreFileContent>;
    /** By path; `undefined` if it is not on disk, `silent` if that cannot be found out. A root that is not here is no link. */
    let realPaths: Map<string, string | undefined>;
    let changes: number;
    let roots: IgnoreRoots;

    beforeEach(() => {
        disk = new Map();
        realPaths = new Map();
        changes = 0;
        roots = new IgnoreRoots({
            read: async file => disk.get(file.path.fsPath()) ?? 'missing',
            realPath: async ({ path }) => {
                const realPath = realPaths.has(path.fsPath()) ? realPaths.get(path.fsPath()) : path.fsPath();
                return realPath === 'silent' ? Promise.reject(new Error(realPath)) : realPath;
            },
            handleChange: () => changes++
        });
    });

    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('S16: withholds everything in a root until its files are read, and says so when they are', async () => {
        disk.set('/ws/.qwenignore', { text: 'secret.txt' });
        roots.set([WS]);
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.include('does not know yet where /ws leads');
        await settle();
        expect(changes).to.equal(1);
        expect(roots.withheldBy('/elsewhere/a.txt', [WS]), 'outside the roots').to.equal(undefined);
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal(undefined);
        expect(roots.withheldBy('/ws/secret.txt', [WS])).to.equal('.qwenignore');
    });

    it('S16: a root that was added later withholds everything, even before anybody says that it is there', async () => {
        roots.set([WS]);
        await settle();
        const other = URI.fromFilePath('/other');
        disk.set('/other/.geminiignore', { text: '*.txt' });
        expect(roots.withheldBy('/other/a.md', [WS, other])).to.include('does not know yet where /other leads');
        await settle();
        expect(roots.withheldBy('/other/a.md', [WS, other])).to.equal(undefined);
        expect(roots.withheldBy('/other/a.txt', [WS, other])).to.equal('.geminiignore');
    });

    it('S16: a file in nested roots must be allowed by each', async () => {
        disk.set('/ws/.geminiignore', { text: 'nested/a.txt' });
        disk.set('/ws/nested/.qwenignore', { text: '/b.txt' });
        for (const order of [
            [WS, NESTED],
            [NESTED, WS]
        ]) {
            roots.set(order);
            await settle();
            expect(roots.withheldBy('/ws/nested/a.txt', order)).to.equal('.geminiignore');
            expect(roots.withheldBy('/ws/nested/b.txt', order)).to.equal('.qwenignore');
            expect(roots.withheldBy('/ws/b.txt', order)).to.equal(undefined);
        }
    });

    it('S16: a changed file is read again, and until then everything is withheld; a deleted one withholds nothing', async () => {
        roots.set([WS]);
        await settle();
        disk.set('/ws/.qwenignore', { text: 'a.txt' });
        roots.markChanged(file => file.path.fsPath() === '/ws/.qwenignore');
        expect(roots.withheldBy('/ws/b.txt', [WS])).to.include('not read yet');
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal('.qwenignore');
        expect(roots.withheldBy('/ws/b.txt', [WS])).to.equal(undefined);
        disk.delete('/ws/.qwenignore');
        roots.markChanged(file => file.path.fsPath() === '/ws/.qwenignore');
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal(undefined);
        roots.markChanged(file => file.path.fsPath() === '/ws/other.txt');
        expect(roots.withheldBy('/ws/a.txt', [WS]), 'another file means nothing').to.equal(undefined);
    });

    it('S16: an unreadable file withholds the whole root until it can be read', async () => {
        disk.set('/ws/.geminiignore', 'unreadable');
        roots.set([WS]);
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal('.geminiignore cannot be read');
        disk.set('/ws/.geminiignore', { text: '' });
        roots.readAgain('incomplete');
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal(undefined);
    });

    it('S16: a root over a link counts by the folder that it leads to, too', async () => {
        realPaths.set('/ws', '/real/ws');
        disk.set('/ws/.qwenignore', { text: 'secret.txt' });
        roots.set([WS]);
        await settle();
        expect(roots.withheldBy('/real/ws/secret.txt', [WS])).to.equal('.qwenignore');
        expect(roots.withheldBy('/real/ws/a.txt', [WS])).to.equal(undefined);
        expect([...roots.pathsInRoots('/real/ws/deep/a.txt')]).to.deep.equal([[WS.toString(), ['deep/a.txt']]]);
        expect([...roots.pathsInRoots('/ws/deep/a.txt')]).to.deep.equal([[WS.toString(), ['deep/a.txt']]]);
        expect([...roots.pathsInRoots('/elsewhere/a.txt')]).to.deep.equal([]);
    });

    it('S16: while it is not known where a root leads, everything is withheld: any file may lie in it', async () => {
        realPaths.set('/ws', 'silent');
        roots.set([WS]);
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.include('does not know yet where /ws leads');
        expect(roots.withheldBy('/real/ws/a.txt', [WS])).to.include('does not know yet where /ws leads');
        realPaths.set('/ws', '/real/ws');
        roots.readAgain('incomplete');
        await settle();
        expect(roots.withheldBy('/real/ws/a.txt', [WS])).to.equal(undefined);
    });

    it('a root that is not on disk withholds nothing from the others, and is looked at again', async () => {
        realPaths.set('/ws', undefined);
        disk.set('/ws/.qwenignore', { text: 'a.txt' });
        roots.set([WS]);
        await settle();
        expect(roots.withheldBy('/other/a.txt', [WS])).to.equal(undefined);
        realPaths.set('/ws', '/real/ws');
        roots.readAgain('incomplete');
        await settle();
        expect(roots.withheldBy('/real/ws/a.txt', [WS])).to.equal('.qwenignore');
    });

    it('S16: a root that is not on a disk neither shares nor withholds anything', async () => {
        const virtual = new URI('memfs:/sample');
        realPaths.set('/sample', 'silent');
        roots.set([WS, virtual]);
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS, virtual])).to.equal(undefined);
        expect([...roots.pathsInRoots('/sample/a.txt')]).to.deep.equal([]);
    });

    it('S16: a line that is no pattern is named; the others count at once, and those who share are told', async () => {
        roots.set([WS]);
        await settle();
        disk.set('/ws/.geminiignore', { text: 'plan.txt\ndata[/\n' });
        roots.markChanged(file => file.path.fsPath() === '/ws/.geminiignore');
        await settle();
        expect(changes).to.equal(2);
        expect(roots.withheldBy('/ws/plan.txt', [WS])).to.equal('.geminiignore');
        expect(roots.withheldBy('/ws/other.txt', [WS])).to.equal(undefined);
        expect(problems()).to.deep.equal([
            'In /ws/.geminiignore, these lines are not valid patterns: 2. All other lines apply. Correct them.'
        ]);
    });

    it('S16: after a lost connection nothing is shared until the files are read again', async () => {
        roots.set([WS]);
        await settle();
        disk.set('/ws/.geminiignore', { text: 'other.txt\ndata[/\n' });
        roots.readAgain('all');
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.include('not read yet');
        await settle();
        expect(roots.withheldBy('/ws/other.txt', [WS])).to.equal('.geminiignore');
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal(undefined);
    });

    it('S16: a file that cannot be read, or is no text in UTF-8, is a problem', async () => {
        disk.set('/ws/.geminiignore', 'unreadable');
        disk.set('/ws/.qwenignore', 'undecodable');
        roots.set([WS]);
        await settle();
        expect(problems()).to.deep.equal([
            '/ws/.geminiignore cannot be read, or is too long. Until it can be read, no file in its folder is shared.',
            '/ws/.qwenignore is not text in UTF-8. Until it can be read, no file in its folder is shared. Save it in UTF-8.'
        ]);
    });

    it('S16: a file over a link is looked at again: nobody reports its changes', async () => {
        disk.set('/ws/.qwenignore', { text: '' });
        realPaths.set('/ws/.qwenignore', '/elsewhere/rules');
        roots.set([WS]);
        await settle();
        disk.set('/ws/.qwenignore', { text: 'a.txt' });
        roots.readAgain('incomplete');
        await settle();
        expect(roots.withheldBy('/ws/a.txt', [WS])).to.equal('.qwenignore');
    });

    function problems(): string[] {
        return roots.problems(file => file.path.fsPath()).map(problemText);
    }

    it('forgets a root that is closed', async () => {
        disk.set('/ws/.qwenignore', { text: 'a.txt' });
        roots.set([WS]);
        await settle();
        roots.set([]);
        expect(roots.withheldBy('/ws/a.txt', [])).to.equal(undefined);
        roots.set([WS]);
        expect(roots.withheldBy('/ws/b.txt', [WS]), 'what it said is read again').to.include('does not know yet where /ws leads');
    });
});

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
        expect(rules('missing', 'undecodable').withheldBy('a.txt')).to.equal('.qwenignore is not text in UTF-8');
        expect(rules('missing', 'missing').withheldBy('a.txt')).to.equal(undefined);
    });

    it('reads the syntax of gitignore: comments, anchors, folders, upper and lower case, line endings, a byte order mark', () => {
        const read = rules('missing', { text: '\uFEFF/top.txt\r\n# notes.txt\r\nbuild/**/out.log\r\n\\#odd\r\n' });
        expect(read.withheldBy('top.txt')).to.equal('.qwenignore');
        expect(read.withheldBy('TOP.txt')).to.equal('.qwenignore');
        expect(read.withheldBy('deep/top.txt')).to.equal(undefined);
        expect(read.withheldBy('notes.txt')).to.equal(undefined);
        expect(read.withheldBy('build/a/b/out.log')).to.equal('.qwenignore');
        expect(read.withheldBy('#odd')).to.equal('.qwenignore');
    });

    it('S16: answer for any name, whatever a repository brings', () => {
        const hostile = rules({ text: `${'*a'.repeat(6)}*b` }, 'missing');
        expect(hostile.withheldBy('a'.repeat(100))).to.equal(undefined);
        expect(hostile.withheldBy(`${'a'.repeat(100)}b`)).to.equal('.geminiignore');
    });

    it('S16: accepts folders and files whose names are dots', () => {
        const read = rules({ text: '.../\n..hidden\n' }, 'missing');
        expect(read.withheldBy('.../a.txt')).to.equal('.geminiignore');
        expect(read.withheldBy('..hidden')).to.equal('.geminiignore');
        expect(read.withheldBy('..')).to.equal(undefined);
    });
});

describe('decodeIgnoreFile', () => {
    it('S16: reads UTF-8, and says so of anything else', () => {
        expect(decodeIgnoreFile(Buffer.from('é/\n'))).to.deep.equal({ text: 'é/\n' });
        expect(decodeIgnoreFile(Buffer.from('\uFEFFsecret\n'))).to.deep.equal({ text: 'secret\n' });
        for (const bytes of [Buffer.from('\uFEFFsecret\n', 'utf16le'), Buffer.from('secret\n', 'utf16le'), Buffer.from('é', 'latin1')]) {
            expect(decodeIgnoreFile(bytes)).to.equal('undecodable');
        }
    });
});

describe('IgnoreRoots.pathsInRoots', () => {
    /** The path in a root of this name, or a link to it. */
    async function relativePath(folder: string, file: string): Promise<string | undefined> {
        const root = URI.fromFilePath('/root');
        const roots = new IgnoreRoots({ read: async () => 'missing', realPath: async () => folder, handleChange: () => undefined });
        roots.set([root]);
        await new Promise(resolve => setImmediate(resolve));
        return roots.pathsInRoots(file).get(root.toString())?.[0];
    }

    it('is free of ./ and has forward slashes', async () => {
        expect(await relativePath('/ws', '/ws/src/a.ts')).to.equal('src/a.ts');
        expect(await relativePath('/ws/', '/ws//./src/a.ts')).to.equal('src/a.ts');
        expect(await relativePath('/', '/a.ts')).to.equal('a.ts');
        expect(await relativePath('C:\\ws', 'c:\\WS\\src\\a.ts')).to.equal('src/a.ts');
    });

    it('S16: a root is found in whatever case it is written', async () => {
        expect(await relativePath('/Users/Me/WS', '/users/me/ws/Secret.txt')).to.equal('Secret.txt');
    });

    it('S16: a root is found in whatever Unicode form it is written', async () => {
        expect(await relativePath('/ws/cafe\u0301', '/ws/café/a.txt')).to.equal('a.txt');
    });

    it('is none for the folder itself and for what is outside', async () => {
        expect(await relativePath('/ws', '/ws')).to.equal(undefined);
        expect(await relativePath('/ws', '/ws2/a.ts')).to.equal(undefined);
        expect(await relativePath('/ws/src', '/ws/a.ts')).to.equal(undefined);
    });

    it('keeps a backslash that is part of a name', async () => {
        expect(await relativePath('/ws', '/ws/a\\b.ts')).to.equal('a\\b.ts');
    });
});
