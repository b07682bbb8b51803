// SPDX-License-Identifier: Apache-2.0

import * as fc from 'fast-check';

/** An edit of lines: where, how many go, and how many come. */
export interface LineEdit {
    at: number;
    remove: number;
    add: number;
    /** Adds a line that other places have, too. */
    filler: boolean;
}

/** When the watcher tells of a write. */
export type Notice = 'now' | 'late' | 'lost' | 'twice';

/** What a user, an agent, git or the machine does. */
export type Step =
    /** An agent's edit tool or shell command writes. */
    | { op: 'shell'; paths: readonly string[]; edit: LineEdit; event: Notice }
    | { op: 'sed'; event: Notice }
    | { op: 'format'; path: string; event: Notice }
    | { op: 'create'; path: string; event: Notice; big: boolean }
    | { op: 'delete'; path: string; event: Notice }
    | { op: 'rename'; path: string; to: string; event: Notice }
    | { op: 'type'; page: number; path: string; edit: LineEdit }
    | { op: 'save'; page: number; path: string; over: boolean; format: boolean }
    | { op: 'refresh' | 'keepAll' | 'undoAll' | 'ctrlZ'; page: number }
    | { op: 'keep' | 'undo'; page: number; path: string; hunk?: number; fresh: boolean }
    /** Monaco's own arrow between the sides. */
    | { op: 'arrow'; page: number; path: string; hunk: number }
    | { op: 'deliver' | 'commit' | 'stash' | 'pop' | 'reset' | 'restart' | 'stop' | 'start' }
    | { op: 'checkout'; tree: number }
    | { op: 'restore'; path: string };

export interface Case {
    git: boolean;
    /** A file has uncommitted lines before an agent starts. */
    dirty: boolean;
    /** There is room for next to nothing. */
    tight: boolean;
    steps: readonly Step[];
}

export const PATHS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

const somePath = fc.constantFrom(...PATHS.slice(0, 4));
const anyPath = fc.constantFrom(...PATHS);
const page = fc.nat(1);
const hunk = fc.option(fc.nat(2), { nil: undefined });
const edit = fc.record({ at: fc.nat(12), remove: fc.nat(3), add: fc.nat(3), filler: fc.boolean() });
const event = fc.constantFrom<Notice>('now', 'now', 'late', 'lost', 'twice');

/** One kind of step. The weight says how often it comes. */
function step<K extends Step['op']>(weight: number, op: K, rest: Record<string, fc.Arbitrary<unknown>> = {}): fc.WeightedArbitrary<Step> {
    return { weight, arbitrary: fc.record({ op: fc.constant(op), ...rest }) as unknown as fc.Arbitrary<Step> };
}

const steps = fc.array(
    fc.oneof(
        step(4, 'shell', { paths: fc.tuple(somePath), edit, event }),
        step(3, 'shell', { paths: fc.array(anyPath, { minLength: 1, maxLength: 3 }), edit, event }),
        step(1, 'sed', { event }),
        step(1, 'format', { path: somePath, event }),
        step(1, 'create', { path: anyPath, event, big: fc.boolean() }),
        step(1, 'delete', { path: somePath, event }),
        step(1, 'rename', { path: somePath, to: anyPath, event }),
        step(4, 'type', { page, path: somePath, edit }),
        step(4, 'save', { page, path: somePath, over: fc.boolean(), format: fc.boolean() }),
        step(3, 'refresh', { page }),
        step(2, 'keep', { page, path: somePath, hunk, fresh: fc.boolean() }),
        step(4, 'undo', { page, path: somePath, hunk, fresh: fc.boolean() }),
        step(2, 'arrow', { page, path: somePath, hunk: fc.nat(2) }),
        step(1, 'undoAll', { page }),
        step(1, 'keepAll', { page }),
        step(2, 'ctrlZ', { page }),
        step(2, 'deliver'),
        step(2, 'commit'),
        step(1, 'checkout', { tree: fc.nat(5) }),
        step(1, 'stash'),
        step(1, 'pop'),
        step(1, 'restore', { path: somePath }),
        step(1, 'reset'),
        step(1, 'restart'),
        step(1, 'stop'),
        step(1, 'start')
    ),
    { maxLength: 22, size: 'max' }
);

export const CASES: fc.Arbitrary<Case> = fc.record({
    git: fc.boolean(),
    dirty: fc.boolean(),
    tight: fc.constantFrom(false, false, true),
    steps
});

type EditStep = Extract<Step, { edit: LineEdit }>['op'];

function change(op: EditStep, path: string, [at, remove, add, filler]: [number, number, number, boolean?], rest: object = {}): Step {
    const made = {
        op,
        path,
        paths: [path],
        edit: { at, remove, add, filler: filler ?? false },
        event: 'now',
        page: 0,
        ...rest
    };
    return made as unknown as Step;
}

/** What a search finds only after thousands of runs. */
export const EXAMPLES: ReadonlyArray<readonly Step[]> = [
    [
        change('shell', 'c', [1, 3, 0]),
        { op: 'format', path: 'c', event: 'now' },
        change('shell', 'c', [3, 0, 0, true]),
        { op: 'undo', page: 1, path: 'c', hunk: 0, fresh: true }
    ],
    [
        change('shell', 'b', [11, 0, 1, true]),
        change('type', 'b', [4, 2, 0]),
        change('shell', 'b', [6, 1, 0]),
        { op: 'save', page: 0, path: 'b', over: true, format: false }
    ],
    [change('shell', 'a', [0, 0, 2]), change('type', 'a', [1, 1, 0]), { op: 'undo', page: 0, path: 'a', hunk: 0, fresh: true }],
    [
        change('shell', 'a', [0, 0, 1]),
        change('shell', 'a', [8, 0, 1]),
        { op: 'refresh', page: 1 },
        { op: 'keep', page: 0, path: 'a', hunk: 0, fresh: true },
        { op: 'undo', page: 1, path: 'a', hunk: 0, fresh: false }
    ],
    [
        change('shell', 'b', [0, 0, 1]),
        { op: 'refresh', page: 0 },
        { op: 'keepAll', page: 1 },
        change('shell', 'b', [0, 0, 1]),
        { op: 'keep', page: 0, path: 'b', fresh: false }
    ],
    [
        { op: 'shell', paths: ['a'], edit: { at: 0, remove: 0, add: 1, filler: false }, event: 'lost' },
        change('type', 'a', [7, 0, 1]),
        { op: 'save', page: 0, path: 'a', over: false, format: false }
    ],
    [
        change('type', 'c', [0, 0, 1]),
        change('shell', 'c', [0, 1, 0]),
        { op: 'save', page: 0, path: 'c', over: true, format: true },
        change('type', 'c', [0, 2, 0]),
        { op: 'save', page: 0, path: 'c', over: false, format: false }
    ],
    [change('shell', 'a', [0, 0, 0, true]), change('type', 'a', [0, 0, 1]), { op: 'save', page: 0, path: 'a', over: false, format: false }],
    [
        change('shell', 'b', [0, 0, 2], { event: 'late' }),
        change('type', 'b', [0, 0, 2, true]),
        { op: 'save', page: 0, path: 'b', over: false, format: false },
        { op: 'sed', event: 'now' }
    ]
];
