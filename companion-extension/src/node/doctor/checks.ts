// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { Fault } from '../../common/companion-problem';
import { DiagnosisStep, StepCode, StepMend, StepVerdict } from '../../common/diagnosis';
import { findFolderFault, folderPath } from '../discovery/secure-folder';
import { idePids } from '../discovery/supported-cli';
import { describeCause } from '../host/problems';
import { isInside } from '../host/workspace-roots';
import { findProgram, isOlder, versionOf } from './cli-program';
import { Examination } from './examination';
import { homeFolderOf, temporaryFolderOf } from './terminal-facts';

/** One question about a CLI in a terminal. It changes nothing. */
export type Check = (examination: Examination) => Promise<DiagnosisStep>;

/** What is asked, in the order in which a CLI comes to it. */
export const CHECKS: readonly Check[] = [
    companion,
    terminal,
    program,
    ideProcess,
    environment,
    folder,
    file,
    workspace,
    host,
    handshake,
    ideMode,
    approvalMode,
    folderTrust,
    session
];

/** What makes a running CLI connect again, typed at its prompt. */
const ENABLE = '/ide enable';
/** By these Gemini CLI takes a process for one in a container. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];
/** Any of these makes it use the loopback address all the same. */
const LOOPBACK_VARIABLES = ['SSH_CONNECTION', 'VSCODE_REMOTE_CONTAINERS_SESSION', 'REMOTE_CONTAINERS'];

async function companion({ window }: Examination): Promise<DiagnosisStep> {
    if (!window.enabled) {
        return step('companion.off', 'failure');
    }
    return window.server ? step('companion.on', 'ok', { port: window.server.port }) : step('companion.failed', 'failure');
}

async function terminal({ terminal: { source, folder: workingFolder, chain } }: Examination): Promise<DiagnosisStep> {
    const pid = chain[0]?.pid ?? '';
    const codes = { cli: 'terminal.cli', shell: 'terminal.shell', new: 'terminal.new' } as const;
    return step(codes[source], 'ok', { pid, folder: workingFolder });
}

async function program({ cli, profile, terminal: facts }: Examination): Promise<DiagnosisStep> {
    const found = await findProgram(cli.command, facts);
    if (found === undefined) {
        const searched = facts.variables['PATH'] ?? '';
        return step('program.missing', 'failure', { command: cli.command, searched }, { command: profile.install });
    }
    const version = await versionOf(found, facts);
    const args = { path: found, version: version ?? '', minimum: profile.minimumVersion };
    if (version === undefined) {
        return step('version.unknown', 'unknown', args);
    }
    return isOlder(version, profile.minimumVersion)
        ? step('version.tooOld', 'failure', args, { command: `${profile.install}@latest` })
        : step('version.supported', 'ok', args);
}

async function ideProcess({ profile, terminal: { variables, source }, idePid, host: ownHost }: Examination): Promise<DiagnosisStep> {
    const given = profile.pidVariable && variables[profile.pidVariable];
    const args = { pid: given || (idePid?.pid ?? ''), walk: idePid?.walk ?? '', own: idePids(ownHost).join(', ') };
    if (given) {
        return step('process.given', 'ok', { ...args, variable: profile.pidVariable ?? '' });
    }
    if (source !== 'new' && !hasPs(variables['PATH'] ?? '')) {
        return step('process.noPs', 'ok', args);
    }
    const isOurs = idePid === undefined || idePids(ownHost).includes(idePid.pid);
    return step(isOurs ? 'process.computed' : 'process.other', 'ok', args);
}

