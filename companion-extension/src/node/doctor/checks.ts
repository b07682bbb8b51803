// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { Fault } from '../../common/companion-problem';
import { DiagnosisStep, StepCode, StepVerdict } from '../../common/diagnosis';
import { homeFolderOf, temporaryFolderOf } from '../discovery/cli-terminal';
import { findFolderFault, folderPath } from '../discovery/secure-folder';
import { idePids } from '../discovery/supported-cli';
import { describeCause } from '../host/problems';
import { isInside } from '../host/workspace-roots';
import { findProgram, isOlder, versionOf } from './cli-program';
import { Examination } from './examination';

/** One question about a CLI in a terminal. It changes nothing. `undefined` if nothing is known to ask for this CLI. */
export type Check = (examination: Examination) => Promise<DiagnosisStep | undefined>;

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

async function program({ cli, terminal: facts }: Examination): Promise<DiagnosisStep> {
    const found = await findProgram(cli.command, facts);
    if (found === undefined) {
        const searched = facts.variables['PATH'] ?? '';
        return step('program.missing', 'failure', { command: cli.command, searched }, { command: cli.install });
    }
    const minimum = cli.minimumVersion;
    if (minimum === undefined) {
        return step('program.found', 'ok', { path: found });
    }
    const version = await versionOf(found, facts);
    const args = { path: found, version: version ?? '', minimum };
    if (version === undefined) {
        return step('version.unknown', 'unknown', args);
    }
    return isOlder(version, minimum)
        ? step('version.tooOld', 'failure', args, { command: cli.install && `${cli.install}@latest` })
        : step('version.supported', 'ok', args);
}

async function ideProcess({ cli, terminal: { variables, source }, idePid, host: ownHost }: Examination): Promise<DiagnosisStep> {
    const given = cli.pidVariable && variables[cli.pidVariable];
    const args = { pid: given || (idePid?.pid ?? ''), walk: idePid?.walk ?? '', own: idePids(ownHost).join(', ') };
    if (given) {
        return step('process.given', 'ok', { ...args, variable: cli.pidVariable ?? '' });
    }
    if (source !== 'new' && !hasPs(variables['PATH'] ?? '')) {
        return step('process.noPs', 'ok', args);
    }
    const isOurs = idePid === undefined || idePids(ownHost).includes(idePid.pid);
    return step(isOurs ? 'process.computed' : 'process.other', 'ok', args);
}

async function environment({ terminal: facts, host: ownHost, lookup, published }: Examination): Promise<DiagnosisStep> {
    const { variables, umask } = facts;
    const there = { tmpdir: temporaryFolderOf(variables), home: homeFolderOf(variables, ownHost) };
    const here = { tmpdir: ownHost.temporaryFolder, home: ownHost.homeFolder };
    const octal = umask === undefined ? '' : umask.toString(8).padStart(3, '0');
    const args = { ...there, umask: octal, qwenHome: variables['QWEN_HOME'] ?? '', looked: lookup.folder };
    const folders = published.map(one => folderPath(one.folder));
    if (folders.length > 0 && !(await holds(folders, lookup.folder))) {
        const known = { ...args, ownTmpdir: here.tmpdir, ownHome: here.home, published: folders.join(', ') };
        return there.tmpdir !== here.tmpdir && isInside(there.tmpdir, lookup.folder)
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

async function workspace({ lookup, window, terminal: facts }: Examination): Promise<DiagnosisStep> {
    const args = { folder: facts.folder, roots: window.roots.join(', '), said: lookup.saysMismatch ? 'mismatch' : '' };
    if (window.roots.length === 0) {
        return step('workspace.none', 'failure', args);
    }
    const inside = lookup.found?.matches ?? window.roots.some(root => isInside(root, facts.folder));
    return inside
        ? step('workspace.inside', 'ok', args)
        : step('workspace.outside', 'failure', args, { command: `cd ${quoted(window.roots[0])}` });
}

async function host({ cli, terminal: { variables }, lookup }: Examination): Promise<DiagnosisStep> {
    const marker = cli.containerMarker?.(variables);
    return marker !== undefined && !lookup.found?.stdio
        ? step('host.container', 'failure', { marker }, { command: 'export REMOTE_CONTAINERS=true' })
        : step('host.loopback', 'ok');
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

async function ideMode({ cli, configuration }: Examination): Promise<DiagnosisStep | undefined> {
    if (!configuration) {
        return undefined;
    }
    const { on, file: decidedIn } = configuration.ideMode;
    return on
        ? step('ideMode.on', 'ok', { path: decidedIn })
        : step('ideMode.off', 'failure', { path: decidedIn }, { command: cli.connectCommand });
}

async function approvalMode({ configuration }: Examination): Promise<DiagnosisStep | undefined> {
    if (!configuration) {
        return undefined;
    }
    const { name: mode, asks } = configuration.approval;
    return asks
        ? step('approval.asks', 'ok', { mode })
        : step('approval.silent', 'warning', { mode }, { command: configuration.askingCommand });
}

async function folderTrust({ cli, configuration, terminal: facts }: Examination): Promise<DiagnosisStep | undefined> {
    if (!configuration) {
        return undefined;
    }
    const args = { folder: facts.folder };
    if (configuration.trusted === undefined) {
        return step('trust.undecided', 'warning', args);
    }
    return configuration.trusted
        ? step('trust.trusted', 'ok', args)
        : step('trust.untrusted', 'warning', args, { command: cli.trustCommand });
}

async function session({ cli, terminal: facts, window, stranded }: Examination): Promise<DiagnosisStep> {
    const pids = new Set(facts.cli.map(({ pid }) => pid));
    const innermost = facts.cli[0];
    if (innermost) {
        const args = { pid: innermost.pid };
        if (window.connected.some(({ cliId, pid }) => cliId === cli.id && pids.has(pid))) {
            return step('session.connected', 'ok', args);
        }
        const told = cli.portVariable && facts.variables[cli.portVariable];
        return told && !window.ports.has(Number(told))
            ? step('session.stale', 'failure', { ...args, port: told }, { command: cli.connectCommand })
            : step('session.missing', 'failure', args, { command: cli.connectCommand });
    }
    const outlived = stranded.find(({ folder: at }) => window.roots.some(root => isInside(root, at)));
    return outlived
        ? step('session.outlived', 'failure', { pid: outlived.pid, folder: outlived.folder }, { command: cli.connectCommand })
        : step('session.notRunning', 'ok', { command: cli.command });
}

interface Remedy {
    readonly command?: string | undefined;
    readonly fault?: Fault;
}

function step(code: StepCode, verdict: StepVerdict, args: Record<string, string | number> = {}, remedy: Remedy = {}): DiagnosisStep {
    return {
        code,
        verdict,
        args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])),
        ...(remedy.command === undefined ? {} : { command: remedy.command }),
        ...(remedy.fault === undefined ? {} : { fault: remedy.fault })
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
