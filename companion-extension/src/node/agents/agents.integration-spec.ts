// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { Container } from '@theia/core/shared/inversify';
import { backendPreferences } from '../../common/companion-preferences';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessTable } from '../host/process-table';
import { eventually } from '../test/test-cli';
import { Agents } from './agents';
import { PtyShell } from './test/pty-shell';

const QUERY = '\u001b]7501;?\u0007';

(process.platform === 'linux' ? describe : describe.skip)('What a terminal is asked by OSC 7501', () => {
    let host: TestHost;
    let shell: PtyShell;

    beforeEach(async () => {
        host = new TestHost();
        shell = await PtyShell.open(host);
        const container = new Container();
        container.bind<Pick<SupportedClis, 'ofProcess'>>(SupportedClis).toConstantValue({ ofProcess: () => undefined });
        container.bind(ProcessTable).to(LinuxProcessTable);
        container.bind(Agents).toSelf();
        container.get(Agents).follow(shell.followed, () => backendPreferences());
    });

    afterEach(async () => {
        await shell.close();
        host.remove();
    });

    /** @param script of a program that asks, and prints what it is answered */
    function write(name: string, script: string): string {
        const file = path.join(host.folder, name);
        fs.writeFileSync(file, script);
        return file;
    }

    it('is answered to a program that reads it', async () => {
        const program = write(
            'asks',
            `stty raw -echo; printf '\\e]7501;?\\a'; read -r -t 5 -n 9 answer; stty sane; printf '%q\\n' "$answer"`
        );
        for (let start = 0; start < 3; start++) {
            shell.type(`bash ${program}; printf '\\e]7501;state=done\\a'`);
            await shell.untilPrompt();
            expect(shell.output).to.contain(String.raw`$'\E]7501;?\a'`);
        }
    });

    it('is answered once to a program that reads nothing, however much it asks', async () => {
        const flood = write('flood.log', QUERY.repeat(250_000));
        shell.type(`cat ${flood}; sleep 1; cat ${flood}`);
        await shell.untilPrompt();
        // Both are one process group for bash, or one each.
        expect(shell.answers.length).to.be.within(1, 2);
    });

    it('is not typed into a shell’s line', async () => {
        shell.type(`for i in 1 2 3; do printf '\\e]7501;?\\a'; done`);
        await shell.untilPrompt();
        shell.type('echo end');
        await eventually('the line', () => /^end/m.test(shell.output));
        expect(shell.output).not.to.contain('7501');
        expect(shell.answers).to.deep.equal([]);
    });
});
