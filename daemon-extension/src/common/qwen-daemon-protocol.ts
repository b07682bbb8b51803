// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem, DaemonWarning, SessionNotice } from './daemon-problem';
import { EditorContext } from './editor-context';

/**
 * What backend and page say to each other. The page never talks to the daemon, and knows neither its token nor its clients.
 * Events may be lost between backend and page: Theia drops messages that are sent while the socket is down. When it is open again, the
 * page opens its sessions again, and gets all that is known of them.
 */
export const qwenDaemonPath = '/services/qwen-daemon';

/** Of the chat agent, and its name. */
export const QWEN_AGENT_ID = 'Qwen';

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
    /** Gives the daemon a prompt when nothing runs. What becomes of it is said by the events of the turn that has the request's id. */
    sendPrompt(sessionId: string, prompt: SessionPrompt): Promise<Answer<void>>;
    /** Cancels this turn if it runs, or takes it from the queue if it waits. Never touches another turn. */
    cancelTurn(sessionId: string, turnId: string): Promise<Answer<void>>;
    /** The session forgets this turn and all that came after it. Files stay as they are. */
    rewind(sessionId: string, turnId: string): Promise<Answer<void>>;
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
    state: DaemonSessionState;
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
    /** The page's id of the request, which becomes that of its turn. Sending the same twice asks once. */
    requestId: string;
    text: string;
    /** The approval mode at the chat's input. If the session has another one, it is changed when the prompt's turn has come. */
    modeId?: string;
    /** Files to attach by link, as absolute paths on the daemon's host. */
    files?: string[];
    /** Sent to the daemon before the prompt: if one of them fails, nothing is asked. */
    images?: PromptImage[];
    /** What goes with the prompt about the editor, as the user sees it at the chat's input. */
    editor?: EditorContext;
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

