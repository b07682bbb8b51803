// SPDX-License-Identifier: Apache-2.0

export interface Budget {
    readonly most: number;
    /** Why so much, and why no more. */
    readonly reason: string;
}

function budget(most: number, reason: string): Budget {
    return { most, reason };
}

const NOTHING_STAYS = 'a few come and go by chance; one for each of twenty reviews would be twenty';
const THREE_CALLS = 'show, with the text, end, and two states of the window; more calls or notices would be a habit, not a need';

/**
 * What `budgets.e2e-spec.ts` measures, at most. None of it depends on the machine's speed; bytes of messages depend a little on the length
 * of the test folder's path, and have a quarter to spare for it. Lower a line when the code got better; raise one only with its reason.
 */
export const BUDGETS = {
    "bytes in the front end's bundle: theia-cli-companion": budget(
        233_000,
        'its own code and 4 KB of the library ignore; half of it is text and its keys, which are as long as Theia wants them; the diagnosis and the sentences of problems and of the ' +
            'status list are 45 KB; what makes large reviews and many at once quick is 2 KB, the names of files as the user says them 1 KB, ' +
            'what keeps drafts, discards and answers until the backend has them, also over a reload, 4 KB, what a person has seen, held keys, messages that go and undo after an accept 9 KB, exclusions 3 KB, idle ' +
            'terminals and their names, the light bulb, reasons, moved proposals and what was told in words 11 KB, ' +
            'the bar above a proposal and what is shown after an accept 14 KB'
    ),
    "bytes in the front end's bundle: theia-qwen-daemon": budget(
        174_000,
        'all of it its own code: it brings no library; its keys are as long as Theia wants them; plans, commands, the mode and the chip at the input, and ' +
            'completion are 25 KB, the sentences of problems 14 KB, steering, the list of changes and undo, which asks for each file, 14 KB, images 7 KB, the list of sessions 5 KB; what waits, ' +
            'with its message, keys and buttons, 9 KB, what tools show 7 KB, one file taken back, own commands and the first page 7 KB'
    ),
    "bytes in the back end's bundle: theia-cli-companion": budget(
        1_151_000,
        '186 KB are its own, of which reviews and drafts are 23 KB, the family of Claude Code 16 KB; 46 KB are its Chinese texts, read when a page wants them; the rest are the MCP SDK ' +
            'with its client, ajv, and zod, of which the SDK brings both versions'
    ),
    "bytes in the back end's bundle: theia-qwen-daemon": budget(
        722_000,
        "101 KB are its own, of which undo of files is 6 KB; 39 KB are its Chinese texts; the rest are Qwen's SDK and zod"
    ),

    "modules at the backend's start: theia-cli-companion": budget(
        84,
        'its own, of which a CLI of each family, the diagnosis and the socket of Claude Code are 30, and jsonc-parser; zod comes with the first page, and the MCP SDK with the first CLI'
    ),
    "modules at the backend's start: theia-qwen-daemon": budget(6, 'its module; the rest comes when a page asks for the daemon'),

    'messages of a context update': budget(2, 'one call with its answer'),
    'bytes of a context update': budget(1_300, 'the ten files that a CLI is told of, with their paths'),
    'messages of a focus': budget(2, 'one call with its answer, however many editors are open'),
    'bytes of a focus': budget(300, 'neither a path nor a state, if nothing has changed'),
    'messages of a review of 1 KB that is closed': budget(8, THREE_CALLS),
    'bytes of a review of 1 KB that is closed': budget(4_700, 'the text crosses once'),
    'messages of a review of 1 KB that is accepted': budget(8, THREE_CALLS),
    'bytes of a review of 1 KB that is accepted': budget(4_700, 'the text crosses once: what nobody edited is not sent back'),
    'messages of a review of 100 KB that is closed': budget(8, 'its size makes no messages'),
    'bytes of a review of 100 KB that is closed': budget(106_000, 'the text crosses once'),
    'messages of a review of 100 KB that is accepted': budget(8, 'its size makes no messages'),
    'bytes of a review of 100 KB that is accepted': budget(106_000, 'the text crosses once: what nobody edited is not sent back'),

    'left by reviews: listeners of elements': budget(5, NOTHING_STAYS),
    'left by reviews: listeners of services': budget(5, NOTHING_STAYS),
    'left by reviews: diff editors': budget(
        1,
        'Theia 1.74 itself keeps all of its own; that of the last one that was closed may be in use'
    ),
    'left by reviews: text models': budget(0, 'none comes by chance'),
    'left by reviews: listeners of the backend': budget(5, NOTHING_STAYS),
    'left by reviews: timers of the backend': budget(5, NOTHING_STAYS),
    'left by reviews: descriptors of the backend': budget(5, NOTHING_STAYS),
    'left by reviews: timers of the page': budget(5, NOTHING_STAYS),
    'left by reviews: nodes': budget(260, 'Theia 1.74 itself keeps up to 11 nodes of each diff that was open, that is 220 of twenty')
} as const satisfies Record<string, Budget>;
