// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { EventEmitter, once } from 'events';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import { FolderWatcher } from './folder-watcher';

const TIMINGS = { debounce: 0, poll: 60_000 };

describe('FolderWatcher', () => {
    let folder: string;
    let changes: EventEmitter;
    let watchers: FolderWatcher[];
    /** Reports of the watcher of one file; the other one reports every change, so that nothing of the change is still on its way. */
    let reports: number;

    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'companion-watch-'));
        changes = new EventEmitter();
        reports = 0;
        watchers = [new FolderWatcher(() => reports++, TIMINGS), new FolderWatcher(() => changes.emit('any'), TIMINGS)];
        watchers[0].watch([folder], new Set([path.join(folder, 'mine')]));
        watchers[1].watch([folder]);
    });
    afterEach(() => {
        watchers.forEach(watcher => watcher.dispose());
        fs.rmSync(folder, { recursive: true, force: true });
    });

    it('reports what happens to its files, and not what happens to those beside them', async () => {
        for (const name of ['of-another-window', 'also-not-mine']) {
            await change(() => fs.writeFileSync(path.join(folder, name), ''));
        }
        expect(reports).to.equal(0);
        await change(() => fs.writeFileSync(path.join(folder, 'mine'), ''));
        expect(reports).to.be.greaterThan(0);
    });

    it('reports a file that another one is renamed to, and the end of the folder', async () => {
        const temporary = path.join(folder, 'temporary');
        await change(() => fs.writeFileSync(temporary, ''));
        await change(() => fs.renameSync(temporary, path.join(folder, 'mine')));
        expect(reports).to.be.greaterThan(0);
        const before = reports;
        await change(() => fs.rmSync(folder, { recursive: true }));
        expect(reports).to.be.greaterThan(before);
    });

    /** Until both have reported what they report of it. */
    async function change(action: () => void): Promise<void> {
        const reported = once(changes, 'any');
        action();
        await reported;
        await new Promise(resolve => setTimeout(resolve, 1));
    }
});
