// SPDX-License-Identifier: Apache-2.0

import 'reflect-metadata';
import * as fs from 'fs';
import * as path from 'path';
import { RootIndex } from '../root-index';

/** Arguments: a root, the folder of the private index, and `once` to print one look; else it works until it is killed. */
async function main([root, home, mode]: readonly string[]): Promise<void> {
    const index = new RootIndex(root, home, { isSecret: () => false });
    await index.start();
    if (mode === 'once') {
        fs.appendFileSync(path.join(root, 'a'), 'x');
        const listed = await index.look();
        process.stdout.write(listed.map(({ path: file, row }) => `${file}:${row.kind}`).join(', ') + '\n');
        process.exit();
    }
    for (const file = path.join(root, 'f8'); ;) {
        await index.look();
        const from = fs.readFileSync(file);
        const to = Buffer.from(`${Math.random()}\n`);
        fs.writeFileSync(file, to);
        await index.foldSave('f8', from, to);
    }
}

void main(process.argv.slice(2));
