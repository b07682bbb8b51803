// SPDX-License-Identifier: Apache-2.0

import type { z } from 'zod/v4';
import type { ChangesState } from './changes/changes-protocol';
import type { CompanionConfiguration } from './companion-preferences';
import { CompanionProblem } from './companion-problem';
import type { PagePayloads } from './page-payloads';
import { Revision } from './revision';

/**
 * What backend and page say to each other. A page knows windows and reviews, never servers or tokens.
 * Every transfer of state is a numbered snapshot that may be sent twice: a connection may die at any time, and
 * Theia loses messages that were sent while the socket was down.
 */
export const companionPath = '/services/companion';

/** The environment variable by which a page tells the backend's shell factory which window a new shell belongs to. */
export const WINDOW_ID_VARIABLE = 'THEIA_COMPANION_WINDOW';

export const CompanionBackend = Symbol('CompanionBackend');
/** What a page calls about its window. What it calls about a feature is in the protocol of that, with a path of its own. */
export interface CompanionBackend {
    /**
     * Introduces this page's window, or says again what it is: sent at start, after every reconnect, and when the
     * roots, or a preference that it tells, change. When it answers, the window's server runs and its discovery files are published.
     */
    hello(window: WindowSnapshot): Promise<WindowState>;
    /**
     * The page got the focus. Fails if the backend does not know the window: then the page says hello.
     * @param sequence of the newest state that the page has
     */
    focus(sequence: number): Promise<FocusAnswer>;
    /**
     * Resolves symbolic links, in the order given. `undefined` (over the wire perhaps `null`) if there is no such file, or it cannot be
     * found out. A harmless link may point to an excluded file.
     * @param paths absolute, at most `CompanionLimits.paths`
     */
    realPaths(paths: string[]): Promise<Array<string | undefined>>;
    /** Looks at a file, for a second at most. @param file that the user has before the eyes; if it is left out, any counts as the same */
    lookAtFile(uri: string, file?: SeenFile): Promise<FileFacts>;
    /** The lines of the window's log that are newer than this number, as far as they are kept, see {@link WindowState.logged}. */
    readLog(after: number): Promise<LogLines>;
}

export const CompanionPage = Symbol('CompanionPage');
/** The page as the backend sees it. The backend puts a time limit on every call. */
export interface CompanionPage {
    /** Answers `loadId` of the page, so that a duplicated tab can be distinguished from a connection that lingers. */
    ping(): Promise<string>;
    /**
     * Opens the review's diff without taking the focus.
     * @param text the proposal, if it is short: that saves the page a call
     */
    showReview(review: ReviewInfo, text?: string): Promise<ShowReviewResult>;
    /** Closes the review's diff without an answer. @returns what the backend may not have yet; over the wire `null` if it has all */
    closeReview(reviewId: string): Promise<ReviewSave | undefined>;
    /** Whether it has an editor of the review, or makes one. */
    showsReview(reviewId: string): Promise<boolean>;
    /** The problems of files that CLIs may learn of. @param uri of the one file; of all files if it is left out (over the wire `null`) */
    readDiagnostics(uri?: string | null): Promise<FileDiagnostics[]>;
    /** @returns those of the files for which an editor has edits that are not saved */
    readUnsaved(uris: string[]): Promise<string[]>;
    /** The window's newest state; an older sequence number than one already seen is ignored. */
    notifyState(state: WindowState): void;
    /** The backend has forgotten the context: an open folder leads elsewhere. */
    requestContext(): void;
}

/** A page's description of its window. */
export type WindowSnapshot = z.infer<typeof PagePayloads.window>;

/** News for a page that got the focus. */
export interface FocusAnswer {
    /** Absent if the page has the newest one. */
    state?: WindowState;
    /** Shared files that are reached over a link, or are gone. */
    links: OpenedLink[];
}

/** A path as the page sent it, and the file that it leads to, if there is one and it can be found out. */
export type OpenedLink = { path: string; realPath?: string };

export interface WindowState {
    /** The window's id. It differs from the page's own if the page is a duplicate: then the page takes this one. */
    windowId: string;
    sequence: number;
    /** Random. A page gives other installations nothing that it has stored. */
    installation: string;
    status: CompanionStatus;
    /** Every waiting review of this window and of others with the same roots. */
    reviews: ReviewInfo[];
    /** Kept edits of this workspace. */
    keptEdits: KeptEdit[];
    /** What CLIs made of the last proposals that were accepted, the newest verdict first. */
    accepted: AcceptedProposal[];
    /** The programs in the terminals that `watchTerminals` named. */
    agents: AgentStatus[];
    /** Whether `readChanges` has news. */
    changes: ChangesState;
    /** Absent if the platform has none. */
    policy?: PolicyState;
    /** The number of the newest line of the window's log; absent if it is empty. */
    logged?: number;
}

