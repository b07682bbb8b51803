// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { Range, TextEditor } from '@theia/editor/lib/browser/editor';
import { CompanionLimits } from '../../common/companion-limits';
import { IdeContext, IdeContextFile } from '../../common/ide-context';
import { ContextFilter } from './context-filter';

interface OpenFile {
    path: string;
    /** How many editors show it. */
    editors: number;
    /** The file that symbolic links lead to; `undefined` until we know that it is on disk. */
    realPath?: string;
    /** The window was away since we asked where it leads: a link may lead elsewhere now. It is not shared until we know. */
    unverified?: boolean;
    /** When it last had the focus; until then, when it was opened. */
    timestamp: number;
    /** Counted from 0, as editors do. */
    cursor?: { line: number; character: number };
    selected?: SelectedText;
}

/** An open file that is not shared. */
export interface WithheldFile {
    path: string;
    /** For people; `undefined` if the filter gives no reason. */
    rule: string | undefined;
    isActive: boolean;
}

/** The editors' state, reduced to an {@link IdeContext}. It knows no editor: files are absolute paths. */
export class ContextState {
    protected readonly files = new Map<string, OpenFile>();
    protected activePath: string | undefined;
    protected trusted: boolean | undefined;
    protected lastTimestamp = 0;
    /** The files of the last snapshot. */
    protected told: ReadonlySet<string> = new Set();
    protected unverifiedPaths: string[] = [];

    constructor(protected readonly filter: Pick<ContextFilter, 'sharing' | 'isShared' | 'withheldBy'>) {}

    get paths(): string[] {
        return Array.from(this.files.keys());
    }

    /** An editor for the file was opened. The file is left out until {@link setRealPath} says that it is on disk. */
    markOpened(path: string): void {
        const file = this.files.get(path);
        if (file) {
            file.editors++;
        } else {
            this.files.set(path, { path, editors: 1, timestamp: this.tick() });
        }
    }

    markClosed(path: string): void {
        const file = this.files.get(path);
        if (file && --file.editors <= 0) {
            this.files.delete(path);
            if (this.activePath === path) {
                this.activePath = undefined;
            }
        }
    }

    /** The file has the focus now, and stays the active one until another file has it. */
    markFocused(path: string): void {
        const file = this.files.get(path);
        if (file) {
            file.timestamp = this.tick();
            this.activePath = path;
        }
    }

    /** Something is looked at that is no file. */
    markNoneFocused(): void {
        this.activePath = undefined;
    }

    /** @param realPath `undefined` if the file is not on disk */
    setRealPath(path: string, realPath: string | undefined): void {
        const file = this.files.get(path);
        if (file) {
            file.realPath = realPath;
            file.unverified = false;
        }
    }

    /**
     * The window was away, so links may have changed. The backend checks the files that it has; the page asks about the others before
     * it shares them.
     */
    markLinksUnverified(): void {
        this.files.forEach(file => (file.unverified = !this.told.has(file.path)));
    }

    isUnverified(path: string): boolean {
        return this.files.get(path)?.unverified ?? false;
    }

    /** The files that the last snapshot would contain if it were known where they lead now. */
    get unverified(): readonly string[] {
        return this.unverifiedPaths;
    }

    /** @param cursor counted from 0; `undefined` if the file is not shown as text */
    setCursor(path: string, cursor: { line: number; character: number } | undefined): void {
        const file = this.files.get(path);
        if (file) {
            file.cursor = cursor && { line: cursor.line, character: cursor.character };
        }
    }

    /** @param selected `undefined` if nothing is selected */
    setSelection(path: string, selected: SelectedText | undefined): void {
        const file = this.files.get(path);
        if (file) {
            file.selected = selected && { ...selected, text: cutToUtf8Bytes(selected.text, CompanionLimits.selectedText) };
        }
    }

    setTrusted(trusted: boolean): void {
        this.trusted = trusted;
    }

    snapshot(): IdeContext {
        // We report known trust even if nothing is shared: taking it back makes Gemini CLI (0.61) ask for a restart.
        const trust = this.trusted === undefined ? {} : { isTrusted: this.trusted };
        const files = this.filter.sharing ? this.toldFiles() : [];
        this.told = new Set(files.map(({ path }) => path));
        const [active] = files.filter(({ path }) => path === this.activePath);
        const openFiles: IdeContextFile[] = files.filter(file => file !== active).map(({ path, timestamp }) => ({ path, timestamp }));
        if (active) {
            // The CLIs look for the active file at the greatest timestamp only; a file opened in the background later must not hide it.
            const timestamp = Math.max(active.timestamp, (openFiles[0]?.timestamp ?? 0) + 1);
            openFiles.unshift(this.describeActive(active, timestamp));
        }
        return { workspaceState: { openFiles, ...trust } };
    }

