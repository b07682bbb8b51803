// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem, DaemonWarning } from './daemon-problem';
import { EditorContext } from './editor-context';
import { SessionEvent, SessionState } from './session-events';
import { TakenBack, UndoPlan, WantedFile } from './turn-undo';

/**
 * What backend and page say to each other. The page never talks to the daemon, and knows neither its token nor its clients.
 * Events may be lost between backend and page: Theia drops messages that are sent while the socket is down. When it is open again, the
 * page opens its sessions again, and gets all that is known of them.
 */
export const qwenDaemonPath = '/services/qwen-daemon';

export interface QwenDaemonBackend {
    /**
     * Introduces the page: at start, after every reconnect, and when the roots or the trust change. Contacts and starts nothing; if
     * no page trusts the workspace any more, its daemon ends. Before it every other call is refused. Sessions that this connection had
     * opened are no longer told to it if the connection is a new one: open them again.
     */
    hello(page: PageInfo): Promise<DaemonStatus>;
    /** Connects now, and starts the managed daemon if no other is configured. Also tries again after `lost` or `refused`. */
    connect(): Promise<DaemonStatus>;
    /**
     * Finds the chat's daemon session (live, or on the daemon's disk), or makes one, and from now on tells this page its events.
     * Connects where needed. Calling it again is harmless, and it is also the Reconnect of a session that is lost or closed.
     */
    openSession(request: OpenSessionRequest): Promise<Answer<OpenedSession>>;
    /** The page no longer shows the session. The session itself lives on. */
    leaveSession(sessionId: string): Promise<void>;
    /** Answers as soon as the daemon has taken the prompt; the turn's events may come before the answer. */
    sendPrompt(sessionId: string, prompt: SessionPrompt): Promise<Answer<PromptAccepted>>;
    /** Cancels this turn if it runs, or takes it from the queue if it waits. Never touches another turn. */
    cancelTurn(sessionId: string, turnId: string): Promise<Answer<void>>;
    /** What {@link undoTurn} would do. Changes nothing. */
    planUndo(sessionId: string, turnId: string): Promise<Answer<UndoPlan>>;
    /**
     * Undoes this turn and all that came after it: the session forgets them, and the wanted files get the text that they had before. Leaves
     * a file that is in another state than the user knew, and those that are not wanted. What became of each comes as an event.
     */
    undoTurn(sessionId: string, turnId: string, wanted: WantedFile[]): Promise<Answer<void>>;
    /** As {@link undoTurn}, with the files alone: the session still knows the turn. */
    takeBack(sessionId: string, turnId: string, wanted: WantedFile[]): Promise<Answer<TakenBack>>;
    /** The first answer of all clients wins. */
    answerPermission(sessionId: string, permissionId: string, answer: PermissionAnswer): Promise<Answer<'accepted' | 'late'>>;
    /** Also becomes the default of the daemon's user, in the daemon's settings: say so before. */
    setModel(sessionId: string, modelId: string): Promise<Answer<void>>;
    setApprovalMode(sessionId: string, modeId: string): Promise<Answer<void>>;
    /** Both texts of a tool call's edit; `undefined` if it is not, or no longer, known. */
    readDiff(sessionId: string, edit: EditReference): Promise<DiffTexts | undefined>;
}

/** The page as the backend sees it. Both are sent without waiting for an answer. */
export interface QwenDaemonPage {
    notifyStatus(status: DaemonStatus): void;
    notifyEvents(events: SessionEvents): void;
}

export interface PageInfo {
    /** URIs of the workspace's roots, in their order; the daemon works in the first. */
    roots: string[];
    trust: WorkspaceTrust;
}

/**
 * Whether the daemon may run in the workspace. To open a session already runs code of the folder: its hooks.
 *
 * - `trusted`
 * - `untrusted`: the user does not trust the folder
 * - `ai-off`: the application lets no AI run, see Theia's `AIActivationService.canRun`
 */
export type WorkspaceTrust = 'trusted' | 'untrusted' | 'ai-off';

export interface OpenSessionRequest {
    /** Id of Theia's chat session. The daemon keeps it with its session, and the backend finds the session by it. */
    chatSessionId: string;
    /** The daemon session, where the page knows it, or an earlier one that the user picked. */
    sessionId?: string;
    /** Asked for at creation and at loading: the daemon forgets it (Qwen Code 0.24). Default: `default`. */
    approvalMode?: string;
}