/** What a policy can forbid. The chat is that of `theia-qwen-daemon`. */
export type PolicySwitch = 'chat' | 'uploads' | 'undoWholeFiles';

/** What the owner of the platform has decided. */
export interface PolicyState {
    /** The values count whatever the user sets; patterns of `companion.context.exclude` add to the user's. */
    preferences: Partial<CompanionConfiguration>;
    /** The names of the CLIs that are not served. */
    clis: string[];
    off: PolicySwitch[];
}

/** Lines of a window's log, the oldest first. */
export interface LogLines {
    /** The number of the newest line. */
    newest: number;
    lines: string[];
}

/** A text that a user typed, that its review ended without, and that the file does not have. It never changes. */
export interface KeptEdit {
    id: string;
    /** The id of its review. */
    reviewId: string;
    /** Absolute path of the file, for people. */
    path: string;
    uri: string;
    /** The CLI that asked. */
    cliName: string;
    reason: KeptReason;
    /** In milliseconds since the epoch. */
    keptAt: number;
    /** After so many days it is removed, if nobody applies or discards it. */
    daysLeft: number;
    /** The list has it, and no message says so. */
    quiet?: true;
    /** Of a folder that is no longer there. */
    folderGone?: true;
}

/** A proposal that was accepted, and whether its CLI has written it. */
export interface AcceptedProposal {
    /** Of its review. */
    id: string;
    /** Absolute path of the file, for people. */
    path: string;
    uri: string;
    cliName: string;
    verdict: WriteVerdict;
    /** Another verdict has another number: a formatter may come after the CLI, and a CLI late. */
    judged: number;
    /** In milliseconds since the epoch. */
    acceptedAt: number;
    /** The CLI has made the file. */
    isNew?: true;
    /** It was accepted in this load of the page. */
    isHere?: true;
    /** The user had edited it: if it is not written, the kept edit says so. */
    isEdited?: true;
    /** It was a link and is a file now, or was executable and is not any more. */
    lost?: 'link' | 'executable';
    /** Why the file cannot be written, in the system's words. */
    obstacle?: string;
    /** Why it cannot be undone: the file is never shared, its text had no room, or was not known. Absent if it can. */
    noUndo?: 'private' | 'room' | 'unknown';
}

/**
 * What a CLI made of a text that was accepted.
 * - `written`: just that
 * - `formatted`: that, but for white space, quotes, commas and semicolons
 * - `different`: another text
 * - `unknown`: nobody can tell, for the file cannot be read, or has had another write
 * - `notWritten`: nothing in time. It may still come
 */
export type WriteVerdict = 'written' | 'formatted' | 'different' | 'unknown' | 'notWritten';

/** The texts of an accepted proposal, by `toWire`. */
export interface AcceptedTexts {
    /** The file before; absent if there was none. */
    before?: string;
    /** As it was written. */
    after: string;
}

/**
 * - `rejected`: the user rejected the proposal, or closed its tab
 * - `terminal`: the user answered in the terminal, and the CLI wrote its own text
 * - `ended`: the CLI or its connection ended
 * - `stopped`: the IDE's backend or its server ended
 * - `replaced`: the CLI made another proposal for the file
 * - `notWritten`: the user accepted it, and the file does not have it
 * - `elsewhere`: the review goes on, or was accepted, with what was typed on another page
 * - `late`: the text came after the answer
 */
export type KeptReason = 'rejected' | 'terminal' | 'ended' | 'stopped' | 'replaced' | 'notWritten' | 'elsewhere' | 'late';

export interface CompanionStatus {
    state: 'ready' | 'disabled' | 'failed';
    problems: CompanionProblem[];
    disconnectedClis?: UnconnectedCli[];
    /** CLIs that can be started in a terminal. */
    clis: StartableCli[];
    /** One entry for each process of a CLI that is connected. */
    connections: CliConnection[];
}

