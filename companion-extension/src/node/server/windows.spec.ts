// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WorkspaceRoots } from '../host/workspace-roots';
import { OWNER_ABSENCE_MS, Window } from './window';
import { Windows } from './windows';

const NOW = 1_000_000;

function window(id: string, changes: Partial<Window> = {}): Window {
    const { roots = ['/w'] } = changes;
    const hasRoots = (others: readonly string[]): boolean => new WorkspaceRoots(roots).isSame(others);
    const window: Partial<Window> = { roots, hasRoots, live: true, silent: false, enabled: true, absent: false, focusedAt: 0 };
    return { id, ...window, ...changes } as Window;
}

function away(ms: number): Partial<Window> {
    return { live: false, absent: ms >= OWNER_ABSENCE_MS };
}

class TestWindows extends Windows {
    constructor(private readonly known: readonly Window[]) {
        super();
    }

    override all(): readonly Window[] {
        return this.known;
    }
}

function servingWindow(owner: Window, windows: readonly Window[]): Window | undefined {
    return new TestWindows(windows).serving(owner);
}

describe('Windows.serving', () => {
    it('a server is served by the owner while it has a page, whoever has the focus', () => {
        const owner = window('owner');
        expect(servingWindow(owner, [owner, window('other', { focusedAt: NOW })])).to.equal(owner);
    });

    it('a server is served by nobody while the owner may still come back from a reload', () => {
        const owner = window('owner', away(OWNER_ABSENCE_MS - 1));
        expect(servingWindow(owner, [owner, window('other')])).to.equal(undefined);
    });

    it('a server is served by the most recently focused window with the same roots when the owner stays away', () => {
        const owner = window('owner', away(OWNER_ABSENCE_MS));
        const early = window('early', { focusedAt: 1 });
        const late = window('late', { focusedAt: 2 });
        expect(servingWindow(owner, [owner, late, early])).to.equal(late);
    });

    it('a server is served by no window with other roots, nested ones included, or without a page', () => {
        const owner = window('owner', away(OWNER_ABSENCE_MS));
        const others = [window('nested', { roots: ['/w/sub'] }), window('more', { roots: ['/w', '/x'] }), window('gone', away(0))];
        expect(servingWindow(owner, [owner, ...others])).to.equal(undefined);
    });

    it('a server is served by no window that is switched off', () => {
        const owner = window('owner', away(OWNER_ABSENCE_MS));
        const off = window('off', { enabled: false, focusedAt: 2 });
        const on = window('on', { focusedAt: 1 });
        expect(servingWindow(owner, [owner, off, on])).to.equal(on);
        expect(servingWindow(owner, [owner, off])).to.equal(undefined);
    });

    it('a server is served by the next window at once while the owner is silent, and never a silent one', () => {
        const owner = window('owner', { silent: true });
        const silent = window('silent', { silent: true, focusedAt: 2 });
        const other = window('other', { focusedAt: 1 });
        expect(servingWindow(owner, [owner, silent, other])).to.equal(other);
        const absent = window('absent', away(OWNER_ABSENCE_MS));
        expect(servingWindow(absent, [absent, silent])).to.equal(undefined);
    });

    it('a server is served by the silent owner if there is no other window: it may be busy', () => {
        const owner = window('owner', { silent: true });
        const others = [window('silent', { silent: true }), window('off', { enabled: false }), window('elsewhere', { roots: ['/x'] })];
        expect(servingWindow(owner, [owner, ...others])).to.equal(owner);
    });

    it('windows with the same roots in another order count as equal', () => {
        const owner = window('owner', { ...away(OWNER_ABSENCE_MS), roots: ['/a', '/b'] });
        const other = window('other', { roots: ['/b', '/a'] });
        expect(servingWindow(owner, [owner, other])).to.equal(other);
    });

    it('a server is served by nobody for a window without a folder: another such window is not the same workspace', () => {
        const owner = window('owner', { ...away(OWNER_ABSENCE_MS), roots: [] });
        expect(servingWindow(owner, [owner, window('other', { roots: [] })])).to.equal(undefined);
    });

    it('a server is served by the owner again when it returns', () => {
        const owner = window('owner', { live: true, focusedAt: 0 });
        expect(servingWindow(owner, [owner, window('device', { focusedAt: NOW })])).to.equal(owner);
    });
});
