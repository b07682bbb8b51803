// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { CompanionLimits } from '../../common/companion-limits';
import { MAX_BODY_BYTES } from '../http/http-gate';
import { RawConnection } from '../test/raw-connection';
import { eventually, TestCli } from '../test/test-cli';
import { TestServer } from '../test/test-server';
import { failureText } from '../test/tool-results';
import { checkReviewPath, isOutside } from './review-path';

describe('Arguments of openDiff', () => {
    let test: TestServer;
    let cli: TestCli;
    TestServer.forEachTest((started, connected) => ([test, cli] = [started, connected]));

    it('S13: names the problem and opens nothing', async () => {
        await fs.mkdir(test.file('folder'));
        execFileSync('mkfifo', [test.file('pipe')]);
        await fs.writeFile(test.file('file'), '');
        await fs.symlink('/proc', test.file('proc-link'));
        await fs.symlink('/etc', test.file('link'));
        await fs.symlink('/no/such/place', test.file('dangling'));
        await fs.mkdir(test.file('deep/er'), { recursive: true });
        await fs.symlink('deep/er', test.file('inner-link'));
        const cases: Array<[unknown, unknown, RegExp]> = [
            [undefined, 'x', /filePath/],
            [17, 'x', /filePath/],
            [test.file('a'), undefined, /newContent/],
            [test.file('a'), { text: 'x' }, /newContent/],
            ['', 'x', /absolute/],
            ['a/b.txt', 'x', /absolute/],
            [test.file('a\0b'), 'x', /NUL/],
            [`/${'a'.repeat(5000)}`, 'x', /longer/],
            [test.file('folder'), 'x', /is a folder/],
            [test.file('new/'), 'x', /is a folder/],
            [test.file('pipe'), 'x', /device, pipe or socket/],
            ['/dev/null', 'x', /device, pipe or socket/],
            ['/proc/self/mem', 'x', /cannot be reached|view of the system/],
            [test.file('proc-link/version'), 'x', /cannot be reached|view of the system/],
            [test.file('file/below'), 'x', /cannot be reached/],
            [`${test.workspace}/../elsewhere.txt`, 'x', /leaves the workspace/],
            [`${test.workspace}/folder/../../../etc/passwd`, 'x', /leaves the workspace/],
            // `missing` is not there, so the system knows none of these; a CLI that makes it, or takes it away, reaches what is behind.
            [`${test.workspace}/missing/../link/passwd`, 'x', /leaves the workspace/],
            [`${test.workspace}/missing/../link/../new`, 'x', /leaves the workspace/],
            [`${test.workspace}/missing/../../elsewhere.txt`, 'x', /leaves the workspace/],
            [`${test.workspace}/missing/../pipe`, 'x', /device, pipe or socket/],
            [`${test.workspace}/missing/../folder`, 'x', /is a folder/],
            [`${test.workspace}/missing/../proc-link/version`, 'x', /view of the system/],
            [`${test.workspace}/missing/../dangling`, 'x', /cannot be reached/],
            // Where the link leads, and without it.
            [`${test.workspace}/link/../${path.basename(test.workspace)}/a`, 'x', /leaves the workspace/],
            [`${test.workspace}/inner-link/../pipe`, 'x', /device, pipe or socket/],
            [`${test.workspace}/inner-link/../folder/..`, 'x', /is a folder/],
            [test.file('file/'), 'x', /is a folder/],
            [`${test.workspace}/file//.`, 'x', /is a folder/],
            [`${test.workspace}/file/../a`, 'x', /cannot be reached/],
            [test.file('dangling'), 'x', /cannot be reached/],
            [`/proc/self/cwd/a.txt`, 'x', /view of the system/]
        ];
        for (const [filePath, newContent, expected] of cases) {
            const call = JSON.stringify(filePath);
            expect(failureText(await cli.openDiff(filePath, newContent), call), call).to.match(expected);
        }
        expect(test.shown).to.deep.equal([]);
    });

    it('S13: opens a file outside the workspace with a notice, or refuses it where the preference says so', async () => {
        expect(await cli.openDiff('/etc/hostname', 'x')).to.deep.equal({ content: [] });
        expect(isOutside(test.shown[0].file.realPath, [test.workspace])).to.equal(true);
        test.preferences['companion.review.outsideWorkspace'] = 'refuse';
        expect(failureText(await cli.openDiff('/etc/hosts', 'x'))).to.include('outside the workspace');
    });

    it('S13: treats a link out of the workspace as what it leads to', async () => {
        await fs.symlink('/etc', test.file('link'));
        await cli.openDiff(test.file('link/new-file'), 'x');
        expect(test.shown[0].file.realPath).to.equal('/etc/new-file');
        expect(failureText(await cli.openDiff(`${test.workspace}/link/../new-file`, 'x'))).to.include('leaves the workspace');
    });

    it('S15: takes a proposal of the promised size whatever JSON makes of its characters, and a larger one fails its tool call alone', async () => {
        const limit = CompanionLimits.reviewText;
        // In JSON one byte for each character, and six.
        for (const character of ['x', '\u0001']) {
            expect(await cli.openDiff(test.file('a.txt'), character.repeat(limit))).to.deep.equal({ content: [] });
            const { proposal } = test.shown.splice(0)[0];
            expect(proposal.length === limit && proposal.startsWith(character) && proposal.endsWith(character)).to.equal(true);
        }
        const tooLarge = failureText(await cli.openDiff(test.file('a.txt'), 'x'.repeat(2 * limit)));
        expect(tooLarge).to.equal(`The proposal for ${test.file('a.txt')} is larger than 16777216 characters`);
        expect(test.shown).to.deep.equal([]);
        expect(cli.errors).to.deep.equal([]);
        expect(await cli.client.ping()).to.deep.equal({});
    }).timeout(60_000);

    it('S15: gives a proposal of 10 MB back, and refuses a body over the limit with 413', async () => {
        const large = 'line of text\n'.repeat(800_000);
        await cli.openDiff(test.file('large.txt'), large);
        test.accept(test.shown[0]);
        expect((await cli.next('ide/diffAccepted')).params?.content).to.equal(large);
        const sender = await RawConnection.open(test.server.port);
        const names = [`Host: 127.0.0.1:${test.server.port}`, `Authorization: Bearer ${test.token()}`, 'Content-Type: application/json'];
        sender.send(['POST /mcp HTTP/1.1', ...names, `Content-Length: ${MAX_BODY_BYTES + 1}`, '', '{'].join('\r\n'));
        await eventually('the refusal', () => sender.status === 413);
        sender.destroy();
        expect(await cli.client.ping()).to.deep.equal({});
    });

    it('recognizes each folder of a missing root', async () => {
        const root = path.join(test.workspace, 'gone', 'project');
        const checked = await checkReviewPath(`${root}/../project/new.txt`, [root]);
        expect(checked).to.deep.equal({ file: { path: `${root}/new.txt`, realPath: `${root}/new.txt` } });
        expect(await checkReviewPath(`${root}/../other/new.txt`, [root]))
            .to.have.property('problem')
            .that.includes('leaves the workspace');
    });
});