/** A CLI that runs in a terminal without a connection: its IDE mode is off, its server is gone, or its folder is not open here. */
export interface UnconnectedCli {
    cliId: string;
    displayName: string;
    /** Connects it, typed at its prompt; absent if nothing does. */
    connectCommand?: string;
    /** Its working folder, where that is in none of the window's. */
    folder?: string;
    /** That is a worktree of the repository that the window has open. */
    isOtherCheckout?: true;
}

export interface StartableCli {
    id: string;
    displayName: string;
    /** The command that starts it in a terminal. */
    command: string;
    /** The command that installs it, for a shell; absent if none is known. */
    install?: string;
    /** Begins a new line in its prompt; absent if that is not known. */
    newLine?: string;
}

export interface CommandSearch {
    /** Whether it is on the backend's PATH, to which a terminal's shell may add. Also true if that is unknown. */
    found: boolean;
    /** The CLI's IDE mode is off, so it would not connect. It can be switched on in this settings file of the user. */
    ideModeOff?: string;
}

export interface CliConnection {
    cliId: string;
    /** Distinguishes two processes of the same CLI. */
    displayName: string;
    /** The CLI's working folder, if the system says. */
    folder?: string;
    /** When it connected, in milliseconds since the epoch. */
    since: number;
    /** It is in this mode, such as `yolo`, in which it writes files without a review. Absent if it asks. */
    unaskedMode?: string;
}

/** `blocked`: it cannot go on until its user answers. `done` and `error` are news until somebody has looked. @since 0.1 */
export type AgentState = 'idle' | 'working' | 'done' | 'blocked' | 'error';

/** What a blocked program asks for. @since 0.1 */
export type AgentKind = 'permission' | 'question' | 'auth';

/** What the program in a terminal does. @since 0.1 */
export interface AgentStatus {
    /** The process id of the terminal's shell. */
    shell: number;
    /** The id of the CLI that has the keyboard; absent for a program that is none of those known. */
    cliId?: string;
    /** An editor that this CLI has started reads the keys. */
    isInEditor?: true;
    /** It runs, and does not say what it does: its state is `idle`. */
    isSilent?: true;
    /** For people; absent if the program does not say what it is. */
    name?: string;
    state: AgentState;
    kind?: AgentKind;
    /** One line of the program's own words. */
    message?: string;
    /** Of its work, in per cent. */
    progress?: number;
    /** The proposal that it waits for. */
    reviewId?: string;
    /** When it came into this state, in milliseconds since the epoch. */
    since: number;
}

/** How a CLI wants the name of a file that its user mentions. @since 0.1 */
export interface MentionStyle {
    /** Special characters are `escaped` by a backslash, or the name is `quoted`. `text`: it reads no file. */
    readonly form: 'escaped' | 'quoted' | 'text';
    /** It does not read a file with one of these characters in its path, whatever is done. */
    readonly unread: string;
}

/** A shell that a CLI runs in. */
export interface CliTerminal {
    /** The shell's process id. */
    shell: number;
    /** `id` of its `SupportedCli`. */
    cliId: string;
    displayName: string;
    /** The CLI's working folder, if the system says. */
    folder?: string;
    /** It takes a `mention`. */
    takesMentions?: true;
    /** It, or a shell that has replaced it meanwhile, treats line breaks in a paste as text. */
    takesPastes?: true;
    mentionStyle: MentionStyle;
    /** What its screen has while its prompt is empty; absent if that is not known. */
    emptyPrompt?: string;
}

/** A proposal that waits, as pages know it. @since 0.1 */
export interface ReviewInfo {
    id: string;
    /** Absolute path of the file, for people. */
    path: string;
    /** The file's URI, for reading what is on disk. */
    uri: string;
    /** Where the file is really, for people, if a link leads there. */
    leadsTo?: string;
    /** The CLI that asks. */
    cliName: string;
    /** The file is outside the workspace's roots. */
    outsideWorkspace: boolean;
    /** The CLI has not responded for some seconds: it was stopped or killed, or its connection is lost. */
    cliGone: boolean;
    /** Traits of the CLI that matter for a proposal. */
    traits: ReviewTraits;
    /** When the CLI asked, in milliseconds since the epoch. */
    openedAt: number;
    /** When the file had been written last at that time, in milliseconds since the epoch; absent for a new file. */
    modifiedAt?: number;
    /** The right side, as the backend has it. */
    revision: Revision;
    /** This window opens it by itself. Others with the same roots list it. */
    opens?: true;
}

