// SPDX-License-Identifier: Apache-2.0

/** What the bench does inside the page, where no way from another process counts. Moments are in milliseconds since the epoch. */
export interface BenchPage {
    /** Milliseconds from the beginning of the navigation until Theia says that it is ready. */
    readonly ready: Promise<number>;
    now(): number;
    /** When the last key went down. */
    lastKey(): number;
    /** Opens a file; both moments: of the call, and of its text on the screen. */
    openFile(path: string): Promise<Shown>;
    /** Makes editors for files, without tabs: Theia 1.74 needs minutes for a thousand of these. */
    makeEditors(paths: string[]): Promise<void>;
    /** Brings an open file to the front; the moment of the call. */
    activate(path: string): number;
    closeFile(path: string): void;
    /** The moment of the call. */
    moveCursor(path: string, line: number): number;
    /** Selects a line; the moment of the call. */
    selectLine(path: string, line: number): number;
    /** Gives the file the keyboard, with the cursor in this line. */
    focusLine(path: string, line: number): void;
    /** Begins to look for a changed line with this word in a diff; the keyboard leaves the editors: a diff opens behind what a user types in. */
    expectDiff(word: string): void;
    /** When the diff was on the screen that was expected last: its line is marked, and a frame has passed. */
    painted(): Promise<number>;
    /** When no diff is open any more, and Theia has given the keyboard to what was under it. */
    diffsClosed(): Promise<number>;
    /** Gives the diff in front the keyboard. */
    activateDiff(): Promise<void>;
    /** Replaces the right side of the diff in front, as a paste over all of it does; the moment. */
    replaceText(text: string): number;
    /** From now on, {@link longestFrame} counts. */
    watchFrames(): void;
    /** Milliseconds between two frames, at most, since {@link watchFrames}; it stops counting. */
    longestFrame(): number;
    /** Milliseconds until the list of the status bar is on the screen. */
    openStatus(): Promise<number>;
    closeStatus(): Promise<number>;
    /** Opens Theia's own diff of two sample texts in memory; the companion has no part in it. */
    openTheiaDiff(bytes: number, word: string): Promise<Shown>;
    closeTheiaDiff(): void;
    /** Milliseconds of a round trip from the page to the backend and back. */
    roundTrip(): Promise<number>;
    /** Runs a command; the moment of the call. */
    execute(command: string): number;
    /** Has the window get the focus again; the moment. */
    focus(): number;
}

export interface Shown {
    readonly called: number;
    readonly painted: number;
}

declare global {
    interface Window {
        bench: BenchPage;
    }
}

