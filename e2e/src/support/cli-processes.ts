// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { CliWords } from './cli-words';
import { IdeFixture } from './ide-fixture';

/** Ids of the processes that run this CLI in the terminals of these folders' backends. Both CLIs start themselves once more. */
export async function processesOf(words: CliWords, ide: IdeFixture): Promise<number[]> {
    const pids = (await fs.readdir('/proc')).filter(name => /^\d+$/.test(name));
    const found = await Promise.all(
        pids.map(async pid => {
            const [command, environment] = await Promise.all(
                ['cmdline', 'environ'].map(name => fs.readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''))
            );
            const isOurs = environment.includes(`HOME=${ide.home}\0`);
            return isOurs && command.includes(words.packageName) ? [Number(pid)] : [];
        })
    );
    return found.flat();
}
