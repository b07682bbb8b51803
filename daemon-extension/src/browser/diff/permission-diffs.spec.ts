// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PermissionDiffs } from './permission-diffs';

describe('The diffs of permissions', () => {
    const edit = { sessionId: 's', turnId: 't', toolId: 'c' };
    const diff = { path: '/w/a.txt', isNew: false };
    const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

    it('leave the one open that was opened last, however slow opening and closing are', async () => {
        const tabs = new Set<string>();
        const diffs = new PermissionDiffs({
            open: async ({ toolId }) => {
                await pause();
                tabs.add(toolId);
            },
            close: async ({ toolId }) => {
                await pause();
                tabs.delete(toolId);
            }
        });
        await Promise.all([diffs.open(edit, diff), diffs.close(edit), diffs.open(edit, diff)]);
        expect([...tabs]).to.deep.equal(['c']);
        await diffs.close(edit);
        expect(tabs.size).to.equal(0);
    });

    it('close only what they opened, and open it once', async () => {
        const steps: string[] = [];
        const diffs = new PermissionDiffs({
            open: async ({ turnId }) => void steps.push(`open ${turnId}`),
            close: async ({ turnId }) => void steps.push(`close ${turnId}`)
        });
        await diffs.close(edit);
        await Promise.all([diffs.open(edit, diff), diffs.open(edit, diff), diffs.open({ ...edit, turnId: 'other' }, diff)]);
        await diffs.close(edit);
        await diffs.close(edit);
        expect(steps.sort()).to.deep.equal(['close t', 'open other', 'open t']);
    });

    it('open again after one that failed', async () => {
        let fails = true;
        let opened = 0;
        const diffs = new PermissionDiffs({
            open: async () => {
                opened++;
                if (fails) {
                    throw new Error('no');
                }
            },
            close: async () => undefined
        });
        const failed = diffs.open(edit, diff).catch(() => (fails = false));
        await Promise.all([failed, diffs.close(edit), diffs.open(edit, diff)]);
        expect(opened).to.equal(2);
    });
});
