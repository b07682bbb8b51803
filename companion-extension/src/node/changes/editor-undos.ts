// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';

/** What editors take back of changes: the page does it, and the save that follows types nothing. Each by its file. */
export class EditorUndos {
    /** The texts that they leave. */
    protected readonly texts = new Map<string, string>();
    /** Who changed what may be taken back now. */
    protected readonly agents = new Map<string, readonly string[]>();

    /** @param left the file after it; `null` for none, `undefined` if the user saves it later */
    begin(file: string, left: Buffer | null | undefined, agents: readonly string[]): void {
        if (left !== undefined) {
            this.texts.set(file, hashOf(left));
        }
        this.agents.set(file, agents);
    }

    /** Whether a save is what an editor has left, once. @param to `undefined` if that is not known */
    takeSave(file: string, to: Buffer | null | undefined): boolean {
        const left = this.texts.get(file);
        this.texts.delete(file);
        return to !== undefined && left === hashOf(to);
    }

    /** @returns who changed it; `undefined` if nobody has asked before, or that was said already */
    takeAgents(file: string): readonly string[] | undefined {
        const agents = this.agents.get(file);
        this.agents.delete(file);
        return agents;
    }
}

function hashOf(bytes: Buffer | null): string {
    return bytes ? createHash('sha1').update(bytes).digest('hex') : '';
}
