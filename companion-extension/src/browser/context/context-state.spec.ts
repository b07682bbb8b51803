// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { URI } from '@theia/core/lib/common/uri';
import { IdeContextFile } from '../../common/companion-protocol';
import { ContextState, SelectedText } from './context-state';

function selected(text: string): SelectedText {
    return { text, range: { start: { line: 0, character: 0 }, end: { line: 0, character: text.length } } };
}

describe('ContextState', () => {
    let clock: SinonFakeTimers;
    let sharing: boolean;
    let hidden: Set<string>;
    let state: ContextState;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        sharing = true;
        hidden = new Set();
        const filter = {
            get sharing(): boolean {
                return sharing;
            },
            isShared: (path: string) => !hidden.has(path),
            withheldBy: (uri: URI) => (hidden.has(uri.path.fsPath()) ? `rule of ${uri.path.base}` : undefined)
        };
        state = new ContextState(filter);
    });
    afterEach(() => clock.restore());

    function open(path: string, exists = true): void {
        clock.tick(1);
        state.markOpened(path);
        state.setRealPath(path, exists ? path : undefined);
    }

    function focus(path: string): void {
        clock.tick(1);
        state.markFocused(path);
    }

    function files(): IdeContextFile[] {
        return state.snapshot().workspaceState?.openFiles ?? [];
    }

    function paths(): string[] {
        return files().map(({ path }) => path);
    }

    it('C2, C3: reports open files, and no closed ones', () => {
        open('/ws/a');
        open('/ws/b');
        expect(paths()).to.deep.equal(['/ws/b', '/ws/a']);
        state.markClosed('/ws/b');
        expect(paths()).to.deep.equal(['/ws/a']);
        state.markClosed('/ws/a');
        expect(state.snapshot()).to.deep.equal({ workspaceState: { openFiles: [] } });
    });

    it('C3: a file in two editors is closed with the second', () => {
        open('/ws/a');
        open('/ws/a');
        state.markClosed('/ws/a');
        expect(paths()).to.deep.equal(['/ws/a']);
        state.markClosed('/ws/a');
        expect(paths()).to.deep.equal([]);
    });

    it('C4, C11: orders by the time of the last focus', () => {
        ['/ws/a', '/ws/b', '/ws/c'].forEach(path => open(path));
        clock.tick(1000);
        focus('/ws/b');
        const at = Date.now();
        clock.tick(1000);
        focus('/ws/a');
        expect(paths()).to.deep.equal(['/ws/a', '/ws/b', '/ws/c']);
        expect(files()[1].timestamp).to.equal(at);
    });

    it('C10: leaves out files that are not on disk', () => {
        open('/ws/a', false);
        focus('/ws/a');
        expect(paths()).to.deep.equal([]);
        state.setRealPath('/ws/a', '/ws/a');
        expect(paths()).to.deep.equal(['/ws/a']);
        state.setRealPath('/ws/a', undefined);
        expect(paths()).to.deep.equal([]);
    });

    it('C12: one active file, the first and with the greatest timestamp, even when another is opened behind it later', () => {
        open('/ws/a');
        focus('/ws/a');
        clock.tick(100);
        open('/ws/b');
        const [first, second] = files();
        expect(first).to.include({ path: '/ws/a', isActive: true });
        expect(second).to.not.have.property('isActive');
        expect(first.timestamp).to.be.greaterThan(second.timestamp);
    });

    it('C12: two files that get the focus within a millisecond stay in order', () => {
        open('/ws/a');
        open('/ws/b');
        state.markFocused('/ws/b');
        state.markFocused('/ws/a');
        expect(paths()).to.deep.equal(['/ws/a', '/ws/b']);
        expect(files()[0].timestamp).to.be.greaterThan(files()[1].timestamp);
    });

    it('C13, C14: cursor and selection on the active file only, counted from 1', () => {
        open('/ws/a');
        open('/ws/b');
        for (const path of ['/ws/a', '/ws/b']) {
            state.setCursor(path, { line: 0, character: 4 });
            state.setSelection(path, selected('text'));
        }
        focus('/ws/a');
        const [active, other] = files();
        expect(active.cursor).to.deep.equal({ line: 1, character: 5 });
        expect(active.selectedText).to.equal('text');
        expect(active.selection).to.deep.equal({ start: { line: 1, character: 1 }, end: { line: 1, character: 5 } });
        expect(Object.keys(other)).to.have.members(['path', 'timestamp']);
    });

    it('an empty selection is left out', () => {
        open('/ws/a');
        focus('/ws/a');
        state.setSelection('/ws/a', selected('text'));
        state.setSelection('/ws/a', undefined);
        expect(files()[0]).to.not.have.property('selectedText');
    });

    it('C15: reports ten files at most, the last used ones', () => {
        for (let index = 0; index < 14; index++) {
            open(`/ws/${index}`);
        }
        focus('/ws/0');
        expect(paths()).to.have.length(10);
        expect(paths()[0]).to.equal('/ws/0');
        expect(paths()).to.not.include('/ws/1');
    });

    it('C16: cuts the selection at 16 KiB of UTF-8', () => {
        open('/ws/a');
        focus('/ws/a');
        state.setSelection('/ws/a', selected('ä'.repeat(16 * 1024)));
        expect(Buffer.byteLength(files()[0].selectedText ?? '')).to.equal(16 * 1024);
    });

    it('S15: cuts no character in two', () => {
        open('/ws/a');
        focus('/ws/a');
        const start = 'x'.repeat(16 * 1024 - 7);
        const cut = (text: string): string | undefined => {
            state.setSelection('/ws/a', selected(start + text));
            return files()[0].selectedText?.slice(start.length);
        };
        expect(cut('a€😀')).to.equal('a€');
        expect(cut('€😀')).to.equal('€😀');
        expect(cut('aaa€😀')).to.equal('aaa€');
        expect(cut('aaaaaa€')).to.equal('aaaaaa');
        expect(cut('ab\ud83d'), 'half a pair at the end').to.equal('ab');
        expect(cut('\ud83da€€'), 'half a pair that the file has').to.equal('\ud83da€');
    });

    it('S16: reports no file while sharing is off, but still the trust', () => {
        open('/ws/a');
        state.setTrusted(true);
        sharing = false;
        expect(state.snapshot()).to.deep.equal({ workspaceState: { openFiles: [], isTrusted: true } });
    });

    it('S16: leaves out an excluded file with its selection, and names no other file as active', () => {
        open('/ws/a');
        open('/ws/.env');
        focus('/ws/.env');
        state.setSelection('/ws/.env', selected('SECRET'));
        hidden.add('/ws/.env');
        expect(files()).to.have.length(1);
        expect(files()[0]).to.not.have.property('isActive');
        expect(state.withheld).to.deep.equal([{ path: '/ws/.env', rule: 'rule of .env', isActive: true }]);
        expect(JSON.stringify(state.snapshot())).to.not.include('SECRET');
    });

    it('S16: a link to an excluded file is left out with its selection', () => {
        open('/ws/notes.txt');
        focus('/ws/notes.txt');
        state.setSelection('/ws/notes.txt', selected('SECRET'));
        state.setRealPath('/ws/notes.txt', '/ws/.env');
        hidden.add('/ws/.env');
        expect(files()).to.deep.equal([]);
        expect(JSON.stringify(state.snapshot())).to.not.include('SECRET');
        expect(state.withheld).to.deep.equal([{ path: '/ws/notes.txt', rule: 'rule of .env', isActive: true }]);
        state.setRealPath('/ws/notes.txt', '/ws/other.txt');
        expect(files()[0]).to.include({ path: '/ws/notes.txt', selectedText: 'SECRET' });
    });

    it('S16: after the window was away, a file that was not shared yet is shared once it is known where it leads now', () => {
        for (let index = 0; index < 11; index++) {
            open(`/ws/${index}`);
        }
        files();
        state.markLinksUnverified();
        expect(state.isUnverified('/ws/1'), 'the backend looks at the told ones').to.equal(false);
        expect(paths()).to.include('/ws/1');
        expect(state.unverified).to.deep.equal([]);
        focus('/ws/0');
        state.setSelection('/ws/0', selected('SECRET'));
        expect(paths()).to.not.include('/ws/0');
        expect(state.unverified).to.deep.equal(['/ws/0']);
        state.setRealPath('/ws/0', '/ws/.env');
        hidden.add('/ws/.env');
        expect(JSON.stringify(state.snapshot())).to.not.include('SECRET');
        expect(state.unverified).to.deep.equal([]);
        state.setRealPath('/ws/0', '/ws/0');
        expect(files()[0]).to.include({ path: '/ws/0', selectedText: 'SECRET' });
    });

    it('asks nothing about a file that its own name keeps from the CLIs', () => {
        open('/ws/.env');
        hidden.add('/ws/.env');
        state.markLinksUnverified();
        expect(files()).to.deep.equal([]);
        expect(state.unverified).to.deep.equal([]);
    });

    it('S17: reports that a workspace is not trusted, and shares what the user set', () => {
        open('/ws/a');
        state.setTrusted(false);
        expect(state.snapshot().workspaceState).to.deep.include({ isTrusted: false });
        expect(paths()).to.deep.equal(['/ws/a']);
    });

    it('S17: leaves the trust out until it is known', () => {
        expect(state.snapshot().workspaceState).to.not.have.property('isTrusted');
    });

    it('no file is active after the active one was closed', () => {
        open('/ws/a');
        open('/ws/b');
        focus('/ws/b');
        state.markClosed('/ws/b');
        expect(files()[0]).to.not.have.property('isActive');
    });
});
