// SPDX-License-Identifier: Apache-2.0

/** The longest sequence that is read, its ends included. Longer ones are dropped. */
export const MAX_SEQUENCE_CHARACTERS = 4096;

/** `ESC ]` */
const INTRODUCER_CHARACTERS = 2;

/* eslint-disable no-control-regex */
/** BEL, ESC, and the one-character forms of DCS, SOS, OSC, PM and APC. */
const IN_TEXT = /[\u0007\u001b\u0090\u0098\u009d-\u009f]/g;
/** BEL, CAN, SUB, ESC and ST. */
const IN_STRING = /[\u0007\u0018\u001a\u001b\u009c]/g;
/* eslint-enable no-control-regex */
/** After ESC: the beginnings of DCS, SOS, PM and APC. */
const OTHER_STRINGS = 'PX^_';

interface OscHandlers {
    /** @param payload between the two ends. @param terminator the end that the program used */
    osc(payload: string, terminator: string): void;
    /** A BEL that ends no sequence. */
    bell(): void;
}

interface ControlString {
    readonly isOsc: boolean;
    payload: string;
}

/** Finds operating system commands (`ESC ] … ST`) and bells in the output of a terminal, however it is cut into pieces. */
export class OscStream {
    /** The one that is being read. */
    protected string: ControlString | undefined;
    /** The last character was ESC. */
    protected escaped = false;

    constructor(protected readonly handlers: OscHandlers) {}

    feed(chunk: string): void {
        for (let at = 0; at < chunk.length;) {
            at = this.string ? this.readString(this.string, chunk, at) : this.readText(chunk, at);
        }
    }

    /** @returns where to read on */
    protected readText(chunk: string, at: number): number {
        if (this.escaped) {
            this.escaped = false;
            const isOsc = chunk[at] === ']';
            if (isOsc || OTHER_STRINGS.includes(chunk[at])) {
                this.string = { isOsc, payload: '' };
                return at + 1;
            }
        }
        const found = find(IN_TEXT, chunk, at);
        if (chunk[found] === '\u0007') {
            this.handlers.bell();
        } else if (chunk[found] === '\u001b') {
            this.escaped = true;
        } else if (found < chunk.length) {
            this.string = { isOsc: chunk[found] === '\u009d', payload: '' };
        }
        return found + 1;
    }

    /** @returns where to read on */
    protected readString(string: ControlString, chunk: string, at: number): number {
        if (this.escaped && chunk[at] !== '\\') {
            // It was no end: the string is broken off, and another sequence begins.
            this.string = undefined;
            return at;
        }
        if (this.escaped) {
            this.escaped = false;
            this.end(string, '\u001b\\');
            return at + 1;
        }
        const found = find(IN_STRING, chunk, at);
        if (string.isOsc && string.payload.length <= MAX_SEQUENCE_CHARACTERS) {
            string.payload += chunk.slice(at, Math.min(found, at + MAX_SEQUENCE_CHARACTERS + 1));
        }
        const end = chunk[found];
        if (end === '\u001b') {
            this.escaped = true;
        } else if (end === '\u009c' || (end === '\u0007' && string.isOsc)) {
            this.end(string, end);
        } else if (end === '\u0018' || end === '\u001a') {
            this.string = undefined;
        }
        return found + 1;
    }

    protected end({ isOsc, payload }: ControlString, terminator: string): void {
        this.string = undefined;
        if (isOsc && INTRODUCER_CHARACTERS + payload.length + terminator.length <= MAX_SEQUENCE_CHARACTERS) {
            this.handlers.osc(payload, terminator);
        }
    }
}

/** @returns the length of the text if there is none */
function find(pattern: RegExp, text: string, from: number): number {
    pattern.lastIndex = from;
    return pattern.exec(text)?.index ?? text.length;
}
