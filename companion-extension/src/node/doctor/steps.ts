// SPDX-License-Identifier: Apache-2.0

import { Fault } from '../../common/companion-problem';
import { DiagnosisStep, STEP_PROBLEMS, StepId, StepProblem } from '../../common/diagnosis';
import { ClaudeFamily } from '../discovery/claude-family';
import { homeFolderOf, temporaryFolderOf } from '../discovery/cli-terminal';
import { FoundFile, isFor } from '../discovery/found-files';
import { CliConfiguration, SupportedCli } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { describeCause } from '../host/problems';
import { isInside } from '../host/workspace-roots';
import { DisconnectedCli } from '../terminal/disconnected-clis';
import { Program, TerminalFacts } from './terminal-facts';

/** A window, as far as the doctor must know it. */
export interface DoctorWindow {
    /** `companion.enabled` in this window. */
    readonly enabled: boolean;
    /** Whether it shows diffs. */
    readonly reviewsOffered: boolean;
    readonly server: { readonly port: number; readonly roots: readonly string[] } | undefined;
    /** What CLIs of this family connect to. */
    familyServer(family: ClaudeFamily): DoctorWindow['server'];
    /** Real paths of the open folders. */
    readonly roots: readonly string[];
    /** The ports of all servers of this backend. */
    readonly ports: ReadonlySet<number>;
    /** The ports of the servers that this window serves: its own, and those of windows that went before it. */
    readonly servedPorts: ReadonlySet<number>;
    /** Processes that are connected to what this window serves, by the ids of their CLIs. */
    readonly connected: ReadonlyArray<{ readonly cliId: string; readonly pid: number; readonly since: number }>;
}

/** One CLI in one terminal, and all that was read of it. */
export interface Examination {
    readonly cli: SupportedCli;
    readonly host: HostEnvironment;
    readonly window: DoctorWindow;
    readonly terminal: TerminalFacts;
    /** Where the CLI looks for discovery files. */
    readonly folder: string;
    /** Those that are for its working folder, and others. */
    readonly matching: readonly FoundFile[];
    readonly others: readonly FoundFile[];
    /** The file of the CLI's way to the IDE: what it takes, or else what this window has published for another folder. */
    readonly file: FoundFile | undefined;
    /** When the CLI in the terminal connected to this window; if none runs there, when another one of its kind did. */
    readonly connectedSince: number | undefined;
    /** The folders into which the companion publishes for this CLI, and whether {@link folder} is one of them. */
    readonly published: readonly string[];
    readonly looksThere: boolean;
    /** There is such a {@link folder}. */
    readonly folderExists: boolean;
    /** Why the companion writes nothing into it. */
    readonly folderFault: Fault | undefined;
    /** `undefined` if the CLI's class does not tell. */
    readonly configuration: CliConfiguration | undefined;
    /** CLIs of this kind that run on without a server. */
    readonly disconnected: readonly DisconnectedCli[];
    /** `undefined` if it could not be found out. */
    readonly program: Program | undefined;
    /** The status with which the CLI's way to the IDE is answered, or why it is not; `undefined` if there is nothing to connect to. */
    readonly answer: number | Error | undefined;
}

const UNAUTHORIZED = 401;
/** A server of MCP misses a session, and one of WebSockets the request for one. */
const EXPECTED_ANSWERS = [400, 426];

/** What was found, in the order in which a CLI comes to it. What is behind a connected one does not matter any more. */
export function stepsOf(examination: Examination): DiagnosisStep[] {
    const { window, connectedSince } = examination;
    if (!window.server) {
        return [problem(window.enabled ? 'companion.failed' : 'companion.off')];
    }
    const steps =
        connectedSince === undefined
            ? [program, environment, folder, file, workspace, host, handshake, ideMode, approval, trust, session]
            : [session, approval];
    return [ok('companion', `127.0.0.1:${window.server.port}`), ...steps.flatMap(step => step(examination) ?? [])];
}

type Step = DiagnosisStep | undefined;

function program({ cli: { command, minimumVersion: minimum, install }, program: found, terminal }: Examination): Step {
    if (!found) {
        return undefined;
    }
    const { path, version } = found;
    if (path === undefined) {
        const searched = terminal.variables['PATH'] ?? '';
        return problem('program.missing', { command, searched }, { command: install });
    }
    if (version === undefined && minimum !== undefined) {
        return problem('program.noVersion', { path, minimum });
    }
    return version !== undefined && minimum !== undefined && isOlder(version, minimum)
        ? problem('program.tooOld', { path, version, minimum }, { command: install && `${install}@latest` })
        : ok('program', path, version ?? '');
}

/** Each has at least three numbers. */
function isOlder(version: string, than: string): boolean {
    const [one, other] = [version, than].map(text => text.split(/[.+-]/).slice(0, 3).map(Number));
    const differing = one.findIndex((value, index) => value !== other[index]);
    return differing !== -1 && one[differing] < other[differing];
}