/** `localhost` is one as well, since no resolver that the daemon's own client would trust says otherwise. */
export function isLoopback(hostname: string): boolean {
    return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Whether the files that it changes are those of the backend's host, as far as its address says. */
export function isOnBackendHost({ kind, host }: Pick<DaemonStatus, 'kind' | 'host'>): boolean {
    return kind === 'managed' || (host !== undefined && isLoopback(new URL(`http://${host}`).hostname));
}

/** The answer to a call that may fail for reasons that the user should read. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: DaemonProblem };

/** Bounds on what the backend tells a page, in characters. */
export const DaemonLimits = {
    /** Of a tool's arguments and results. */
    toolText: 32 * 1024,
    /** Of what is to be allowed: a command, a plan, a title with its arguments. */
    asked: 256 * 1024,
    /** Of each side of an edit. */
    diffText: 2 * 1024 * 1024,
    /** Of a message, title, label. */
    label: 2_000
} as const;

export function cappedText(text: string, limit: number): string {
    return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/**
 * What a page gets about a daemon session. Each is an allow-listed extract of a daemon event: no envelopes, no ids of clients,
 * no `_meta`, no error bodies, no original contents of files.
 *
 * `turnId` is the id of the request with which it was asked in this IDE, else the daemon's id of the prompt. The first event of a turn is always
 * its {@link TurnEvent}.
 */
export type SessionEvent =
    | TurnEvent
    | TextEvent
    /** A tool call as it is now, whole: it replaces what was known of this `tool.id` in this turn. */
    | { kind: 'tool'; turnId: string; tool: ToolCall }
    /** The whole list, which replaces the earlier one of the turn. */
    | { kind: 'plan'; turnId: string; entries: PlanEntry[] }
    | UsageEvent
    | { kind: 'permission'; turnId: string; permission: PermissionRequest }
    | PermissionClosedEvent
    /** Somebody asked to cancel; the turn still runs until its {@link EndEvent}. */
    | { kind: 'cancelling'; turnId: string }
    /**
     * The running turn was silent for a while: the daemon retries a model that is busy or unreachable silently.
     * Any later event of the turn ends the waiting.
     */
    | { kind: 'waiting'; turnId: string }
    | EndEvent
    | QueueEvent
    | { kind: 'model'; modelId: string }
    | ModeEvent
    /** What a message may begin with, behind a slash; replaces what was offered before. */
    | { kind: 'commands'; commands: SlashCommand[] }
    | { kind: 'session'; state: DaemonSessionState; problem?: DaemonProblem }
    | { kind: 'notice'; turnId?: string; notice: SessionNotice };

export interface TurnEvent {
    kind: 'turn';
    turnId: string;
    /**
     * - `own`: asked in this IDE, perhaps in another window, or before a restart
     * - `other`: asked by another client of the same daemon session
     * - `qwen`: asked by nobody: Qwen goes on by itself, for a goal, a schedule, or a background task that ended
     * - `history`: from an earlier life of the session, asked elsewhere
     */
    origin: 'own' | 'other' | 'qwen' | 'history';
    /** What was asked, capped. */
    prompt: string;
}

/** A piece of the answer's (`text`) or the model's thoughts' (`thought`) text, to be appended. */
export interface TextEvent {
    kind: 'text' | 'thought';
    turnId: string;
    text: string;
}

export type ToolStatus = 'pending' | 'running' | 'completed' | 'failed';

export interface ToolCall {
    id: string;
    name: string;
    /** For people, e.g. `Writing to out.txt`. */
    title: string;
    /** The daemon's kind: `edit`, `execute`, `read`, `search`, `fetch`, `think`, `switch_mode`, … */
    toolKind: string;
    status: ToolStatus;
    /** Arguments as JSON text, capped; empty while they are not known. */
    args: string;
    /** What came out, as text, capped; absent while it runs. */
    result?: string;
    /** An edit whose texts {@link QwenDaemonBackend.readDiff} gives. */
    diff?: DiffInfo;
    /** Absolute paths on the daemon's host. */
    locations: string[];
    mcpServer?: string;
    /** Something of it was left out for its size. */
    truncated: boolean;
}

export interface DiffInfo {
    /** Absolute path on the daemon's host. */
    path: string;
    isNew: boolean;
}

export interface PlanEntry {
    content: string;
    status: 'pending' | 'in_progress' | 'completed';
}

export interface UsageEvent {
    kind: 'usage';
    turnId: string;
    inputTokens: number;
    outputTokens: number;
    cachedReadTokens?: number;
}

export interface PermissionRequest {
    id: string;
    /** The tool call that waits; its {@link ToolEvent} came before. */
    toolId: string;
    title: string;
    /** What the tool says about itself beyond the rest, for example a warning. Plain text; may be empty. */
    description: string;
    /** The plan that is to be approved, as the model's Markdown. */
    plan?: string;
    command?: ShellCommand;
    diff?: DiffInfo;
    /** Something of what is asked was left out for its size. */
    truncated: boolean;
    options: PermissionOption[];
    /** Present where the model asks the user: each is to be answered, or the whole be cancelled. */
    questions?: UserQuestion[];
}

export interface ShellCommand {
    /** As it would run. */
    line: string;
    /** The rest of the title: what the model says the command is for, where it runs, that it stays in the background. */
    note: string;
}

export interface PermissionOption {
    id: string;
    /** As the daemon words it; says where a standing permission is kept. Always show it. */
    label: string;
    role: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other';
}

export interface UserQuestion {
    header: string;
    question: string;
    options: { label: string; description: string }[];
    multiSelect: boolean;
}

/** May come twice, and for permissions that the page never saw. */
export interface PermissionClosedEvent {
    kind: 'permissionClosed';
    permissionId: string;
    outcome: 'selected' | 'cancelled';
    optionId?: string;
    /** `turn`: the turn was cancelled or ended. */
    by: 'this-ide' | 'other-client' | 'turn' | 'unknown';
}

export interface EndEvent {
    kind: 'end';
    turnId: string;
    /**
     * - `lost`: the daemon or its agent process ended in the middle; text after the last one seen is gone
     * - `removed`: the prompt never reached the daemon's agent, because somebody took it back, or because of the problem
     */
    outcome: 'completed' | 'cancelled' | 'error' | 'lost' | 'removed';
    /** The daemon's, e.g. `end_turn`, `max_tokens`. */
    stopReason?: string;
    problem?: DaemonProblem;
}

/** The prompts of this IDE that wait behind the running one, oldest first. */
export interface QueueEvent {
    kind: 'queue';
    turnIds: string[];
}

export interface ModeEvent {
    kind: 'mode';
    modeId: string;
    /** What was chosen in this IDE. */
    chosenModeId: string;
    /** Fewer questions than chosen: the user must get a message. */
    looser: boolean;
}

export interface SlashCommand {
    name: string;
    description: string;
    /** What follows the name, e.g. `<description>`; may be empty. */
    hint: string;
}

/**
 * - `live`
 * - `lost`: {@link QwenDaemonBackend.openSession} with the same `sessionId` brings it back
 */
export type DaemonSessionState = 'live' | 'lost';
