// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'fs';
import { IdeContext } from '../../common/companion-protocol';

type Message = Readonly<Record<string, unknown>>;

/** A message of the protocol, or what the user did meanwhile. */
export type RecordedLine =
    | { readonly from: 'cli' | 'ide'; readonly message: Message }
    | { readonly from: 'user'; readonly sees: IdeContext }
    | { readonly from: 'user'; readonly accepts: string }
    | { readonly from: 'user'; readonly rejects: true };

/** One session of one version of a CLI. */
export interface Recording {
    readonly cli: string;
    /** Of the request for the upgrade, without the token. */
    readonly headers: Readonly<Record<string, string>>;
    readonly lines: readonly RecordedLine[];
}

/** What differs between machines, by the name that replaces it in a recording. */
export interface RecordingPlace {
    readonly workspace: string;
    readonly pid: number;
}

/** The message without what the companion says of itself: other tests have it. */
export function essence(message: Message): Message {
    const { serverInfo, tools, ...rest } = (message['result'] ?? {}) as { serverInfo?: object; tools?: Array<{ name: string }> };
    return serverInfo || tools ? { ...message, result: { ...rest, ...(tools && { tools: tools.map(({ name }) => name) }) } } : message;
}

/** In lines of JSON: the head, and what happened. */
export function formatRecording({ lines, ...head }: Recording, { workspace, pid }: RecordingPlace): string {
    const text = [head, ...lines].map(line => `${JSON.stringify(line)}\n`).join('');
    return text.replaceAll(workspace, '$WORKSPACE').replaceAll(`"pid":${pid}`, '"pid":"$PID"');
}

export function readRecording(file: string, { workspace, pid }: RecordingPlace): Recording {
    const text = readFileSync(file, 'utf8').replaceAll('$WORKSPACE', workspace).replaceAll('"$PID"', String(pid));
    const [head, ...lines] = text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as unknown);
    return { ...(head as Omit<Recording, 'lines'>), lines: lines as RecordedLine[] };
}
