// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { CompanionProblem, Fault } from './companion-problem';

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

/**
 * The sentences for problems, each in one place. The page localises them. A backend has no localisation, so that its log is in English.
 */
export function describeProblem(problem: CompanionProblem): ProblemText {
    switch (problem.code) {
        case 'part-failed':
            return {
                what: nls.localize('theia/cli-companion/problem/partFailed', 'Part of the companion does not work: {0}', problem.cause)
            };
        case 'not-started':
            return {
                what: nls.localize('theia/cli-companion/problem/notStarted', 'The companion could not be started ({0}).', problem.cause),
                why: nls.localize('theia/cli-companion/problem/triedSoon', 'The IDE tries again every few seconds.'),
                ...(problem.tooManyOpenFiles && {
                    advice: nls.localize(
                        'theia/cli-companion/problem/openFiles',
                        "Raise the IDE's limit of open files before you restart it."
                    ),
                    command: 'ulimit -n 65536'
                })
            };
        case 'root-left-out':
            return {
                what: nls.localize('theia/cli-companion/problem/rootLeftOut', 'The CLIs cannot work in {0}.', problem.root),
                why: nls.localize(
                    'theia/cli-companion/problem/rootLeftOutWhy',
                    'They do not understand paths with "{0}" or "%".',
                    problem.delimiter
                ),
                advice: nls.localize('theia/cli-companion/problem/renameFolder', 'Rename the folder to use them there.')
            };
        case 'cannot-connect':
            return {
                what: nls.localize('theia/cli-companion/problem/cannotConnect', '{0} cannot connect.', problem.cliName),
                ...whyNotPublished(problem.fault)
            };
        case 'old-files-stay':
            return {
                what: nls.localize(
                    'theia/cli-companion/problem/oldFilesStay',
                    'Old discovery files of {0} could not be removed.',
                    problem.cliName
                ),
                ...describeFault(problem.fault)
            };
        case 'no-defaults':
            return {
                what: nls.localize(
                    'theia/cli-companion/problem/noDefaults',
                    '{0} may edit files without asking, because its defaults cannot be written.',
                    problem.cliName
                ),
                ...describeFault(problem.fault)
            };
        case 'no-variables':
            return {
                what: nls.localize(
                    'theia/cli-companion/problem/noVariables',
                    '{0} started in a new terminal may not find this window.',
                    problem.cliName
                ),
                ...describeFault(problem.fault)
            };
        case 'share-not-boolean':
            return {
                what: nls.localize(
                    'theia/cli-companion/problem/shareNotBoolean',
                    'In {0}, companion.context.share is {1}. That counts as false.',
                    settingsName(problem.settings),
                    problem.value
                ),
                advice: nls.localize('theia/cli-companion/problem/writeBoolean', 'Write true or false there, without quotes.')
            };
        case 'exclude-not-counted':
            return {
                what: nls.localize(
                    'theia/cli-companion/problem/excludeNotCounted',
                    'Not counted in {0}: {1}.',
                    settingsName(problem.settings),
                    problem.value
                ),
                why: nls.localize(
                    'theia/cli-companion/problem/excludeTakes',
                    'companion.context.exclude takes a list of glob patterns, and "!" in your user settings only.'
                ),
                advice: nls.localize('theia/cli-companion/problem/correctEntries', 'Correct these entries. All others count.')
            };
        case 'contributed':
            return { what: problem.text, ...(problem.command !== undefined && { command: problem.command }) };
    }
}

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

/** A problem in one line. */
export function problemText(problem: CompanionProblem): string {
    return oneLine(describeProblem(problem));
}

/** Why something failed, in one line. */
export function faultText(fault: Fault): string {
    return oneLine(describeFault(fault));
}

function oneLine({ what, why, advice, command }: Partial<ProblemText>): string {
    const run = command === undefined ? undefined : nls.localize('theia/cli-companion/problem/run', 'Run: {0}', command);
    return [what, why, advice, run].filter(part => part !== undefined).join(' ');
}

