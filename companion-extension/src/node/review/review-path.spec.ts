// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PathRules } from './review-path';

describe('PathRules', () => {
    const windows = new PathRules('win32');
    const mac = new PathRules('darwin');
    const linux = new PathRules('linux');

    it('S13: finds what is below a root, by the case rules of the platform', () => {
        expect(linux.isBelow('/ws', '/ws/a.txt')).to.equal(true);
        expect(linux.isBelow('/ws', '/WS/a.txt')).to.equal(false);
        expect(mac.isBelow('/Users/me/ws', '/users/ME/WS/a.txt')).to.equal(true);
        expect(windows.isBelow('c:\\ws', 'C:\\WS\\a.txt')).to.equal(true);
        expect(windows.isBelow('C:\\', 'c:\\a.txt')).to.equal(true);
        expect(windows.isBelow('\\\\Server\\share\\ws', '\\\\server\\Share\\ws\\a.txt')).to.equal(true);
        expect(linux.isBelow('/', '/a.txt')).to.equal(true);
    });

    it('S13: and nothing else: neither the root itself, nor what begins like it, nor what is beside or above it', () => {
        for (const file of ['/ws', '/', '/ws2/a', '/ws/../a', '/ws/..']) {
            expect(linux.isBelow('/ws', file), file).to.equal(false);
        }
        expect(linux.isBelow('/ws', '/ws/..a')).to.equal(true);
        for (const file of ['C:\\ws', 'C:\\ws2\\a', 'D:\\ws\\a', 'C:\\ws\\..\\a', '\\\\server\\share\\ws\\a', '\\\\?\\D:\\ws\\a']) {
            expect(windows.isBelow('C:\\ws', file), file).to.equal(false);
        }
    });

    it('S13: refuses on Windows devices, streams of files and other machines, which a mere look would greet', () => {
        const bad: Record<string, RegExp> = {
            'C:\\ws\\NUL': /device/,
            'C:\\ws\\con.txt': /device/,
            'C:\\ws\\aux\\a.txt': /device/,
            'C:\\ws\\COM1': /device/,
            '\\\\.\\pipe\\x': /device/,
            '//./pipe/x': /device/,
            '\\\\?\\C:\\ws\\a.txt': /device/,
            'C:\\ws\\a.txt:hidden': /stream/,
            '\\\\evil\\share\\a.txt': /another machine/,
            '//evil/share/a.txt': /another machine/,
            'C:ws\\a.txt': /absolute/,
            '/a\0': /NUL/
        };
        for (const [filePath, expected] of Object.entries(bad)) {
            expect(windows.findProblem(filePath, ['C:\\ws']), filePath).to.match(expected);
        }
        expect(windows.findProblem('\\\\SERVER\\share\\ws\\a.txt', ['\\\\server\\share\\ws'])).to.equal(undefined);
        for (const filePath of ['C:\\ws\\a.txt', 'c:/ws/a.txt', 'C:\\ws\\console.txt', 'C:\\ws\\nullable\\com10.txt']) {
            expect(windows.findProblem(filePath, ['C:\\ws']), filePath).to.equal(undefined);
        }
    });

    it('treats such names as files on other systems', () => {
        for (const filePath of ['/ws/NUL', '/ws/a:b', '//server/share/a', '/ws/\\\\.\\pipe']) {
            expect(linux.findProblem(filePath, ['/ws'])).to.equal(undefined);
        }
    });

    it('S13: knows views of the system, which only Linux shows as files', () => {
        expect(['/proc/version', '/sys/x'].map(file => linux.isSystemFile(file))).to.deep.equal([true, true]);
        expect(['/proc', '/procedure/a', '/ws/proc/a'].map(file => linux.isSystemFile(file))).to.deep.equal([false, false, false]);
        expect(mac.isSystemFile('/proc/a')).to.equal(false);
    });
});
