// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs, watch } from 'fs';
import * as path from 'path';
import { Cli } from '../support/cli';
import { eventually } from '../support/eventually';
import { Workbench } from '../support/workbench';

/** So long that Qwen Code guesses the encoding. */
const WORDS = '我们在这里写一些中文的说明，这是一个测试文件，里面的内容没有什么特别的意思。';
/** The same in GBK. */
const GBK_WORDS = Buffer.from(
    'ced2c3c7d4dad5e2c0efd0b4d2bbd0a9d6d0cec4b5c4cbb5c3f7a3acd5e2cac7d2bbb8f6b2e2cad4cec4bcfea3acc0efc3e6b5c4c4dac8ddc3bbd3d0cab2c3b4ccd8b1f0b5c4d2e2cbbca1a3',
    'hex'
);

/** Files as people have them, with a real CLI: what is on disk in the end is compared byte for byte. */
export function itReviewsSpecialFiles(workbenchOf: () => Workbench, cliOf: () => Cli): void {
    function gbk(before: string, after: string): Buffer {
        return Buffer.concat([Buffer.from(before), GBK_WORDS, Buffer.from(after)]);
    }

    it('a file in another encoding: it is asked for, and what is written in it is found there', async () => {
        const [{ page, ide }, cli] = [workbenchOf(), cliOf()];
        await fs.writeFile(ide.file('gbk.py'), gbk('# top\n# ', '\nimport os\n\nx = 1\n'));
        const before = await cli.play(cli.readFile('gbk.py'), cli.edit('gbk.py', 'x = 1', 'x = 2'));
        const diff = await page.waitForDiff(ide.file('gbk.py'));
        expect(await diff.right()).to.equal(`# top\n# ${WORDS}\nimport os\n\nx = 2\n`);
        await diff.waitForNotice('The encoding of the file on disk is not known');
        await page.page.getByRole('button', { name: 'Choose Encoding…' }).click();
        await page.page.keyboard.type('GBK');
        await page.press('Enter');
        await eventually('the left side to be read', async () => (await diff.left()) === `# top\n# ${WORDS}\nimport os\n\nx = 1\n`);
        await diff.typeAtEnd('y = 3\n');
        await diff.accept();
        await cli.waitUntilPlayed(before);
        expect(await fs.readFile(ide.file('gbk.py'))).to.deep.equal(gbk('# top\n# ', '\nimport os\n\nx = 2\ny = 3\n'));
        await page.written('gbk.py').waitFor();
        expect(await page.statusDetails()).not.to.include('edits that were not written');
    });

    it('a formatter that follows the write: the file is said to be formatted, no edit is kept, and Undo brings back the text from before the CLI', async () => {
        const [{ page, ide }, cli] = [workbenchOf(), cliOf()];
        const file = ide.file('formatted.js');
        await fs.writeFile(file, 'f() {\n}\n');
        const before = await cli.play(cli.readFile('formatted.js'), cli.edit('formatted.js', 'f() {\n', 'f() {\n    one();\n'));
        const diff = await page.waitForDiff(file);
        await diff.typeAtEnd('    mine();');
        // As a hook does it, a moment after the write.
        const formatter = watch(path.dirname(file), () => void format());
        const format = async (): Promise<void> => {
            const text = await fs.readFile(file, 'utf8');
            if (text.includes('    mine')) {
                formatter.close();
                await fs.writeFile(file, text.replaceAll('    ', '\t'));
            }
        };
        await diff.accept();
        await cli.waitUntilPlayed(before);
        await eventually('the formatter', async () => (await ide.read('formatted.js')) === 'f() {\n\tone();\n}\n\tmine();');
        const undo = page.page.getByRole('button', { name: 'formatted.js written, and formatted' });
        await undo.waitFor();
        expect(await page.statusDetails()).not.to.include('edits that were not written');
        await undo.click();
        await eventually('the text from before the CLI', async () => (await ide.read('formatted.js')) === 'f() {\n}\n');
    });

    it('a link: the bar says where it leads', async () => {
        const [{ page, ide }, cli] = [workbenchOf(), cliOf()];
        await fs.mkdir(ide.file('real'), { recursive: true });
        await fs.writeFile(ide.file('real/real.txt'), 'one\n');
        await fs.symlink('real/real.txt', ide.file('link.txt'));
        const before = await cli.play(cli.readFile('link.txt'), cli.edit('link.txt', 'one', 'two'));
        const diff = await page.waitForDiff(ide.file('link.txt'));
        await page.page.locator('.companion-review-bar', { hasText: 'link.txt → real/real.txt' }).waitFor();
        await diff.accept();
        await cli.waitUntilPlayed(before);
        const wasReplaced = (await fs.lstat(ide.file('link.txt'))).isFile();
        await page.page
            .getByText(wasReplaced ? 'link.txt written: it was a link' : 'link.txt written')
            .first()
            .waitFor();
        expect(await ide.read(wasReplaced ? 'link.txt' : 'real/real.txt')).to.equal('two\n');
    });
}
