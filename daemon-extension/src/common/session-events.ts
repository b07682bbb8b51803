// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem, SessionNotice } from './daemon-problem';
import { UndoneFile } from './turn-undo';

/**
 * What a page gets about a daemon session. Each is an allow-listed extract of a daemon event: no envelopes, no ids of clients,
 * no `_meta`, no error bodies, no original contents of files.
 *
 * `turnId` is the daemon's id of the prompt. The first event of a turn is always its {@link TurnEvent}.
 */
export type SessionEvent =
    | TurnEvent
    | TextEvent
    /** A tool call as it is now, whole: it replaces what was known of this `tool.id` in this turn. */
    | { kind: 'tool'; turnId: string; tool: ToolCall }
    | PlanEvent
    | UsageEvent
    | PermissionEvent
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
    | SteeredEvent
    | UndoneEvent
    | { kind: 'model'; modelId: string }
    | ModeEvent
    /** What a message may begin with, behind a slash; replaces what was offered before. */
    | { kind: 'commands'; commands: SlashCommand[] }
    | { kind: 'session'; state: SessionState; problem?: DaemonProblem }
    | { kind: 'notice'; turnId?: string; notice: SessionNotice };

export interface TurnEvent {
    kind: 'turn';
    turnId: string;
    /**
     * - `own`: asked through this backend; {@link requestId} says by which request of the page
     * - `other`: asked by another client of the same daemon session
     * - `qwen`: asked by nobody: Qwen goes on by itself, for a goal, a schedule, or a background task that ended
     * - `history`: from an earlier life of the session or of this backend; the page may know it by `turnId`
     */
    origin: 'own' | 'other' | 'qwen' | 'history';
    /** The id that the page gave in {@link QwenDaemonBackend.sendPrompt}. */
    requestId?: string;
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

/** The whole list, which replaces the earlier one of the turn. */
export interface PlanEvent {
    kind: 'plan';
    turnId: string;
    entries: PlanEntry[];
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

export interface PermissionEvent {
    kind: 'permission';
    turnId: string;
    permission: PermissionRequest;
}

export interface PermissionRequest {
    id: string;
    /** The tool call that waits; its {@link ToolEvent} came before. */
    toolId: string;
    title: string;
    /** What the tool says about itself beyond the rest, for example a warning. Plain text, capped; may be empty. */
    description: string;
    /** The plan that is to be approved, as the model's Markdown, capped. */
    plan?: string;
    command?: ShellCommand;
    diff?: DiffInfo;
    options: PermissionOption[];
    /** Present where the model asks the user: each is to be answered, or the whole be cancelled. */
    questions?: UserQuestion[];
}

export interface ShellCommand {
    /** As it would run, capped. */
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
    /** `lost`: the daemon or its agent process ended in the middle; text after the last one seen is gone. */
    outcome: 'completed' | 'cancelled' | 'error' | 'lost' | 'removed';
    /** The daemon's, e.g. `end_turn`, `max_tokens`. */
    stopReason?: string;
    problem?: DaemonProblem;
}

/** The prompts that wait behind the running one, oldest first; of all clients of the session. */
export interface QueueEvent {
    kind: 'queue';
    turnIds: string[];
    /** Those of them that the running turn takes as soon as its step is done; what it does not take runs as a separate turn. */
    steering: string[];
}

/** The running turn took a message that waited. The message gets no separate turn, and no {@link EndEvent}. */
export interface SteeredEvent {
    kind: 'steered';
    /** The running turn. */
    turnId: string;
    /** The id under which the message waited. */
    messageId: string;
}

/** A turn was undone. Those that are undone together each get one, the newest first. */
export interface UndoneEvent {
    kind: 'undone';
    turnId: string;
    /** Whether Qwen's session knows it no longer. */
    forgotten: boolean;
    /** What became of the files that the turns had changed; with the newest turn only. */
    files: UndoneFile[];
    /** The folder with the copies of what was overwritten or deleted. */
    copies?: string;
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
export type SessionState = 'live' | 'lost';