/** Why something failed, and what to do, in whole sentences. */
export function describeFault(fault: Fault): Omit<ProblemText, 'what'> {
    switch (fault.code) {
        case 'failed':
            return { why: fault.cause };
        case 'silent':
            return {
                why: nls.localize('theia/cli-companion/problem/silent', 'The file system of {0} does not answer.', fault.places.join(', '))
            };
        case 'folder-not-made':
            return {
                why: nls.localize(
                    'theia/cli-companion/problem/folderNotMade',
                    'The folder {0} could not be created ({1}).',
                    fault.folder,
                    fault.cause
                ),
                ...elsewhere(fault)
            };
        case 'folder-not-writable':
            return {
                why: nls.localize(
                    'theia/cli-companion/problem/folderNotWritable',
                    'No file could be written in the folder {0} ({1}).',
                    fault.folder,
                    fault.cause
                ),
                ...elsewhere(fault)
            };
        case 'folder-of-another-user':
            return {
                why: nls.localize('theia/cli-companion/problem/foreignFolder', 'The folder {0} belongs to another user.', fault.folder),
                ...elsewhere(fault)
            };
        case 'folder-relative':
            return {
                why: nls.localize(
                    'theia/cli-companion/problem/relativeFolder',
                    '{0} is a relative path, which means a different folder to each program.',
                    fault.variable
                ),
                advice: nls.localize('theia/cli-companion/problem/setAbsolute', 'Set it to an absolute path and restart the IDE.'),
                command: fault.command
            };
        case 'folder-is-link':
            return {
                why: nls.localize(
                    'theia/cli-companion/problem/linkedFolder',
                    'The folder {0} is a symbolic link and is not followed.',
                    fault.folder
                ),
                advice: nls.localize('theia/cli-companion/problem/removeLink', 'Remove it.'),
                command: fault.command
            };
        case 'folder-is-file':
            return {
                why: nls.localize('theia/cli-companion/problem/noFolder', 'The path {0} is not a folder.', fault.folder),
                advice: nls.localize('theia/cli-companion/problem/moveFile', 'Move that file away.'),
                command: fault.command
            };
        case 'folder-open-to-others':
            return {
                why: nls.localize('theia/cli-companion/problem/openFolder', 'Other users may write to the folder {0}.', fault.folder),
                advice: nls.localize('theia/cli-companion/problem/closeFolder', 'Remove that permission.'),
                command: fault.command
            };
        case 'settings-unreadable':
            return {
                why: nls.localize(
                    'theia/cli-companion/problem/settingsUnreadable',
                    '{0} could not be read or written ({1}).',
                    fault.file,
                    fault.cause
                ),
                advice: unchanged()
            };
        case 'settings-not-json':
            return {
                why:
                    fault.line === undefined
                        ? nls.localize('theia/cli-companion/problem/settingsNoObject', '{0} does not contain a JSON object.', fault.file)
                        : nls.localize(
                              'theia/cli-companion/problem/settingsNotJson',
                              '{0} is not valid JSON: see line {1}.',
                              fault.file,
                              fault.line
                          ),
                advice: unchanged()
            };
        case 'settings-changed':
            return {
                why: nls.localize(
                    'theia/cli-companion/problem/settingsChanged',
                    '{0} was changed by another program at the same time.',
                    fault.file
                ),
                advice: nls.localize('theia/cli-companion/problem/tryAgain', 'Try again.')
            };
    }
}

function elsewhere({ variable, command }: { variable: string; command: string }): Pick<ProblemText, 'advice' | 'command'> {
    return {
        advice: nls.localize('theia/cli-companion/problem/setVariable', 'Set {0} to a folder of your own and restart the IDE.', variable),
        command
    };
}

function unchanged(): string {
    return nls.localize('theia/cli-companion/problem/unchanged', 'Nothing was changed.');
}

function whyNotPublished(fault: Fault): Omit<ProblemText, 'what'> {
    const { advice = nls.localize('theia/cli-companion/problem/triedAgain', 'The IDE tries again by itself.'), ...text } =
        describeFault(fault);
    const why =
        fault.code === 'failed' &&
        nls.localize('theia/cli-companion/problem/notPublished', 'No discovery file can be written ({0}).', fault.cause);
    return { ...text, advice, ...(why && { why }) };
}