export interface OpenedSession {
    session: SessionInfo;
    /** All that is known, as in {@link SessionEvents.fromStart}. */
    events: SessionEvent[];
}

export interface SessionEvents {
    sessionId: string;
    /**
     * Whether {@link events} are all that is known, from the beginning, condensed, because the session was loaded again: the page builds
     * every turn that they name anew, and keeps what it shows of other turns.
     */
    fromStart: boolean;
    events: SessionEvent[];
}

export interface SessionInfo {
    sessionId: string;
    /** Folder on the daemon's host. */
    workspaceCwd: string;
    state: SessionState;
    models: { id: string; name: string }[];
    currentModelId?: string;
    modes: { id: string; name: string }[];
    currentModeId?: string;
    /** What was chosen in this IDE. */
    chosenModeId: string;
}

export interface PromptImage {
    /** A file's name, for people and for the model. */
    name: string;
    mimeType: string;
    /** Base64. */
    data: string;
}

export interface SessionPrompt {
    /** The page's id of the request; comes back in the turn's first event. Sending the same twice asks once. */
    requestId: string;
    text: string;
    /** Files to attach by link, as absolute paths on the daemon's host. */
    files?: string[];
    /** Sent to the daemon before the prompt: if one of them fails, nothing is asked. */
    images?: PromptImage[];
    /** What goes with the prompt about the editor, as the user sees it at the chat's input. */
    editor?: EditorContext;
}

export interface PromptAccepted {
    turnId: string;
    /** Prompts that wait before it, the running one included. */
    ahead: number;
    /** It is to steer the running turn, see {@link QueueEvent.steering}. */
    steers?: boolean;
}

export type PermissionAnswer =
    | {
          optionId: string;
          /** Of user questions: by the question's index. */
          answers?: Record<string, QuestionAnswer>;
      }
    | { cancelled: true };

/** Choices by their index: the label that a page shows may be capped, and the model must get its own. */
export interface QuestionAnswer {
    options: number[];
    /** What the user typed. */
    text?: string;
}

/** A tool call that changes a file. Its id is unique only within its turn. */
export interface EditReference {
    turnId: string;
    toolId: string;
}

export interface DiffTexts {
    /** Absolute path on the daemon's host. */
    path: string;
    oldText: string;
    newText: string;
    /** The texts were cut at {@link DaemonLimits.diffText}. */
    truncated: boolean;
}

/**
 * - `off`: not enabled; nothing is loaded, started or contacted
 * - `idle`: enabled; nothing is contacted before the first chat session or {@link QwenDaemonBackend.connect}
 * - `connecting`: the daemon's capabilities are being asked for
 * - `starting`: a managed daemon was started, or a daemon answers that it is not ready yet
 * - `connected`
 * - `reconnecting`: it was connected, and is being tried again without the user's help
 * - `lost`: it was connected, and trying again was given up
 * - `refused`: it cannot be used until the user changes something
 */
export type DaemonState = 'off' | 'idle' | 'connecting' | 'starting' | 'connected' | 'reconnecting' | 'lost' | 'refused';

/** The managed daemon is started and stopped by this backend; an external one is only ever talked to. */
export type DaemonKind = 'managed' | 'external';

/** What a page may know of the connection. No token, no credentials, no error bodies of the daemon. */
export interface DaemonStatus {
    /** Numbered by the backend; an older one than one already seen is ignored. */
    sequence: number;
    state: DaemonState;
    /** Absent until the kind is known. */
    kind?: DaemonKind;
    /** Host and port, e.g. `127.0.0.1:4170`. */
    host?: string;
    /** Folder, on the daemon's host, that the daemon works in. */
    workspaceCwd?: string;
    /** Version of Qwen Code that the daemon says. */
    version?: string;
    /** The reason for the state, and what the user can do about it. */
    problem?: DaemonProblem;
    warnings: DaemonWarning[];
}

/** The answer to a call that may fail for reasons that the user should read. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: DaemonProblem };

/** Bounds on what the backend tells a page, in characters. */
export const DaemonLimits = {
    /** Of a message that steers the running turn; the daemon takes no longer one. */
    steering: 16 * 1024,
    /** Of a tool's arguments and results. */
    toolText: 32 * 1024,
    /** Of each side of an edit. */
    diffText: 2 * 1024 * 1024,
    /** Of a message, title, label. */
    label: 2_000
} as const;

/** Both ends of the wire use this function: a page finds its own prompts again by their capped texts. */
export function cappedText(text: string, limit: number): string {
    return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
