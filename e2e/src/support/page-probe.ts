// SPDX-License-Identifier: Apache-2.0

/** What a test reads from inside the page where the DOM shows only the part in view. */
export interface PageProbe {
    /** Theia's service whose symbol has this description. */
    service<T>(description: string): T;
    /** Theia's services of classes with this method: class names do not survive minification. */
    servicesWith<T>(method: string): T[];
    /** What screen readers were told: Monaco replaces each word by the next one. */
    announced(): string[];
    terminals(): Promise<TerminalText[]>;
    /** One of them. Looks are many, and a CLI fills its terminal. @param onlyScreen leaves out what has scrolled off */
    terminal(widgetId: string, onlyScreen: boolean): Promise<TerminalText | undefined>;
    /** Every open diff with a side of this scheme; without one, every open review. */
    diffs(scheme?: string): Promise<DiffText[]>;
    /** The open reviews without their texts, which may be large. */
    reviews(): Promise<Array<{ widgetId: string; path: string }>>;
    /** Every edit of the Qwen daemon that is shown. */
    daemonDiffs(): Promise<DaemonDiffText[]>;
    /** What is marked in an open review; `undefined` while it is hidden or not compared yet. */
    changes(widgetId: string): Promise<DiffChanges | undefined>;
    /** Whether a key that is pressed now answers an open review. */
    takesKeys(widgetId: string): Promise<boolean>;
    /** Notes from now on whether an open review takes the click or key that comes. */
    watchAnswer(widgetId: string): Promise<void>;
    /** Of the last one; `undefined` if none has come. */
    wasAnswerTaken(): boolean | undefined;
    /** Position of the cursor on the right side; both numbers start at 1. */
    cursor(widgetId: string): Promise<{ lineNumber: number; column: number } | undefined>;
    /** URIs of all text models, including those that no editor shows. */
    models(): string[];
    /** Notes the diff editors that are open now, without keeping them. @returns how many of all that were noted are in memory */
    noteDiffs(): Promise<number>;
    /** Runs a command of Theia, such as those of a tab's context menu. */
    execute(command: string): Promise<void>;
    /** Puts the tab into another area of the window, or beside what is in the main one, as dragging does. */
    moveTo(widgetId: string, area: 'bottom' | 'main' | 'right' | 'beside'): Promise<void>;
    /** Opens a file and gives it the keyboard; paths are absolute. */
    openFile(path: string, preview: boolean): Promise<void>;
    /** Renames or deletes a file as the explorer does. */
    moveFile(source: string, target: string): Promise<void>;
    deleteFile(path: string): Promise<void>;
    /** Writes a preference into the user's settings. */
    setPreference(name: string, value: unknown): Promise<void>;
    /** Absolute paths or URIs of the text editors, diffs left out. */
    editors(): Promise<string[]>;
    /** The text in the editor that is no diff and shows this URI. */
    textOf(uri: string): Promise<string>;
    /** Moves the cursor of an open file to and fro without a pause in between, and leaves it at line 3, column 2. */
    moveCursorOften(path: string, times: number): Promise<void>;
    /** Puts a problem into the Problems view. @param line counts from 0 */
    setProblem(path: string, line: number, message: string): Promise<void>;
    /** Changes `reloadOnReconnect` of the application's configuration. */
    setReloadOnReconnect(reload: boolean): void;
}

export interface TerminalText {
    readonly widgetId: string;
    /** With what has scrolled off the screen. */
    readonly lines: string[];
    /** Rows of the screen, which shows the last lines. */
    readonly rows: number;
}

/** The changed lines of both sides. */
export interface DiffChanges {
    readonly removed: string[];
    readonly added: string[];
}

export interface DiffText {
    readonly widgetId: string;
    /** Path of the reviewed file. */
    readonly path: string;
    readonly label: string;
    readonly left: string;
    readonly right: string;
    readonly leftEditable: boolean;
    readonly rightEditable: boolean;
}

export interface DaemonDiffText {
    readonly path: string;
    readonly before: string;
    readonly after: string;
    readonly editable: boolean;
}

declare global {
    interface Window {
        companionProbe: PageProbe;
    }
}

/**
 * Runs in the page before Theia does, so it must not use anything from outside itself. Theia's services are found by the
 * descriptions of their symbols: `window.theia.container` is Theia's own hook for that, class names do not survive minification.
 */
