// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { eventually, TestCli } from '../test/test-cli';
import { typed } from '../test/test-page';
import { TestServer } from '../test/test-server';
import { TestBackend } from '../test/test-backend';
import { WindowLog } from './window-log';
import { Windows } from './windows';

describe('The log of a window', () => {
    it('the log of a window is bounded, and gives each line once', () => {
        const log = new WindowLog(() => new Date(0));
        log.add('one\ntwo');
        expect(log.after(0)).to.deep.equal({ newest: 1, lines: ['1970-01-01T00:00:00.000Z one two'] });
        expect(log.after(1)).to.deep.equal({ newest: 1, lines: [] });
        for (let number = 2; number <= 1_000; number++) {
            log.add('x'.repeat(100_000));
        }
        expect(log.after(0).lines).to.have.length(500);
        expect(log.after(998).lines).to.have.length(2);
        expect(log.after(5_000).lines).to.have.length(0);
        expect(log.after(0).lines.join('').length).to.be.lessThan(600_000);
    });

    it('the log of a window is that of the workspace: a page that is opened again has it, and there are not too many', () => {
        const backend = new TestBackend();
        const windows = backend.container.get(Windows);
        const log = windows.logOf(['/a', '/b']);
        log.add('one');
        expect(windows.logOf(['/b', '/a'])).to.equal(log);
        expect(windows.logOf(['/a'])).not.to.equal(log);
        for (let number = 0; number < 100; number++) {
            windows.logOf([`/${number}`]);
        }
        expect(windows.logOf(['/a', '/b']).newest).to.equal(0);
    });

    describe('with a server', () => {
        let test: TestServer;
        let cli: TestCli;
        TestServer.forEachTest((started, connected) => ([test, cli] = [started, connected]));

        it('has connects, requests, outcomes and refusals, and neither contents nor tokens', async () => {
            const file = test.file('a.txt');
            await cli.openDiff(file, 'the secret proposal');
            test.accept(test.shown[0], typed('the secret edit'));
            await cli.next('ide/diffAccepted');
            await cli.openDiff('relative.txt', 'x');
            await cli.closeDiff(file);
            await fetch(`http://127.0.0.1:${test.server.port}/mcp`, { method: 'POST', headers: { Authorization: 'Bearer wrong' } });
            const log = test.log.join('\n');
            expect(log).to.match(/^Serves this window on 127\.0\.0\.1:\d+$/m);
            expect(log).to.match(/^Discovery files are published for /m);
            expect(log).to.match(/^qwen-code 1: is connected$/m);
            expect(test.log).to.include(`qwen-code 1: openDiff ${file} (19 characters)`);
            expect(test.log).to.include(`qwen-code 1: diff ${file} accepted`);
            expect(log).to.match(/^qwen-code 1: openDiff refused: .*relative\.txt/m);
            expect(test.log).to.include('qwen-code 1: closeDiff refused: no such diff is open');
            expect(log).to.match(/^Refused a request: 401 Unauthorized/m);
            expect(log).not.to.include('secret');
            [...test.server.tokens.values()].forEach(token => expect(log).not.to.include(token));
        });

        it('a session keeps its number to its end, and with its last review (B9)', async () => {
            const file = test.file('a.txt');
            await cli.openDiff(file, 'proposed');
            await cli.terminate();
            await eventually('the review to end', () => test.log.includes(`qwen-code 1: diff ${file} orphaned`));
            expect(test.log.join('\n')).not.to.include('qwen-code 2');
        });
    });
});
