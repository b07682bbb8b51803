// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFile, execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { promisify } from 'util';
import { QWEN_CODE } from '../support/cli-words';
import { IdeFixture } from '../support/ide-fixture';
import { describeReviewsWith } from './cli-reviews';

/** Of a user who does not know IDE mode, with the umask that users of Ubuntu have: on a machine that nobody prepared. */
describeReviewsWith(QWEN_CODE, 'page', () => ({
    // Not by a variable: `~/.qwen`.
    environment: { QWEN_HOME: undefined },
    umask: hasOwnGroup() ? 0o002 : undefined,
    prepare: makeQwenHome
}));

/** Has Qwen Code make its folder, and gives it the sample's settings back, without what the companion's system defaults have to bring. */
async function makeQwenHome({ home, workspace, env }: IdeFixture): Promise<void> {
    const folder = path.join(home, '.qwen');
    const file = path.join(folder, 'settings.json');
    const { ide, tools, ...others } = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, Record<string, unknown>>;
    expect([ide.enabled, tools.approvalMode]).to.deep.equal([true, 'default']);
    delete tools.approvalMode;
    await fs.rm(folder, { recursive: true });
    const umask = hasOwnGroup() ? 'umask 002; ' : '';
    await promisify(execFile)('/bin/sh', ['-c', `${umask}exec qwen -p Hello </dev/null`], { cwd: workspace, env });
    await fs.writeFile(file, JSON.stringify({ ...others, tools }));
    if (hasOwnGroup()) {
        expect((await fs.stat(folder)).mode & 0o777, 'as Qwen Code made it').to.equal(0o775);
    }
}

/** Whether the user of this machine has a group that nobody else is in. */
function hasOwnGroup(): boolean {
    const gid = process.getgid?.();
    const [, , , members] = execFileSync('getent', ['group', String(gid)], { encoding: 'utf8' })
        .trim()
        .split(':');
    const others = execFileSync('getent', ['passwd'], { encoding: 'utf8' }).split('\n');
    return members === '' && others.filter(line => line.split(':')[3] === String(gid)).length === 1;
}
