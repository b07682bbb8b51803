// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { CompanionProblem, Fault } from './companion-problem';
import { asSentence, joinSentences, listOf, SentenceRow, SentenceTable } from './sentences';

/** A problem in whole sentences. */
type ProblemText = SentenceRow & { readonly what: string };

/** Where a problem has a fault, that one's sentences count first. */
const PROBLEMS = new SentenceTable<Exclude<CompanionProblem['code'], 'contributed'>>('theia/cli-companion/problem/', {
    'part-failed': { what: 'Part of the companion does not work: {cause}' },
    policy: {
        what: 'No CLI is served, because the policy {file} cannot be used.',
        advice: 'Ask your administrator to correct it, and restart the IDE.'
    },
    'not-started': {
        what: 'The companion could not be started ({cause}).',
        why: 'The IDE tries again every few seconds.'
    },
    'too-many-open-files': {
        what: 'The companion could not be started ({cause}).',
        why: 'The IDE tries again every few seconds.',
        advice: "Raise the IDE's limit of open files before you restart it.",
        command: 'ulimit -n 65536'
    },
    'edits-not-stored': {
        what: 'What you type into proposals cannot be stored ({cause}).',
        why: "It is kept until the IDE's backend exits.",
        advice: 'Free up space, or make your home folder writable. The IDE tries again by itself.'
    },
    'edits-not-read': {
        what: 'Your kept edits cannot be read ({cause}).',
        why: 'Those of an earlier start of the IDE are on disk, and are not listed.',
        advice: "Make the folder theia-cli-companion in the IDE's configuration folder your own, and let nobody else write there."
    },
    'root-left-out': {
        what: '{cliName} cannot work in {root}.',
        why: 'It does not understand "{text}" in a path.',
        advice: 'Rename the folder to use it there.'
    },
    'cannot-connect': {
        what: '{cliName} cannot connect.',
        advice: 'The IDE tries again by itself.'
    },
    'other-ide': {
        what: '{cliName} does not connect by itself.',
        why: 'Another IDE has the same folder open: {ide} ({file}).',
        advice: 'Close the folder there, or type /ide in {cliName} and choose.'
    },
    'old-files-stay': { what: 'Old discovery files of {cliName} could not be removed.' },
    'no-defaults': { what: '{cliName} may edit files without asking, because its defaults cannot be written.' },
    'no-variables': { what: '{cliName} started in a new terminal may not find this window.' },
    'share-not-boolean': {
        what: 'In {settings}, companion.context.share is {value}. It is treated as false.',
        advice: 'Write true or false there, without quotes.'
    },
    'exclude-not-counted': {
        what: 'Ignored in {settings}: {value}.',
        why: 'In companion.context.exclude, "!" needs a glob pattern, and works in your user settings only.',
        advice: 'Correct these entries. All others apply.'
    },
    'exclude-not-understood': {
        what: 'In {settings}, companion.context.exclude has entries that are not glob patterns: {value}.',
        why: 'Until you correct them, no file to which these settings apply is shared.',
        advice: 'Write a list of patterns, with "/" between names.'
    },
    'ignore-unreadable': {
        what: '{file} cannot be read, or is too long.',
        why: 'Until it can be read, no file in its folder is shared.'
    },
    'ignore-undecodable': {
        what: '{file} is not text in UTF-8.',
        why: 'Until it can be read, no file in its folder is shared.',
        advice: 'Save it in UTF-8.'
    },
    'ignore-lines': {
        what: 'In {file}, these lines are not valid patterns: {lines}.',
        why: 'All other lines apply.',
        advice: 'Correct them.'
    }
});

const FAULTS = new SentenceTable<Exclude<Fault['code'], 'failed'>>('theia/cli-companion/problem/', {
    'not-published': { why: 'No discovery file can be written ({cause}).' },
    silent: { why: 'The file system of {places} does not answer.' },
    'folder-not-made': {
        why: 'The folder {folder} could not be created ({cause}).',
        advice: 'Set {variable} to a folder of your own and restart the IDE.'
    },
    'folder-not-writable': {
        why: 'No file could be written in the folder {folder} ({cause}).',
        advice: 'Set {variable} to a folder of your own and restart the IDE.'
    },
    'folder-of-another-user': {
        why: 'The folder {folder} belongs to another user.',
        advice: 'Set {variable} to a folder of your own and restart the IDE.'
    },
    'folder-relative': {
        why: '{variable} is a relative path, which means a different folder to each program.',
        advice: 'Set it to an absolute path and restart the IDE.'
    },
    'folder-is-link': {
        why: 'The folder {folder} is a symbolic link, which the companion does not follow.',
        advice: 'Remove it.'
    },
    'folder-is-file': {
        why: 'The path {folder} is not a folder.',
        advice: 'Move that file away.'
    },
    'folder-open-to-others': {
        why: 'Other users can write to the folder {folder}.',
        advice: 'Remove that permission.'
    },
    'policy-open': {
        why: '{place} can be changed by users of this IDE.',
        advice: 'Ask your administrator to give it to root, let nobody else write there, and restart the IDE.'
    },
    'policy-not-json': { why: 'It is no JSON object ({cause}).' },
    'policy-wrong': { why: 'It has the key "{key}", which is unknown or has a value that it cannot have.' },
    'settings-unreadable': {
        why: '{file} could not be read or written ({cause}).',
        advice: 'Nothing was changed.'
    },
    'settings-not-json': {
        why: '{file} is not valid JSON: see line {line}.',
        advice: 'Nothing was changed.'
    },
    'settings-no-object': {
        why: '{file} does not contain a JSON object.',
        advice: 'Nothing was changed.'
    },
    'settings-changed': {
        why: '{file} was changed by another program at the same time.',
        advice: 'Try again.'
    }
});

/** The sentences for a problem. The page localises them; the log of a backend is in English. */
export function describeProblem(problem: CompanionProblem): ProblemText {
    if (problem.code === 'contributed') {
        return { what: problem.text, ...(problem.command !== undefined && { command: problem.command }) };
    }
    const values = { ...problem, ...('settings' in problem && { settings: settingsName(problem.settings) }) };
    const { what = '', ...rest } = PROBLEMS.describe(problem.code, values);
    return { what, ...rest, ...('fault' in problem && describeFault(problem.fault)) };
}

/** Why something failed, and what to do, in whole sentences. */
export function describeFault(fault: Fault): Omit<ProblemText, 'what'> {
    if (fault.code === 'failed') {
        return { why: asSentence(fault.cause) };
    }
    return FAULTS.describe(fault.code, { ...fault, ...('places' in fault && { places: listOf(fault.places) }) });
}

/** A problem in one line. */
export function problemText(problem: CompanionProblem): string {
    return oneLine(describeProblem(problem));
}

/** Why something failed, in one line. */
export function faultText(fault: Fault): string {
    return oneLine(describeFault(fault));
}

/** Files are named by their paths. */
function settingsName(settings: string | PreferenceScope): string {
    switch (settings) {
        case PreferenceScope.User:
            return nls.localize('theia/cli-companion/problem/userSettings', 'your user settings');
        case PreferenceScope.Default:
            return nls.localize('theia/cli-companion/problem/applicationDefaults', 'the defaults of this application');
        case PreferenceScope.Session:
            return '--session-preference';
        default:
            return String(settings);
    }
}

function oneLine({ what, why, advice, command }: Partial<ProblemText>): string {
    const run = command === undefined ? undefined : nls.localize('theia/cli-companion/problem/run', 'Run: {0}', command);
    return joinSentences([what, why, advice, run]);
}
