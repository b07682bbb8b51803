// SPDX-License-Identifier: Apache-2.0

import { DroppedEdit } from '../../common/companion-protocol';

/** Bounds on what is kept; the oldest goes first. */
export const DroppedEditLimits = {
    edits: 50,
    /** Characters of all texts together. A single one of any size is kept. */
    characters: 64 * 1024 * 1024
} as const;

/** Whose edit it was. */
export interface EditPlace {
    readonly windowId: string;
    /** Real paths of the window's roots. */
    readonly roots: readonly string[];
}

interface KeptEdit {
    readonly edit: DroppedEdit;
    readonly text: string;
    readonly place: EditPlace;
}

/** What users typed into proposals that ended without it, until the file has it or they discard it. */
export class DroppedEdits {
    protected readonly kept = new Map<string, KeptEdit>();

    /** A newer text of the same review takes the place of the one before. */
    add(edit: DroppedEdit, text: string, place: EditPlace): void {
        const { reason } = this.kept.get(edit.id)?.edit ?? edit;
        this.kept.delete(edit.id);
        this.kept.set(edit.id, { edit: { ...edit, reason }, text, place });
        while (this.kept.size > 1 && (this.kept.size > DroppedEditLimits.edits || this.size > DroppedEditLimits.characters)) {
            this.kept.delete([...this.kept.keys()][0]);
        }
    }

    has(id: string): boolean {
        return this.kept.has(id);
    }

    /** @param belongs whether what was typed there is this user's to see */
    list(belongs: (place: EditPlace) => boolean): DroppedEdit[] {
        return [...this.kept.values()].filter(({ place }) => belongs(place)).map(({ edit }) => edit);
    }

    read(id: string, belongs: (place: EditPlace) => boolean): string | undefined {
        const found = this.kept.get(id);
        return found && belongs(found.place) ? found.text : undefined;
    }

    /** @returns whether it was there */
    discard(id: string, belongs: (place: EditPlace) => boolean): boolean {
        return this.read(id, belongs) !== undefined && this.kept.delete(id);
    }

    protected get size(): number {
        return [...this.kept.values()].reduce((sum, { text }) => sum + text.length, 0);
    }
}