async function environment({ profile, terminal: facts, host: ownHost, lookup, published }: Examination): Promise<DiagnosisStep> {
    const { variables, umask } = facts;
    const there = { tmpdir: temporaryFolderOf(variables), home: homeFolderOf(variables, ownHost) };
    const here = { tmpdir: ownHost.temporaryFolder, home: ownHost.homeFolder };
    const octal = umask === undefined ? '' : umask.toString(8).padStart(3, '0');
    const args = { ...there, umask: octal, qwenHome: variables['QWEN_HOME'] ?? '', looked: lookup.folder };
    const folders = published.map(one => folderPath(one.folder));
    if (folders.length > 0 && !(await holds(folders, lookup.folder))) {
        const known = { ...args, ownTmpdir: here.tmpdir, ownHome: here.home, published: folders.join(', ') };
        return profile.folderVariable === 'TMPDIR'
            ? step('environment.otherTmpdir', 'failure', known, { command: `export TMPDIR=${quoted(here.tmpdir)}` })
            : step('environment.otherHome', 'failure', known);
    }
    // Others could write into the folders that the CLI makes, and the companion refuses such a folder.
    return umask !== undefined && (umask & 0o002) === 0
        ? step('environment.openUmask', 'warning', args, { command: 'umask 022' })
        : step('environment.same', 'ok', args);
}

async function folder({ lookup, published, host: ownHost }: Examination): Promise<DiagnosisStep> {
    const location = published.map(one => one.folder).find(candidate => folderPath(candidate) === lookup.folder);
    const stat = await fs.promises.stat(lookup.folder).catch(() => undefined);
    const args = { folder: lookup.folder, mode: stat ? octalMode(stat.mode) : '', owner: stat?.uid ?? '' };
    const fault = location && (await findFolderFault(location, ownHost));
    if (fault) {
        return step('folder.refused', 'failure', args, { fault, command: 'command' in fault ? fault.command : undefined });
    }
    return stat ? step('folder.good', 'ok', args) : step('folder.missing', 'failure', args);
}

async function file({ lookup, window }: Examination): Promise<DiagnosisStep> {
    const found = lookup.found ?? lookup.mismatched.find(({ port }) => port === window.server?.port);
    if (!found) {
        return step('file.missing', 'failure', { folder: lookup.folder, others: lookup.mismatched.length });
    }
    const args = { path: found.path, port: found.port, mode: octalMode(found.mode), owner: found.uid, own: window.server?.port ?? '' };
    return found.port === window.server?.port ? step('file.found', 'ok', args) : step('file.foreign', 'warning', args);
}

async function workspace({ profile, lookup, window, terminal: facts }: Examination): Promise<DiagnosisStep> {
    const args = { folder: facts.folder, roots: window.roots.join(', '), said: profile.saysMismatch ? 'mismatch' : '' };
    if (window.roots.length === 0) {
        return step('workspace.none', 'failure', args);
    }
    const inside = lookup.found?.matches ?? window.roots.some(root => isInside(root, facts.folder));
    return inside
        ? step('workspace.inside', 'ok', args)
        : step('workspace.outside', 'failure', args, { command: `cd ${quoted(window.roots[0])}` });
}

async function host({ profile, terminal: { variables }, host: ownHost, lookup }: Examination): Promise<DiagnosisStep> {
    const marker = CONTAINER_FILES.find(candidate => ownHost.exists(candidate));
    const hint = LOOPBACK_VARIABLES.find(name => variables[name]);
    if (profile.leavesContainer && marker !== undefined && hint === undefined && !lookup.found?.stdio) {
        return step('host.container', 'failure', { marker }, { command: 'export REMOTE_CONTAINERS=true' });
    }
    return step('host.loopback', 'ok', { marker: marker ?? '', hint: hint ?? '' });
}

async function handshake({ lookup, window }: Examination): Promise<DiagnosisStep> {
    const found = lookup.found ?? lookup.mismatched.find(({ port }) => port === window.server?.port);
    if (!found) {
        return step('handshake.skipped', 'unknown');
    }
    const args = { port: found.port, path: found.path };
    try {
        // Only now: a start of the backend does not pay for a client.
        const { shakeHands } = await import('./handshake');
        const tools = await shakeHands(found);
        const offered = { ...args, tools: tools.join(', ') };
        const both = tools.includes('openDiff') && tools.includes('closeDiff');
        return both ? step('handshake.done', 'ok', offered) : step('handshake.noTools', 'warning', offered);
    } catch (error) {
        const { code } = error as { code?: unknown };
        const reason = describeCause((error as Error).cause ?? error);
        return step(code === 401 ? 'handshake.refused' : 'handshake.failed', 'failure', { ...args, reason });
    }
}

