// SPDX-License-Identifier: Apache-2.0

export interface Budget {
    readonly most: number;
    /** Why so much, and why no more. */
    readonly reason: string;
}

function budget(most: number, reason: string): Budget {
    return { most, reason };
}

const NOTHING_STAYS = 'a few come and go by chance; one for each of ten reviews would be ten';
const THREE_CALLS =
    'show, with the text, a look at the file, end, a watch for what is written after an answer in the terminal, and two states of the window; more calls or notices would be a habit, not a need';

/**
 * What `budgets.e2e-spec.ts` measures, at most. None of it depends on the machine's speed; bytes of messages depend a little on the length
 * of the test folder's path, and have a quarter to spare for it. Lower a line when the code got better; raise one only with its reason.
 */
export const BUDGETS = {
    "bytes in the front end's bundle: theia-cli-companion": budget(
        460_000,
        'its own code; half of it is text and its keys, which are as long as Theia wants them; the diagnosis and the sentences of problems and of the ' +
            'status list are 45 KB; what makes large reviews and many at once quick is 2 KB, the names of files as the user says them 1 KB, ' +
            'what keeps texts and answers until the backend has them, also over a reload, 4 KB, what a person has seen, held keys, messages ' +
            'that go and undo after an accept 9 KB, what an answer is about 1 KB, files of other encodings, with mixed line ends, behind links, or that do not answer 12 KB, exclusions 3 KB, patterns in ' +
            'linear time 7 KB, idle terminals, reasons and what was told in words 11 KB, ' +
            'the bar above a proposal and what is shown after an accept 14 KB, ' +
            'what the programs in terminals do, on tabs, in the list and in notifications, progress, agents that only run, and Shift+Enter 15 KB, files that are dropped or pasted 5 KB, ' +
            'what agents changed, its list, its diffs, Keep and Undo, the kinds of changes, what keeps them from being followed, and that a CLI does not ask, 42 KB, texts that lose no byte in any encoding, and Undo of what was accepted as one of them, 8 KB, ' +
            'turns of agents, their groups, and the question with their files 3 KB, a policy, which is known before any page acts, 3 KB, ' +
            'diffs in narrow places, where one is in their changes, answers that wait for the line, and CLIs that are not connected 7 KB, ' +
            'a CLI that writes its own text 1 KB, the line that tells a CLI of an undo, fixes of the diagnosis as rows, the button that wraps lines, and presses that came too soon 4 KB, the keyboard that stays where the user has gone, and comments that two windows type 2 KB, ' +
            'what each feature says in the status by itself, and the module that binds it, 13 KB, ' +
            'comments on lines 24 KB, one bar, one set of keys and one way onward for proposals and changes 21 KB, changes in the own editor of a file 15 KB, all files below each other, with the keys of a diff, 16 KB, an undo that waits for its agent, and diffs of what was undone, 8 KB, texts of another start, the room for a proposal, ' +
            'a terminal that is quiet, what is pasted, and one button to run a CLI 13 KB'
    ),
    "bytes in the front end's bundle: theia-qwen-daemon": budget(
        115_600,
        'all of it its own code: it brings no library; each part of an answer is a module; its keys are as long as Theia wants them; questions, permissions and their waiting messages, ' +
            'the list of changes with undo, and the sentences of problems are the largest parts'
    ),
    "bytes in the back end's bundle: theia-cli-companion": budget(
        1_531_000,
        'its own code, of which what each feature has for pages and windows, with its module, is 13 KB, what judges what a CLI has written, with the texts before, 9 KB, comments 7 KB, the policy of a platform and its file 7 KB, the record of who did what 2 KB, turns of agents, which say what they do not know, and the merge that takes them back, 17 KB, an undo that waits, and texts of the past 2 KB, the rules of changes with the diff of Monaco, which are loaded with the first agent, are 220 KB, the private index of git that has what stood there before, with saves and moves of git in their order, 58 KB, agents that are only seen, and the scan of all processes 10 KB, texts that lose no byte 3 KB, what a user never shares 5 KB, the programs in terminals, and what is given to them, are 12 KB and the looks at files 6 KB, the package.json of Theia, for its version, 6 KB, Copilot CLI and its socket 17 KB, its Chinese texts, which are read when a page wants them, the MCP SDK, ajv, and zod, of which the SDK brings both versions'
    ),
    "bytes in the back end's bundle: theia-qwen-daemon": budget(666_000, "its own code, its Chinese texts, Qwen's SDK and zod"),

    "modules at the backend's start: theia-cli-companion": budget(
        179,
        'its own, each class in its file, a policy and its file 2, what each feature serves to pages and says of windows 18, the module of each feature and core folder with what binds them 12, the doors of dialects, reviews and context 13, what judges what was written 5, comments 6, the login shell and worktrees 3, what two servers share, what hears of changes 9, of which a CLI of each family, the diagnosis and the sockets of Claude Code and Copilot CLI are 35 and the programs in terminals 7, the looks at files 3, the version of Theia, and jsonc-parser; ' +
            'zod comes with the first page, and the MCP SDK with the first CLI'
    ),
    "modules at the backend's start: theia-qwen-daemon": budget(
        8,
        'its module with what the daemon is configured by; the rest comes when a page asks for it'
    ),

    'messages of a context update': budget(2, 'one call with its answer'),
    'bytes of a context update': budget(1_300, 'the ten files that a CLI is told of, with their paths'),
    'messages of a focus': budget(
        4,
        'two calls with their answers, one for comments that another window has, however many editors are open'
    ),
    'bytes of a focus': budget(300, 'neither a path nor a state, if nothing has changed'),
    'messages of a review of 1 KB that is closed': budget(14, THREE_CALLS),
    'bytes of a review of 1 KB that is closed': budget(5_300, 'the text crosses once'),
    'messages of a review of 1 KB that is accepted': budget(18, 'as one that is closed, and a look at the file with each reading of it'),
    'bytes of a review of 1 KB that is accepted': budget(
        6_600,
        'each state has the number of changes, and the last ones the verdict of what was written; the text crosses once: what nobody edited is not sent back'
    ),
    'messages of a review of 100 KB that is closed': budget(14, 'its size makes no messages'),
    'bytes of a review of 100 KB that is closed': budget(106_700, 'the text crosses once, and each state has the number of changes'),
    'messages of a review of 100 KB that is accepted': budget(22, 'its size makes no messages, but longer reading more looks at the file'),
    'bytes of a review of 100 KB that is accepted': budget(
        108_600,
        'the last states have the verdict of what was written, and the text crosses once: what nobody edited is not sent back'
    ),

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
    'left by reviews: nodes': budget(150, 'Theia 1.74 itself keeps up to 11 nodes of each diff that was open, that is 110 of ten')
} as const satisfies Record<string, Budget>;
