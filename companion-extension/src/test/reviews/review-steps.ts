// SPDX-License-Identifier: Apache-2.0

/** How often each event comes. */
export const EVENTS = {
    ...{
        open: 9,
        edit: 14,
        undo: 4,
        undoAll: 1,
        accept: 6,
        acceptLater: 2,
        reject: 3,
        blindKey: 2,
        closeTab: 2,
        copyClosed: 1,
        rootsUnknown: 2,
        cancelled: 1,
        show: 2,
        cover: 2,
        discard: 3
    },
    ...{ terminalYes: 2, terminalNo: 2, orphan: 1, cut: 5, restore: 5, takeBack: 3, slow: 1, double: 2, lossy: 1, reload: 4, crash: 2 },
    ...{ duplicateTab: 1, newTab: 1, leaveTab: 1, storeFails: 1, tabClose: 1, slowEditors: 1, failingEditors: 1, mute: 1 },
    ...{ personEdits: 2, formats: 1, fileHangs: 1, diskFails: 1, diskSlow: 1, kill: 3, pass1: 6, pass31: 1 }
} as const;

export interface Step {
    readonly kind: keyof typeof EVENTS;
    /** Chooses a tab and a CLI. */
    readonly a: number;
    /** Chooses among what there is. */
    readonly b: number;
    /** In milliseconds. */
    readonly wait: number;
}

/** `edit(0,1)+60`: event, tab or CLI, choice, pause. */
export function parseSteps(example: string): Step[] {
    return example.split(' ').map(step => {
        const [, kind, a, b, wait = '0'] = /^(\w+)\((\d),(\d)\)(?:\+(\d+))?$/.exec(step) ?? [];
        return { kind: kind as Step['kind'], a: Number(a), b: Number(b), wait: Number(wait) };
    });
}

export function printSteps(steps: readonly Step[]): string {
    return steps.map(({ kind, a, b, wait }) => `${kind}(${a},${b})${wait ? `+${wait}` : ''}`).join(' ');
}