/** Runs in the page before Theia does, so it must not use anything from outside itself but the sample text and the page's probe. */
export function installBenchPage(): void {
    interface Uri {
        withScheme(scheme: string): Uri;
        withPath(path: string): Uri;
        withQuery(query: string): Uri;
        toString(): string;
    }
    interface Control {
        setPosition(position: { lineNumber: number; column: number }): void;
        setSelection(selection: object): void;
        getModel(): { getFullModelRange(): object };
        executeEdits(source: string, edits: object[]): void;
        focus(): void;
    }
    interface Editor {
        id: string;
        node: HTMLElement;
        editor: { getControl(): Control };
        closeWithoutSaving(): Promise<void>;
    }
    interface Opener {
        open(uri: Uri, options?: object): Promise<Editor>;
        getOrCreateByUri(uri: Uri): Promise<Editor>;
    }
    interface Resources {
        add(uri: Uri, contents: string): { dispose(): void };
    }
    const limit = 60_000;
    const now = (): number => performance.timeOrigin + performance.now();
    const one = <T>(method: string): T => window.companionProbe.servicesWith<T>(method)[0];
    const uriOf = (path: string): Uri => {
        const [root] = one<{ tryGetRoots(): Array<{ resource: Uri }> }>('tryGetRoots').tryGetRoots();
        return root.resource.withPath(path);
    };
    const open = async (uri: Uri, mode: string): Promise<Editor> => {
        const openers = window.companionProbe.service<{ getOpener(uri: Uri): Promise<Opener> }>('OpenerService');
        return (await openers.getOpener(uri)).open(uri, { mode, preview: false });
    };
    /** Looks in each frame; two more have passed when the browser has painted what was seen. */
    const painted = (what: string, isThere: () => boolean): Promise<number> =>
        new Promise((resolve, reject) => {
            const since = performance.now();
            const look = (): void => {
                if (isThere()) {
                    requestAnimationFrame(() => requestAnimationFrame(() => resolve(now())));
                } else if (performance.now() - since > limit) {
                    reject(new Error(`Waited ${limit / 1000} s in vain for ${what} to be painted`));
                } else {
                    requestAnimationFrame(look);
                }
            };
            look();
        });
    const showsDiff = (word: string): boolean =>
        [...document.querySelectorAll('.monaco-diff-editor .editor.modified')].some(
            side =>
                side.querySelector('.line-insert, .char-insert') &&
                [...side.querySelectorAll('.view-lines .view-line')].some(line => line.textContent?.includes(word))
        );
    const listIsOpen = (): boolean =>
        [...document.querySelectorAll('.quick-input-list .monaco-list-row')].some(row => row.checkVisibility() && row.textContent);
    const files = new Map<string, Editor>();
    const fileAt = (path: string): Editor => {
        const file = files.get(path);
        if (!file) {
            throw new Error(`${path} is not open`);
        }
        return file;
    };
    let frames: { longest: number; stopped: boolean };
    let key = 0;
    let expected: Promise<number>;
    let theiaDiff: { editor: Editor; resources: Array<{ dispose(): void }> } | undefined;
    let diffs = 0;
    window.addEventListener('keydown', () => (key = now()), { capture: true });
    window.bench = {
        ready: new Promise(resolve => {
            const look = (): void => {
                if ('theia' in window && (window.theia as { container?: unknown }).container) {
                    const state = one<{ reachedState(state: string): Promise<void> }>('reachedAnyState');
                    void state.reachedState('ready').then(() => resolve(performance.now()));
                } else {
                    setTimeout(look, 5);
                }
            };
            look();
        }),
        now,
        lastKey: () => key,
        openFile: async path => {
            const uri = uriOf(path);
            const called = now();
            const editor = await open(uri, 'activate');
            files.set(path, editor);
            const end = await painted(path, () => [...editor.node.querySelectorAll('.view-line')].some(line => line.textContent));
            return { called, painted: end };
        },
        makeEditors: async paths => {
            const openers = window.companionProbe.service<{ getOpener(uri: Uri): Promise<Opener> }>('OpenerService');
            for (const uri of paths.map(uriOf)) {
                await (await openers.getOpener(uri)).getOrCreateByUri(uri);
            }
        },
        activate: path => {
            const { id } = fileAt(path);
            const called = now();
            void one<{ activateWidget(id: string): Promise<unknown> }>('getAreaFor').activateWidget(id);
            return called;
        },
        closeFile: path => {
            void fileAt(path).closeWithoutSaving();
            files.delete(path);
        },
        moveCursor: (path, lineNumber) => {
            const control = fileAt(path).editor.getControl();
            const called = now();
            control.setPosition({ lineNumber, column: 1 });
            return called;
        },
        selectLine: (path, line) => {
            const control = fileAt(path).editor.getControl();
            const called = now();
            control.setSelection({ startLineNumber: line, startColumn: 1, endLineNumber: line + 1, endColumn: 1 });
            return called;
        },
        focusLine: (path, lineNumber) => {
            const control = fileAt(path).editor.getControl();
            control.setPosition({ lineNumber, column: 1 });
            control.focus();
        },
        expectDiff: word => {
            (document.activeElement as HTMLElement | null)?.blur();
            expected = painted(`the diff with ${word}`, () => showsDiff(word));
            // Whoever waits for it sees the failure.
            expected.catch(() => undefined);
        },
        painted: () => expected,
        diffsClosed: () => painted('no diff', () => document.querySelectorAll('.monaco-diff-editor').length === 0),
        activateDiff: async () => {
            const front = [...document.querySelectorAll('.monaco-diff-editor')].find(diff => diff.checkVisibility());
            const id = front?.closest('.theia-editor')?.id ?? '';
            await one<{ activateWidget(id: string): Promise<unknown> }>('getAreaFor').activateWidget(id);
            // A proposal that has just come to the front takes no answer. Theia's own diff takes one at once.
            const isProposal = id.includes('companion-proposed');
            const end = performance.now() + limit;
            while (isProposal && !(await window.companionProbe.takesKeys(id)) && performance.now() < end) {
                await new Promise(resolve => setTimeout(resolve, 20));
            }
        },
        watchFrames: () => {
            const counting = (frames = { longest: 0, stopped: false });
            let last = performance.now();
            const look = (): void => {
                const time = performance.now();
                counting.longest = Math.max(counting.longest, time - last);
                last = time;
                if (!counting.stopped) {
                    requestAnimationFrame(look);
                }
            };
            requestAnimationFrame(look);
        },
        longestFrame: () => {
            frames.stopped = true;
            return frames.longest;
        },
        replaceText: text => {
            const { currentWidget } = one<{ currentWidget: Editor }>('getAreaFor');
            const control = currentWidget.editor.getControl();
            const called = now();
            control.executeEdits('bench', [{ range: control.getModel().getFullModelRange(), text }]);
            return called;
        },
        openStatus: async () => {
            const called = now();
            void window.companionProbe.execute('companion.showStatus');
            return (await painted('the list', () => listIsOpen())) - called;
        },
        closeStatus: () => {
            document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 27, bubbles: true }));
            return painted('no list', () => !listIsOpen());
        },
        openTheiaDiff: async (bytes, word) => {
            const texts = [window.sampleText(bytes), window.sampleText(bytes, word)];
            const resources = one<Resources>('acquire');
            const sides = ['left', 'right'].map(side => uriOf(`/${side}-${++diffs}.txt`).withScheme('bench'));
            const called = now();
            const added = sides.map((uri, index) => resources.add(uri, texts[index]));
            const uri = uriOf(`/diff ${diffs}`)
                .withScheme('diff')
                .withQuery(JSON.stringify(sides.map(String)));
            const shown = painted("Theia's own diff", () => showsDiff(word));
            theiaDiff = { editor: await open(uri, 'reveal'), resources: added };
            return { called, painted: await shown };
        },
        closeTheiaDiff: () => {
            void theiaDiff?.editor.closeWithoutSaving();
            theiaDiff?.resources.forEach(resource => resource.dispose());
            theiaDiff = undefined;
        },
        roundTrip: async () => {
            const server = window.companionProbe.service<{ getValue(key: string): Promise<unknown> }>('EnvVariablesServer');
            const called = now();
            await server.getValue('HOME');
            return now() - called;
        },
        execute: command => {
            const called = now();
            void window.companionProbe.execute(command);
            return called;
        },
        focus: () => {
            const called = now();
            window.dispatchEvent(new Event('focus'));
            return called;
        }
    };
}