function environment({ terminal: { variables, umask }, host: own, folder: at, published, looksThere }: Examination): Step {
    const tmpdir = temporaryFolderOf(variables);
    const { temporaryFolder: ideTmpdir, homeFolder } = own;
    if (published.length > 0 && !looksThere) {
        return tmpdir !== ideTmpdir && isInside(tmpdir, at)
            ? problem('environment.otherTmpdir', { tmpdir, ideTmpdir, folder: at }, { command: `export TMPDIR=${quoted(ideTmpdir)}` })
            : problem(
                  'environment.otherHome',
                  { folder: at, ideFolders: published.join(', ') },
                  { command: `export HOME=${quoted(homeFolder)}` }
              );
    }
    const octal = umask?.toString(8).padStart(3, '0') ?? '–';
    // Others could write into the folders that the CLI makes, and the companion refuses such a folder.
    return umask !== undefined && (umask & 0o002) === 0
        ? problem('environment.openUmask', { umask: octal }, { command: 'umask 022' })
        : ok('environment', `TMPDIR ${tmpdir}, HOME ${homeFolderOf(variables, own)}, umask ${octal}`);
}

function folder({ folder: at, folderExists, folderFault: fault }: Examination): Step {
    if (fault) {
        return problem('folder.refused', {}, { fault, command: 'command' in fault ? fault.command : undefined });
    }
    return folderExists ? ok('folder', at) : problem('folder.missing', { folder: at });
}

function file({ cli, folder: at, matching, others, window, file: found }: Examination): Step {
    if (cli.family && matching.length > 1) {
        return problem('file.ambiguous', { paths: matching.map(({ path }) => path).join(', ') }, { command: cli.connectCommand });
    }
    if (!found) {
        return problem('file.missing', { folder: at, others: String(others.length) });
    }
    const { path, port } = found;
    return window.servedPorts.has(port)
        ? ok('file', path)
        : problem('file.foreign', { path, port: String(port), windowPort: String(window.server?.port) });
}

function workspace({ file: found, window: { roots }, terminal: { folder: at } }: Examination): Step {
    if (roots.length === 0) {
        return problem('workspace.none');
    }
    return (found && isFor(found, at)) || roots.some(root => isInside(root, at))
        ? ok('workspace', at)
        : problem('workspace.outside', { folder: at, roots: roots.join(', ') }, { command: `cd ${quoted(roots[0])}` });
}

function host({ cli, terminal }: Examination): Step {
    const marker = cli.containerMarker?.(terminal.variables);
    return marker !== undefined
        ? problem('host.container', { marker }, { command: 'export REMOTE_CONTAINERS=true' })
        : ok('host', '127.0.0.1');
}

function handshake({ window, answer, file: found }: Examination): Step {
    if (!found || answer === undefined) {
        return undefined;
    }
    const { path, port } = found;
    if (answer === UNAUTHORIZED) {
        return problem('handshake.refused', { port: String(port), path });
    }
    if (answer instanceof Error || !EXPECTED_ANSWERS.includes(answer)) {
        const cause = answer instanceof Error ? describeCause(answer) : `HTTP ${answer}`;
        return problem('handshake.failed', { port: String(port), cause });
    }
    return window.reviewsOffered || !window.servedPorts.has(port)
        ? ok('handshake', `127.0.0.1:${port}`)
        : problem('handshake.noTools', { port: String(port) });
}

function ideMode({ cli, configuration }: Examination): Step {
    const { on, file: decidedIn } = configuration?.ideMode ?? {};
    if (decidedIn === undefined) {
        return undefined;
    }
    return on ? ok('ideMode', decidedIn) : problem('ideMode.off', { file: decidedIn }, { command: cli.connectCommand });
}

function approval({ configuration }: Examination): Step {
    if (!configuration) {
        return undefined;
    }
    const { name: mode, asks } = configuration.approval;
    return asks ? ok('approval', mode) : problem('approval.silent', { mode }, { command: configuration.askingCommand });
}

function trust({ cli, configuration, terminal: { folder: at } }: Examination): Step {
    if (!configuration || configuration.trusted === true) {
        return configuration && ok('trust', at);
    }
    return configuration.trusted === undefined
        ? problem('trust.undecided', { folder: at })
        : problem('trust.untrusted', { folder: at }, { command: cli.trustCommand });
}

function session({ cli, terminal: { cli: running, variables }, window, disconnected, connectedSince }: Examination): Step {
    const remedy = { command: cli.connectCommand };
    const pid = running[0] && String(running[0].pid);
    if (connectedSince !== undefined) {
        return ok('session', pid ?? '');
    }
    if (pid !== undefined) {
        const port = cli.portVariable && variables[cli.portVariable];
        return port && !window.ports.has(Number(port))
            ? problem('session.stale', { pid, port }, remedy)
            : problem('session.missing', { pid }, remedy);
    }
    const outlived = disconnected.find(({ folder: at }) => window.roots.some(root => isInside(root, at)));
    return outlived && problem('session.outlived', { folder: outlived.folder, pid: String(outlived.pid) }, remedy);
}

function ok(id: StepId, ...found: string[]): DiagnosisStep {
    return { id, verdict: 'ok', found };
}

function problem(
    id: StepProblem,
    values: Record<string, string> = {},
    remedy: Pick<DiagnosisStep, 'command' | 'fault'> = {}
): DiagnosisStep {
    const { verdict = 'failure' } = STEP_PROBLEMS.rows[id];
    return { id, verdict, values, ...remedy };
}

/** For a shell. */
function quoted(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}
