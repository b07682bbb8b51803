// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { CompanionProblem, Fault } from './companion-problem';
import { joinSentences, listOf, say, Sentence, sentence, SentenceRow } from './sentences';

/** A problem in whole sentences. */
export interface ProblemText {
    /** What does not work. */
    readonly what: string;
    readonly why?: string;
    /** What to do, or that nothing is to be done. */
    readonly advice?: string;
    /** What mends it, for a shell. */
    readonly command?: string;
}

type Values = Readonly<Record<string, unknown>>;

const NOT_STARTED = {
    what: sentence('theia/cli-companion/problem/notStarted', 'The companion could not be started ({cause}).'),
    why: sentence('theia/cli-companion/problem/triedSoon', 'The IDE tries again every few seconds.')
};

/** Where a problem has a fault, that one's sentences count first. */
const PROBLEMS: Readonly<Record<Exclude<CompanionProblem['code'], 'contributed'>, SentenceRow>> = {
    'part-failed': { what: sentence('theia/cli-companion/problem/partFailed', 'Part of the companion does not work: {cause}') },
    'not-started': NOT_STARTED,
    'too-many-open-files': {
        ...NOT_STARTED,
        advice: sentence('theia/cli-companion/problem/openFiles', "Raise the IDE's limit of open files before you restart it."),
        command: 'ulimit -n 65536'
    },
    'drafts-not-stored': {
        what: sentence('theia/cli-companion/problem/draftsNotStored', 'What you type into proposals cannot be stored ({cause}).'),
        why: sentence('theia/cli-companion/problem/draftsInMemory', "It is kept until the IDE's backend exits."),
        advice: sentence(
            'theia/cli-companion/problem/makeRoom',
            'Free up space, or make your home folder writable. The IDE tries again by itself.'
        )
    },
    'root-left-out': {
        what: sentence('theia/cli-companion/problem/rootLeftOut', 'The CLIs cannot work in {root}.'),
        why: sentence('theia/cli-companion/problem/rootLeftOutWhy', 'They do not understand paths with "{delimiter}" or "%".'),
        advice: sentence('theia/cli-companion/problem/renameFolder', 'Rename the folder to use them there.')
    },
    'cannot-connect': {
        what: sentence('theia/cli-companion/problem/cannotConnect', '{cliName} cannot connect.'),
        advice: sentence('theia/cli-companion/problem/triedAgain', 'The IDE tries again by itself.')
    },
    'other-ide': {
        what: sentence('theia/cli-companion/problem/otherIde', '{cliName} does not connect by itself.'),
        why: sentence('theia/cli-companion/problem/otherIdeWhy', 'Another IDE has the same folder open: {ide} ({file}).'),
        advice: sentence('theia/cli-companion/problem/otherIdeDo', 'Close the folder there, or type /ide in {cliName} and choose.')
    },
    'old-files-stay': {
        what: sentence('theia/cli-companion/problem/oldFilesStay', 'Old discovery files of {cliName} could not be removed.')
    },
    'no-defaults': {
        what: sentence(
            'theia/cli-companion/problem/noDefaults',
            '{cliName} may edit files without asking, because its defaults cannot be written.'
        )
    },
    'no-variables': {
        what: sentence('theia/cli-companion/problem/noVariables', '{cliName} started in a new terminal may not find this window.')
    },
    'share-not-boolean': {
        what: sentence(
            'theia/cli-companion/problem/shareNotBoolean',
            'In {settings}, companion.context.share is {value}. It is treated as false.'
        ),
        advice: sentence('theia/cli-companion/problem/writeBoolean', 'Write true or false there, without quotes.')
    },
    'exclude-not-counted': {
        what: sentence('theia/cli-companion/problem/excludeNotCounted', 'Ignored in {settings}: {value}.'),
        why: sentence(
            'theia/cli-companion/problem/excludeTakes',
            'companion.context.exclude takes a list of glob patterns; "!" works in your user settings only.'
        ),
        advice: sentence('theia/cli-companion/problem/correctEntries', 'Correct these entries. All others apply.')
    }
};

const ELSEWHERE = sentence('theia/cli-companion/problem/setVariable', 'Set {variable} to a folder of your own and restart the IDE.');
const UNCHANGED = sentence('theia/cli-companion/problem/unchanged', 'Nothing was changed.');