/** Where CLIs differ in what becomes of a proposal. @since 0.1 */
export interface ReviewTraits {
    /** After each answer it writes its own text, whatever the user made of it: the right side is read-only. */
    readonly writesOwnText?: boolean;
    /** An answer in its terminal drops what the user typed into the diff. */
    readonly dropsEditsInTerminal?: boolean;
    /**
     * What it does after an accept if the file has changed since it read it: it writes nothing, or it writes the change if that still fits.
     * Otherwise it replaces the file.
     */
    readonly changedFile?: 'refuses' | 'merges';
    /** What it does instead if a file has come into being that it means to make. */
    readonly createdFile?: 'refuses';
}

/** A text that a user typed, on its way to the backend. */
export type ReviewSave = z.infer<typeof PagePayloads.save>;

/** The review of a {@link ReviewSave}. */
export type ReviewAbout = ReviewSave['about'];

export interface ReviewContent {
    review: ReviewInfo;
    proposal: string;
    /** The user's text; absent if that is the proposal. Its revision is {@link ReviewInfo.revision}. */
    text?: string;
}

/** The result of an answer. The first answer wins; later ones change nothing. */
export type ReviewAnswer =
    | { result: 'done' }
    /** The review had ended before. */
    | { result: 'late'; how: LateReason }
    /** The backend does not have the text that was accepted: send it along. */
    | { result: 'textNeeded' }
    /** The review goes on: a diff of it was closed, and another page has one. */
    | { result: 'shownElsewhere' }
    /** The review goes on: the file is not what the user saw. */
    | { result: 'notSame'; file: Exclude<FileState, 'same'> };

/** `silent`: it did not answer in time. */
export type FileState = 'same' | 'changed' | 'silent';

/** What the backend sees of a file. */
export interface FileFacts {
    state: FileState;
    /** It is a symbolic link, whatever it leads to. */
    isLink?: true;
    /** By its owner. */
    isExecutable?: true;
    /** The name of a file beside it that differs only in its Unicode form or in case, if there is none of this name. */
    similarName?: string;
    /** Why it cannot be written, in the system's words. */
    obstacle?: string;
}

/** `closed`: the user answered in the terminal, or the CLI proposed something else. `orphaned`: the CLI has ended. */
export type LateReason = 'accepted' | 'rejected' | 'closed' | 'orphaned' | 'unknown';

export type ShowReviewResult = z.infer<typeof PagePayloads.showResult>;

/** The right side that the user saw. */
export type ShownText = z.infer<typeof PagePayloads.shown>;

/** A file as a page has read it. */
export type SeenFile = NonNullable<z.infer<typeof PagePayloads.seenFile>>;

export type ContextSnapshot = z.infer<typeof PagePayloads.context>;

/** The problems of one file, as the CLIs take them. */
export type FileDiagnostics = z.infer<typeof PagePayloads.diagnostics>[number];

export type FileDiagnostic = FileDiagnostics['diagnostics'][number];

/** A file, or some of its lines, for the prompt of a CLI. */
export type Mention = z.infer<typeof PagePayloads.mentions>[number];

/** The context that was last shared with one CLI. */
export interface ToldContext {
    cliName: string;
    /** The CLI's working folder, if the system says. */
    folder?: string;
    /** In milliseconds since the epoch; absent if nothing was shared yet. */
    toldAt?: number;
    context?: IdeContext;
}

/**
 * The editors as the CLIs take them: the parameters of the `ide/contextUpdate` notification (specification, section II). Absent values are
 * left out: `null` fails the CLIs' schema and disconnects them (seen with Gemini CLI 0.61 and Qwen Code 0.24).
 *
 * @since 0.1
 */
export type IdeContext = z.infer<typeof PagePayloads.context>['context'];

/** One open file of it. @since 0.1 */
export type IdeContextFile = NonNullable<NonNullable<IdeContext['workspaceState']>['openFiles']>[number];

/** The context without cursor and selection; the same object if it has none. */
export function withoutSelection(context: IdeContext): IdeContext {
    const { openFiles = [], ...state } = context.workspaceState ?? {};
    const isKnown = ({ cursor, selectedText, selection }: IdeContextFile): boolean => Boolean(cursor ?? selectedText ?? selection);
    if (!openFiles.some(isKnown)) {
        return context;
    }
    const files = openFiles.map(({ cursor: _, selectedText: _text, selection: _selection, ...file }) => file);
    return { ...context, workspaceState: { ...state, openFiles: files } };
}