    /** The active file, and the newest others. Asks the filter about no more files than it takes. */
    protected toldFiles(): OpenFile[] {
        const rank = ({ path, timestamp }: OpenFile): number => (path === this.activePath ? Infinity : timestamp);
        const told: OpenFile[] = [];
        this.unverifiedPaths = [];
        for (const file of [...this.files.values()].sort((left, right) => rank(right) - rank(left))) {
            if (told.length === CompanionLimits.openFiles) {
                break;
            }
            if (file.path.length <= CompanionLimits.path && this.filter.isShared(file.path)) {
                if (file.unverified) {
                    this.unverifiedPaths.push(file.path);
                } else if (this.isShared(file)) {
                    told.push(file);
                }
            }
        }
        return told;
    }

    /** The open files that the filter withholds, each with its rule. Sharing may also be off or paused. */
    get withheld(): WithheldFile[] {
        return Array.from(this.files.values())
            .filter(file => file.realPath !== undefined && !this.isShared(file))
            .map(({ path, realPath }) => ({ path, rule: this.ruleOf(path) ?? this.ruleOf(realPath), isActive: path === this.activePath }));
    }

    protected ruleOf(path: string | undefined): string | undefined {
        return path === undefined ? undefined : this.filter.withheldBy?.(URI.fromFilePath(path));
    }

    /** A link is as secret as what it leads to. */
    protected isShared({ path, realPath }: OpenFile): boolean {
        return realPath !== undefined && this.filter.isShared(path) && (realPath === path || this.filter.isShared(realPath));
    }

    protected describeActive(file: OpenFile, timestamp: number): IdeContextFile {
        const described: IdeContextFile = { path: file.path, timestamp, isActive: true };
        if (file.cursor) {
            described.cursor = fromOne(file.cursor);
        }
        if (file.selected) {
            const { text, range } = file.selected;
            described.selectedText = text;
            described.selection = { start: fromOne(range.start), end: fromOne(range.end) };
        }
        return described;
    }

    /** Now, and later than every time given before, so that the order of focus is never lost within a millisecond. */
    protected tick(): number {
        this.lastTimestamp = Math.max(Date.now(), this.lastTimestamp + 1);
        return this.lastTimestamp;
    }
}

/** The longest beginning of `text` that has at most `limit` bytes in UTF-8; no character is cut in two, and none is replaced. */
function cutToUtf8Bytes(text: string, limit: number): string {
    // Half a character at the end would count as a whole one.
    const whole = text.replace(/[\ud800-\udbff]$/, '');
    return whole.slice(0, new TextEncoder().encodeInto(whole, new Uint8Array(limit)).read);
}

function fromOne({ line, character }: { line: number; character: number }): { line: number; character: number } {
    return { line: line + 1, character: character + 1 };
}

export interface SelectedText {
    /** Counted from 0, `start` before `end`. */
    range: Range;
    /** At most as many UTF-16 units as a context may have bytes. */
    text: string;
}

/**
 * The selection of the editor; `undefined` if nothing is selected. In Theia's `Selection` (1.74) `start` is where the user began and
 * `end` is the cursor: if the user selected upwards or to the left, `start` lies behind `end`.
 */
export function selectedText({ selection, document }: Pick<TextEditor, 'selection' | 'document'>): SelectedText | undefined {
    const anchor = document.offsetAt(selection.start);
    const cursor = document.offsetAt(selection.end);
    if (anchor === cursor) {
        return undefined;
    }
    const [start, end] = anchor < cursor ? [selection.start, selection.end] : [selection.end, selection.start];
    // A text of N bytes never has more than N UTF-16 units, so we need not read more of a huge selection.
    const limit = Math.min(anchor, cursor) + CompanionLimits.selectedText;
    const until = limit < Math.max(anchor, cursor) ? document.positionAt(limit) : end;
    return { range: { start, end }, text: document.getText({ start, end: until }) };
}