export function installPageProbe(): void {
    interface Uri {
        scheme: string;
        path: { toString(): string };
        query: string;
        toString(): string;
        withPath(path: string): Uri;
    }
    interface FileService {
        move(source: Uri, target: Uri): Promise<unknown>;
        delete(uri: Uri): Promise<unknown>;
    }
    interface Workspaces {
        tryGetRoots(): Array<{ resource: Uri }>;
        open(uri: Uri, options: { preserveWindow: boolean }): void;
    }
    interface Opener {
        open(uri: Uri, options: { mode: 'activate'; preview: boolean }): Promise<unknown>;
    }
    interface ProblemManager {
        setMarkers(uri: Uri, owner: string, data: object[]): void;
    }
    interface CodeEditor {
        getValue(): string;
        getModel(): { getLineContent(line: number): string } | null;
        getPosition(): { lineNumber: number; column: number } | null;
        getRawOptions(): { readOnly?: boolean };
    }
    interface CursorEditor {
        getValue(): string;
        setPosition(position: { lineNumber: number; column: number }): void;
    }
    interface TextModel {
        textEditorModel: { getValue(): string };
    }
    interface EditorWidget {
        id: string;
        title: { label: string };
        editor: {
            uri: Uri;
            getControl(): CursorEditor;
            originalModel?: TextModel;
            modifiedModel?: TextModel;
            diffEditor?: {
                getOriginalEditor(): CodeEditor;
                getModifiedEditor(): CodeEditor;
                getLineChanges(): LineChange[] | null;
            };
        };
    }
    interface LineChange {
        originalStartLineNumber: number;
        originalEndLineNumber: number;
        modifiedStartLineNumber: number;
        modifiedEndLineNumber: number;
    }
    interface TerminalWidget {
        id: string;
        dimensions: { rows: number };
        buffer: { length: number; getLines(start: number, length: number, trimRight: boolean): string[] };
    }
    interface Container {
        get<T>(id: unknown): T;
        _bindingDictionary: { _map: Map<unknown, unknown> };
    }
    const service = <T>(description: string): T => {
        const { container } = (window as unknown as { theia: { container: Container } }).theia;
        const id = [...container._bindingDictionary._map.keys()].find(key => typeof key === 'symbol' && key.description === description);
        if (!id) {
            throw new Error(`The page has no service ${description}`);
        }
        return container.get<T>(id);
    };
    const servicesWith = <T>(method: string): T[] => {
        const { container } = (window as unknown as { theia: { container: Container } }).theia;
        return [...container._bindingDictionary._map.keys()]
            .filter(key => typeof key === 'function' && method in ((key as { prototype?: object }).prototype ?? {}))
            .map(key => container.get<T>(key));
    };
    /** Monaco counts lines from 1; the end is 0 where no line is meant. */
    const linesOf = (editor: CodeEditor, start: number, end: number): string[] => {
        const model = editor.getModel();
        return model && end > 0 ? Array.from({ length: end - start + 1 }, (_, index) => model.getLineContent(start + index)) : [];
    };
    /** A URI of Theia's, made of the workspace's. */
    const uriOf = (path: string): Uri => {
        const [workspaces] = servicesWith<Workspaces>('tryGetRoots');
        return workspaces.tryGetRoots()[0].resource.withPath(path);
    };
    const editorWidgets = async (): Promise<EditorWidget[]> => {
        const openers = await service<{ getOpeners(): Promise<Array<{ all?: EditorWidget[] }>> }>('OpenerService').getOpeners();
        const widgets = openers.flatMap(opener => opener.all ?? []).filter(widget => widget.editor?.uri !== undefined);
        return [...new Set(widgets)];
    };
    const announced: string[] = [];
    const announcements = new MutationObserver(records =>
        records.forEach(({ addedNodes }) => addedNodes.forEach(({ textContent }) => announced.push(textContent ?? '')))
    );
    const arrivals = new MutationObserver(() => {
        const container = document.querySelector('.monaco-aria-container');
        if (container) {
            arrivals.disconnect();
            announcements.observe(container, { childList: true, subtree: true });
        }
    });
    arrivals.observe(document, { childList: true, subtree: true });
    const noted: Array<WeakRef<object>> = [];
    let watched: AbortController | undefined;
    let answerTaken: boolean | undefined;
    const takesKeys = (reviewId: string): boolean => servicesWith<{ takesKeys(id: string): boolean }>('takesKeys')[0].takesKeys(reviewId);
    const reviewIdOf = async (widgetId: string): Promise<string> => {
        const widget = (await editorWidgets()).find(({ id }) => id === widgetId);
        const side = (JSON.parse(widget?.editor.uri.query ?? '[]') as string[]).find(uri => uri.startsWith('companion-proposed:'));
        return side?.split('/')[2] ?? '';
    };
    const sidePath = (uri: Uri, scheme: string): string | undefined => {
        const sides = uri.scheme === 'diff' ? (JSON.parse(uri.query) as string[]) : [];
        const side = sides.find(candidate => candidate.startsWith(`${scheme}:`));
        const withoutAuthority = side?.slice(scheme.length + 1).replace(/^\/\/[^/]*/, '');
        return withoutAuthority === undefined ? undefined : decodeURIComponent(withoutAuthority.replace(/\?.*$/, ''));
    };
    const terminalWidgets = (): TerminalWidget[] => service<{ all: TerminalWidget[] }>('TerminalService').all;
    const readTerminal = ({ id, buffer, dimensions: { rows } }: TerminalWidget, onlyScreen = false): TerminalText => {
        const first = onlyScreen ? Math.max(buffer.length - rows, 0) : 0;
        return { widgetId: id, lines: buffer.getLines(first, buffer.length - first, true), rows };
    };
    window.companionProbe = {
        service,
        servicesWith,
        announced: () => announced,
        terminals: async () => terminalWidgets().map(widget => readTerminal(widget)),
        terminal: async (widgetId, onlyScreen) => {
            const found = terminalWidgets().find(({ id }) => id === widgetId);
            return found && readTerminal(found, onlyScreen);
        },
        reviews: async () =>
            (await editorWidgets()).flatMap(({ id, editor }) => {
                const path = sidePath(editor.uri, 'companion-proposed');
                return path === undefined || !editor.diffEditor ? [] : { widgetId: id, path };
            }),
        diffs: async (scheme = 'companion-proposed') =>
            (await editorWidgets()).flatMap(({ id, title, editor }) => {
                const path = sidePath(editor.uri, scheme);
                const left = editor.diffEditor?.getOriginalEditor();
                const right = editor.diffEditor?.getModifiedEditor();
                return path === undefined || !left || !right
                    ? []
                    : {
                          widgetId: id,
                          path,
                          label: title.label,
                          // Not those of the editors: one that is hidden has no model (Theia 1.74).
                          left: editor.originalModel?.textEditorModel.getValue() ?? '',
                          right: editor.modifiedModel?.textEditorModel.getValue() ?? '',
                          leftEditable: !left.getRawOptions().readOnly,
                          rightEditable: !right.getRawOptions().readOnly
                      };
            }),
        daemonDiffs: async () =>
            (await editorWidgets()).flatMap(({ editor }) => {
                const path = sidePath(editor.uri, 'qwen-daemon-after');
                const left = editor.diffEditor?.getOriginalEditor();
                const right = editor.diffEditor?.getModifiedEditor();
                return path === undefined || !left || !right
                    ? []
                    : {
                          path,
                          before: left.getValue(),
                          after: right.getValue(),
                          editable: !left.getRawOptions().readOnly || !right.getRawOptions().readOnly
                      };
            }),
        changes: async widgetId => {
            const diff = (await editorWidgets()).find(({ id }) => id === widgetId)?.editor.diffEditor;
            const changes = diff?.getLineChanges();
            return (
                (diff &&
                    changes && {
                        removed: changes.flatMap(({ originalStartLineNumber: start, originalEndLineNumber: end }) =>
                            linesOf(diff.getOriginalEditor(), start, end)
                        ),
                        added: changes.flatMap(({ modifiedStartLineNumber: start, modifiedEndLineNumber: end }) =>
                            linesOf(diff.getModifiedEditor(), start, end)
                        )
                    }) ??
                undefined
            );
        },
        takesKeys: async widgetId => takesKeys(await reviewIdOf(widgetId)),
        watchAnswer: async widgetId => {
            const reviewId = await reviewIdOf(widgetId);
            answerTaken = undefined;
            watched?.abort();
            watched = new AbortController();
            for (const kind of ['click', 'keydown']) {
                // Before Theia's own, which are on the document.
                window.addEventListener(kind, () => (answerTaken = takesKeys(reviewId)), { capture: true, signal: watched.signal });
            }
        },
        wasAnswerTaken: () => answerTaken,
        cursor: async widgetId => {
            const widget = (await editorWidgets()).find(({ id }) => id === widgetId);
            return widget?.editor.diffEditor?.getModifiedEditor().getPosition() ?? undefined;
        },
        models: () =>
            servicesWith<{ _models: { keys(): string[] } }>('registerTextModelContentProvider').flatMap(({ _models }) => [
                ..._models.keys()
            ]),
        noteDiffs: async () => {
            const open = (await editorWidgets()).flatMap(({ editor }) => editor.diffEditor ?? []);
            const known = noted.map(reference => reference.deref());
            noted.push(...open.filter(editor => !known.includes(editor)).map(editor => new WeakRef(editor)));
            return noted.filter(reference => reference.deref()).length;
        },
        execute: async command => {
            await service<{ executeCommand(id: string): Promise<unknown> }>('CommandService').executeCommand(command);
        },
        moveTo: async (widgetId, area) => {
            interface Shell {
                getWidgetById(id: string): unknown;
                addWidget(widget: unknown, options: object): Promise<void>;
                activateWidget(id: string): Promise<unknown>;
            }
            const [shell] = servicesWith<Shell>('getAreaFor');
            await shell.addWidget(shell.getWidgetById(widgetId), area === 'beside' ? { area: 'main', mode: 'split-right' } : { area });
            await shell.activateWidget(widgetId);
        },
        openFile: async (path, preview) => {
            const uri = uriOf(path);
            const opener = await service<{ getOpener(uri: Uri): Promise<Opener> }>('OpenerService').getOpener(uri);
            await opener.open(uri, { mode: 'activate', preview });
        },
        moveFile: async (source, target) => {
            const [files] = servicesWith<FileService>('resolveContent').concat(servicesWith<FileService>('readStream'));
            await files.move(uriOf(source), uriOf(target));
        },
        deleteFile: async path => {
            const [files] = servicesWith<FileService>('resolveContent').concat(servicesWith<FileService>('readStream'));
            await files.delete(uriOf(path));
        },
        setPreference: async (name, value) => {
            // Theia (1.74) may read the settings while it still writes them: then it takes the trust that the sample sets for changed, and
            // asks in a dialog whether to restart.
            for (const trust of servicesWith<{ confirmRestart(): Promise<boolean> }>('confirmRestart')) {
                trust.confirmRestart = async () => false;
            }
            // 1 is the scope of the user.
            await service<{ set(name: string, value: unknown, scope: number): Promise<void> }>('PreferenceService').set(name, value, 1);
        },
        editors: async () =>
            (await editorWidgets()).filter(({ editor }) => editor.uri.scheme !== 'diff').map(({ editor }) => editor.uri.toString()),
        textOf: async uri => {
            const found = (await editorWidgets()).find(({ editor }) => editor.uri.toString() === uri);
            return found?.editor.getControl().getValue() ?? '';
        },
        moveCursorOften: async (path, times) => {
            const widget = (await editorWidgets()).find(
                ({ editor }) => editor.uri.scheme === 'file' && editor.uri.path.toString() === path
            );
            const control = widget?.editor.getControl();
            for (let time = 0; time < times; time++) {
                control?.setPosition({ lineNumber: 1 + (time % 3), column: 1 + (time % 2) });
            }
            control?.setPosition({ lineNumber: 3, column: 2 });
        },
        setProblem: async (path, line, message) => {
            const range = { start: { line, character: 0 }, end: { line, character: 1 } };
            const [problems] = servicesWith<ProblemManager>('getProblemStat');
            problems.setMarkers(uriOf(path), 'e2e', [{ range, message, severity: 1, source: 'e2e' }]);
        },
        setReloadOnReconnect: reload => {
            const key = Object.getOwnPropertySymbols(window).find(({ description }) => description === 'FrontendApplicationConfigProvider');
            const configuration = (window as unknown as Record<symbol, { reloadOnReconnect: boolean }>)[key as symbol];
            configuration.reloadOnReconnect = reload;
        }
    };
}
