// SPDX-License-Identifier: Apache-2.0

/** What `/proc/PID/stat` of Linux says of a process (proc(5)). */
export interface ProcessStat {
    /** A zombie, or dead: only its parent has not asked for it yet. */
    readonly hasEnded: boolean;
    readonly parent: number;
    readonly processGroup: number;
    /** The process group that the keys of its terminal go to; -1 without a terminal. */
    readonly foregroundGroup: number;
    /** Clock ticks since the machine's boot: tells a process from an earlier one with the same pid. */
    readonly startTime: string;
}

/** @returns `undefined` where the text is none of such a file */
export function parseProcessStat(text: string): ProcessStat | undefined {
    // The second field is the command's name in parentheses, which may hold spaces and parentheses itself. The third is the first here.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, processGroup, , , foregroundGroup] = fields;
    const startTime = fields[19];
    if (!startTime) {
        return undefined;
    }
    return {
        hasEnded: state === 'Z' || state === 'X',
        parent: Number(parent),
        processGroup: Number(processGroup),
        foregroundGroup: Number(foregroundGroup),
        startTime: startTime.trim()
    };
}
