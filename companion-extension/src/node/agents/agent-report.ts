// SPDX-License-Identifier: Apache-2.0

import { AgentKind, AgentState } from '../../common/companion-protocol';

/** What one source says about the program in a terminal. */
export interface AgentReport {
    readonly state: AgentState;
    readonly kind?: AgentKind | undefined;
    /** The program's name for itself. */
    readonly app?: string | undefined;
    readonly message?: string | undefined;
    /** What it works on. */
    readonly topic?: string | undefined;
    /** Of its work, in per cent. */
    readonly progress?: number | undefined;
    /** It is there, and has said nothing. */
    readonly isSilent?: true;
}

/** The longest text that pages get. They show a line of it. */
const MAX_MESSAGE_CHARACTERS = 300;

/** Makes a text of a program harmless: it must neither steer a terminal nor turn what stands beside it. */
export function harmlessText(text: string): string {
    const plain = text
        .replace(/\p{Bidi_Control}/gu, '')
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim();
    return plain.length > MAX_MESSAGE_CHARACTERS ? `${plain.slice(0, MAX_MESSAGE_CHARACTERS)}…` : plain;
}