async function ideMode({ settings, trusted, ideModeChange }: Examination): Promise<DiagnosisStep> {
    const { value, file: from } = settings.get('ide.enabled', trusted === true);
    if (value === true) {
        return step('ideMode.on', 'ok', { path: from ?? '' });
    }
    const mend: StepMend | undefined = ideModeChange && { kind: 'ideMode', ...ideModeChange };
    return step('ideMode.off', 'failure', { path: from ?? settings.files.user }, { command: ENABLE, mend });
}

async function approvalMode({ profile, settings, trusted, terminal: { cli } }: Examination): Promise<DiagnosisStep> {
    const args = cli[0]?.command ?? [];
    // A folder that is not trusted has it ask, whatever was configured.
    const mode =
        trusted === true
            ? profile.approvalMode(name => settings.get(name).value, args)
            : { ...profile.approvalMode(() => undefined, []), name: 'default', asks: true };
    return mode.asks
        ? step('approval.asks', 'ok', { mode: mode.name })
        : step('approval.silent', 'warning', { mode: mode.name }, { command: mode.mend });
}

async function folderTrust({ profile, trusted, terminal: facts }: Examination): Promise<DiagnosisStep> {
    const args = { folder: facts.folder };
    if (trusted === undefined) {
        return step('trust.undecided', 'warning', args);
    }
    return trusted ? step('trust.trusted', 'ok', args) : step('trust.untrusted', 'warning', args, { command: profile.trustCommand });
}

async function session({ cli, terminal: facts, window, stranded }: Examination): Promise<DiagnosisStep> {
    const pids = new Set(facts.cli.map(({ pid }) => pid));
    const innermost = facts.cli[0];
    if (innermost) {
        const args = { pid: innermost.pid };
        if (window.connected.some(({ cliId, pid }) => cliId === cli.id && pids.has(pid))) {
            return step('session.connected', 'ok', args);
        }
        const port = Object.entries(cli.terminalVariables({ port: 65535, roots: [] })).find(([, value]) => value === '65535')?.[0];
        const told = port === undefined ? undefined : facts.variables[port];
        return told && !window.ports.has(Number(told))
            ? step('session.stale', 'failure', { ...args, port: told }, { command: ENABLE })
            : step('session.missing', 'failure', args, { command: ENABLE });
    }
    const outlived = stranded.find(({ folder: at }) => window.roots.some(root => isInside(root, at)));
    return outlived
        ? step('session.outlived', 'failure', { pid: outlived.pid, folder: outlived.folder }, { command: ENABLE })
        : step('session.notRunning', 'ok', { command: cli.command });
}

interface Remedy {
    readonly command?: string | undefined;
    readonly fault?: Fault;
    readonly mend?: StepMend | undefined;
}

function step(code: StepCode, verdict: StepVerdict, args: Record<string, string | number> = {}, remedy: Remedy = {}): DiagnosisStep {
    return {
        code,
        verdict,
        args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])),
        ...(remedy.command === undefined ? {} : { command: remedy.command }),
        ...(remedy.fault === undefined ? {} : { fault: remedy.fault }),
        ...(remedy.mend === undefined ? {} : { mend: remedy.mend })
    };
}

/** The CLIs follow links to their folders. */
async function holds(folders: readonly string[], wanted: string): Promise<boolean> {
    const real = (name: string): Promise<string> => fs.promises.realpath(name).catch(() => name);
    return (await Promise.all(folders.map(real))).includes(await real(wanted));
}

function hasPs(searchPath: string): boolean {
    return searchPath.split(path.delimiter).some(name => path.isAbsolute(name) && fs.existsSync(path.join(name, 'ps')));
}

function octalMode(mode: number): string {
    return (mode & 0o7777).toString(8).padStart(4, '0');
}

/** For a shell. */
function quoted(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}