const FAULTS: Readonly<Record<Exclude<Fault['code'], 'failed'>, Omit<SentenceRow, 'what'>>> = {
    'not-published': { why: sentence('theia/cli-companion/problem/notPublished', 'No discovery file can be written ({cause}).') },
    silent: { why: sentence('theia/cli-companion/problem/silent', 'The file system of {places} does not answer.') },
    'folder-not-made': {
        why: sentence('theia/cli-companion/problem/folderNotMade', 'The folder {folder} could not be created ({cause}).'),
        advice: ELSEWHERE
    },
    'folder-not-writable': {
        why: sentence('theia/cli-companion/problem/folderNotWritable', 'No file could be written in the folder {folder} ({cause}).'),
        advice: ELSEWHERE
    },
    'folder-of-another-user': {
        why: sentence('theia/cli-companion/problem/foreignFolder', 'The folder {folder} belongs to another user.'),
        advice: ELSEWHERE
    },
    'folder-relative': {
        why: sentence(
            'theia/cli-companion/problem/relativeFolder',
            '{variable} is a relative path, which means a different folder to each program.'
        ),
        advice: sentence('theia/cli-companion/problem/setAbsolute', 'Set it to an absolute path and restart the IDE.')
    },
    'folder-is-link': {
        why: sentence('theia/cli-companion/problem/linkedFolder', 'The folder {folder} is a symbolic link and is not followed.'),
        advice: sentence('theia/cli-companion/problem/removeLink', 'Remove it.')
    },
    'folder-is-file': {
        why: sentence('theia/cli-companion/problem/noFolder', 'The path {folder} is not a folder.'),
        advice: sentence('theia/cli-companion/problem/moveFile', 'Move that file away.')
    },
    'folder-open-to-others': {
        why: sentence('theia/cli-companion/problem/openFolder', 'Other users can write to the folder {folder}.'),
        advice: sentence('theia/cli-companion/problem/closeFolder', 'Remove that permission.')
    },
    'settings-unreadable': {
        why: sentence('theia/cli-companion/problem/settingsUnreadable', '{file} could not be read or written ({cause}).'),
        advice: UNCHANGED
    },
    'settings-not-json': {
        why: sentence('theia/cli-companion/problem/settingsNotJson', '{file} is not valid JSON: see line {line}.'),
        advice: UNCHANGED
    },
    'settings-no-object': {
        why: sentence('theia/cli-companion/problem/settingsNoObject', '{file} does not contain a JSON object.'),
        advice: UNCHANGED
    },
    'settings-changed': {
        why: sentence('theia/cli-companion/problem/settingsChanged', '{file} was changed by another program at the same time.'),
        advice: sentence('theia/cli-companion/problem/tryAgain', 'Try again.')
    }
};

/** Where a preference stands, for a sentence. Files are named by their paths. */
const SETTINGS: Partial<Record<string | PreferenceScope, Sentence>> = {
    [PreferenceScope.User]: sentence('theia/cli-companion/problem/userSettings', 'your user settings'),
    [PreferenceScope.Default]: sentence('theia/cli-companion/problem/applicationDefaults', 'the defaults of this application')
};

/** The sentences for a problem. The page localises them; the log of a backend is in English. */
export function describeProblem(problem: CompanionProblem): ProblemText {
    if (problem.code === 'contributed') {
        return { what: problem.text, ...(problem.command !== undefined && { command: problem.command }) };
    }
    const { what, ...rest } = PROBLEMS[problem.code];
    const values: Values = { ...problem, ...('settings' in problem && { settings: settingsName(problem.settings) }) };
    return { what: say(what, values), ...fill(rest, values), ...('fault' in problem && describeFault(problem.fault)) };
}

/** Why something failed, and what to do, in whole sentences. */
export function describeFault(fault: Fault): Omit<ProblemText, 'what'> {
    if (fault.code === 'failed') {
        return { why: fault.cause };
    }
    return fill(FAULTS[fault.code], { ...fault, ...('places' in fault && { places: listOf(fault.places) }) });
}

/** A problem in one line. */
export function problemText(problem: CompanionProblem): string {
    return oneLine(describeProblem(problem));
}

/** Why something failed, in one line. */
export function faultText(fault: Fault): string {
    return oneLine(describeFault(fault));
}

function fill({ why, advice, command: usual }: Omit<SentenceRow, 'what'>, values: Values): Omit<ProblemText, 'what'> {
    const command = values['command'] ?? usual;
    return {
        ...(why && { why: say(why, values) }),
        ...(advice && { advice: say(advice, values) }),
        ...(command !== undefined && { command: String(command) })
    };
}

function settingsName(settings: string | PreferenceScope): string {
    const name = SETTINGS[settings];
    return name ? say(name) : settings === PreferenceScope.Session ? '--session-preference' : String(settings);
}

function oneLine({ what, why, advice, command }: Partial<ProblemText>): string {
    const run = command === undefined ? undefined : nls.localize('theia/cli-companion/problem/run', 'Run: {0}', command);
    return joinSentences([what, why, advice, run]);
}
