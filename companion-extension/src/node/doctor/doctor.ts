// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { connect } from 'net';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { Fault } from '../../common/companion-problem';
import { CliDiagnosis, Diagnosis, DiagnosisStep, STEP_PROBLEMS, StepId, StepProblem } from '../../common/diagnosis';
import { withTimeLimit } from '../../common/time-limit';
import { DiscoveryFiles, isFor } from '../discovery/discovery-files';
import { FoundFile } from '../discovery/file-on-disk';
import { IdeIdentity } from '../discovery/ide-identity';
import { quoted, SecureFolder } from '../discovery/secure-folder';
import { CliConfiguration, DiscoveryFile, homeFolderOf, SupportedCli, temporaryFolderOf } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { HostEnvironment } from '../host/host-environment';
import { describeCause } from '../host/fault-error';
import { ProcessTable, RunningProcess } from '../host/process-table';
import { isInside } from '../host/paths';
import { TheiaRelease } from '../host/theia-release';
import { DisconnectedCli, DisconnectedClis } from '../agents/disconnected-clis';
import { CliServer, SharedPlace } from '../server/cli-server';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { Program, TerminalFacts, TerminalReader } from './terminal-facts';

/** A window, as far as the doctor must know it. */
export interface DoctorWindow {
    /** `companion.enabled` in this window. */
    readonly enabled: boolean;
    readonly preferences: BackendPreferences;
    readonly server: SharedPlace | undefined;
    /** What CLIs connect to that have one server for all windows. */
    readonly sharedServers: readonly CliServer[];
    /** Real paths of the open folders. */
    readonly roots: readonly string[];
    /** The ports of all servers of this backend. */
    readonly ports: ReadonlySet<number>;
    /** The ports of the servers that this window serves: its own, and those of windows that went before it. */
    readonly servedPorts: ReadonlySet<number>;
    /** Processes that are connected to what this window serves, by the ids of their CLIs. */
    readonly connected: ReadonlyArray<{ readonly cliId: string; readonly pid: number; readonly since: number }>;
}

/** How long the files may take that a CLI reads, and its program. */
const LIMIT_MS = 20_000;

/** How long a server may take to answer. It is on this machine. */
const ANSWER_LIMIT_MS = 5_000;

/** One CLI in one terminal, and all that was read of it. */
interface Examination {
    readonly cli: SupportedCli;
    readonly host: HostEnvironment;
    /** With what this CLI connects to. */
    readonly window: DoctorWindow;
    readonly terminal: TerminalFacts;
    /** The folders into which the companion publishes for this CLI. */
    readonly published: readonly string[];
    /** Where the CLI looks, and whether that is one of them. */
    readonly folder: string;
    readonly looksThere: boolean;
    readonly folderFault: Fault | undefined;
    /** Files that are for the CLI's working folder, and others. */
    readonly matching: readonly FoundFile[];
    readonly others: readonly FoundFile[];
    /** The file that the CLI takes, or else one that this window has published for another folder. */
    readonly file: FoundFile | undefined;
    /** When the CLI in the terminal connected to this window; if none runs there, when another one of its kind did. */
    readonly connectedSince: number | undefined;
    /** The CLI's working folder is in a repository, or a worktree of one, that holds none of the open folders. */
    readonly isElsewhere: boolean;
    readonly configuration: CliConfiguration | undefined;
    /** Runs on in this window's folders without a server. */
    readonly outlived: DisconnectedCli | undefined;
    readonly program: Program | undefined;
    /** Whether the server listens, or why it does not. */
    readonly answer: 'listens' | Error | undefined;
}

/** Finds out what each CLI would do in a terminal, step by step, as the CLI does it. Reads, and changes nothing. */
@injectable()
export class Doctor {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;
    @inject(ProcessTable)
    protected readonly processes: ProcessTable;
    @inject(TerminalEnvironment)
    protected readonly terminals: TerminalEnvironment;
    @inject(DisconnectedClis)
    protected readonly disconnectedClis: DisconnectedClis;
    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;
    @inject(DiscoveryFiles)
    protected readonly files: DiscoveryFiles;
    @inject(TheiaRelease)
    protected readonly theia: TheiaRelease;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    protected get reader(): TerminalReader {
        return new TerminalReader(this.processes, this.clis, this.host.uid);
    }

    /** Never rejects. @param pid of the terminal's shell, if one is selected */
    async diagnose(window: DoctorWindow, pid: number | undefined): Promise<Diagnosis> {
        const shell = pid === undefined ? undefined : await this.processes.details(pid);
        const clis: CliDiagnosis[] = [];
        for (const cli of this.clis.all) {
            clis.push(await this.diagnoseCli(cli, window, shell));
        }
        const { untried } = this.theia;
        const reader = shell && (await this.processes.foregroundOf(shell.pid));
        // Where the system does not say who reads the keys, a CLI that runs there does.
        const runsProgram = reader ? reader.pid !== shell.pid : clis.some(({ runsHere }) => runsHere);
        return {
            ...(shell && { terminal: { shell: shell.pid, folder: shell.folder, ...(runsProgram && { runsProgram: true as const }) } }),
            ...(untried && { untriedTheia: untried }),
            clis: clis.sort((one, other) => Number(other.runsHere ?? false) - Number(one.runsHere ?? false))
        };
    }

    protected async diagnoseCli(cli: SupportedCli, window: DoctorWindow, shell?: RunningProcess): Promise<CliDiagnosis> {
        const { id: cliId, displayName } = cli;
        const quoted = !isOfClaude(cli);
        const unknown: DiagnosisStep[] = [];
        const attempt = <T>(what: string, call: Promise<T>): Promise<T | undefined> =>
            withTimeLimit(call, LIMIT_MS, 'no answer').catch(error => {
                unknown.push({ id: 'step.failed', verdict: 'unknown', values: { what, cause: describeCause(error) } });
                return undefined;
            });
        // In a queue of its own, so that a file system that does not answer holds up nobody else.
        const read = await attempt(
            'files',
            this.fileAccess.run('doctor', () => this.read(cli, window, shell), LIMIT_MS)
        );
        if (!read) {
            return { cliId, displayName, quoted, steps: unknown };
        }
        const program = await attempt('program', this.reader.findProgram(cli.command, read.terminal));
        const answer = await attempt('server', this.connectTo(read.file));
        const { connectedSince, terminal } = read;
        const steps = [...stepsOf({ ...read, program, answer }), ...unknown];
        return {
            cliId,
            displayName,
            quoted,
            ...(terminal.pids.length > 0 && { runsHere: true }),
            ...(connectedSince !== undefined && { connectedSince }),
            steps
        };
    }

    protected async read(
        cli: SupportedCli,
        window: DoctorWindow,
        shell?: RunningProcess
    ): Promise<Omit<Examination, 'program' | 'answer'>> {
        const { host } = this;
        const terminal = shell ? await this.reader.read(shell, cli) : this.newTerminal(window);
        const shared = window.sharedServers.find(candidate => candidate.serves(cli));
        const server = shared ? window.server && shared.server : window.server;
        const servedPorts = isOfClaude(cli) ? new Set(server && [server.port]) : window.servedPorts;
        const files = server ? await this.filesOf(cli, server).catch(() => []) : [];
        const folders = files.map(location => new SecureFolder(location.folder, host));
        const published = [...new Set(folders.map(({ path }) => path))];
        const folder = (await cli.discoveryFolder?.(terminal)) ?? published[0] ?? '';
        const names = new Set(files.map(({ name }) => name));
        const patterns = await cli.staleFilePatterns();
        const isMeant = (name: string): boolean => names.has(name) || patterns.some(pattern => pattern.name.test(name));
        const found = await this.files.find(folder, isMeant);
        const matching = found.filter(file => (cli.lockOf ? file.roots.includes(terminal.folder) : isFor(file, terminal.folder)));
        const others = found.filter(file => !matching.includes(file));
        const named = matching.find(({ port }) => cli.portVariable && String(port) === terminal.variables[cli.portVariable]);
        const connected = window.connected.filter(({ cliId }) => cliId === cli.id);
        const disconnected = await this.disconnectedClis.find(window.ports);
        // The CLIs follow links to their folders.
        const real = (name: string): Promise<string> => fs.realpath(name).catch(() => name);
        const checkout = await checkoutOf(terminal.folder);
        const checkouts = checkout === undefined ? [] : await Promise.all(window.roots.map(checkoutOf));
        return {
            cli,
            host,
            window: { ...window, server, servedPorts },
            terminal,
            published,
            folder,
            looksThere: (await Promise.all(published.map(real))).includes(await real(folder)),
            folderFault: await folders.find(({ path }) => path === folder)?.findFault(),
            matching,
            others,
            file: named ?? matching[0] ?? others.find(other => isServed(other, server, servedPorts)),
            connectedSince: connected.find(({ pid }) => terminal.pids.length === 0 || terminal.pids.includes(pid))?.since,
            isElsewhere: checkout !== undefined && !checkouts.includes(checkout),
            configuration: await cli.configuration?.(terminal),
            outlived: disconnected.find(
                ({ cliId, livePort, folder: at }) =>
                    cliId === cli.id && livePort === undefined && window.roots.some(root => isInside(root, at))
            )
        };
    }

    /** Connects as the CLI does, and sends nothing. @returns why that fails */
    protected async connectTo(file: FoundFile | undefined): Promise<Examination['answer']> {
        if (!file) {
            return undefined;
        }
        const { port, socketPath } = file;
        const socket = socketPath === undefined ? connect({ host: '127.0.0.1', port }) : connect({ path: socketPath });
        try {
            return await withTimeLimit(
                new Promise<Examination['answer']>(resolve => {
                    socket.once('connect', () => resolve('listens'));
                    socket.once('error', resolve);
                }),
                ANSWER_LIMIT_MS,
                'no answer'
            ).catch((error: Error) => error);
        } finally {
            socket.destroy();
        }
    }

    /** The files by which a CLI finds the server, without their secrets. */
    protected async filesOf(cli: SupportedCli, { port, roots, socketPath = '' }: SharedPlace): Promise<DiscoveryFile[]> {
        const { identity } = this;
        const lock = { id: '', socketPath, token: '', isTrusted: false, since: 0, identity };
        return cli.lockOf
            ? roots.flatMap(folder => cli.lockOf?.({ ...lock, folder }) ?? [])
            : cli.discoveryFiles({ port, roots, token: '', identity });
    }

    /** Describes a terminal that is opened now. */
    protected newTerminal({ server, roots, preferences }: DoctorWindow): TerminalFacts {
        const added = server ? this.terminals.variables(server, {}, preferences) : this.terminals.variablesWithoutServer({});
        return {
            variables: { ...this.host.variables, ...added },
            folder: roots[0] ?? this.host.homeFolder,
            command: [],
            pids: [],
            owner: { program: this.identity.displayName, pid: this.host.pid }
        };
    }
}

/** These CLIs have one server, whichever the window. */
function isOfClaude({ clientName }: SupportedCli): boolean {
    return clientName !== undefined;
}

function addressOf({ port, socketPath }: Pick<SharedPlace, 'port' | 'socketPath'>): string {
    return socketPath ?? `127.0.0.1:${port}`;
}

/** The innermost folder around it that Git takes for a working tree. */
async function checkoutOf(folder: string): Promise<string | undefined> {
    const hasGit = await fs.lstat(path.join(folder, '.git')).then(
        () => true,
        () => false
    );
    const parent = path.dirname(folder);
    return hasGit ? folder : parent === folder ? undefined : checkoutOf(parent);
}

function isServed({ port, socketPath }: FoundFile, server: SharedPlace | undefined, ports: ReadonlySet<number>): boolean {
    return socketPath === undefined ? ports.has(port) : socketPath === server?.socketPath;
}

/** Judges what was found, in the order in which a CLI comes to it. What is behind a connected one does not matter any more. */
function stepsOf(examination: Examination): DiagnosisStep[] {
    const { window, connectedSince } = examination;
    if (!window.server) {
        return [problem(window.enabled ? 'companion.failed' : 'companion.off')];
    }
    const steps =
        connectedSince === undefined
            ? [program, environment, folder, file, workspace, host, handshake, ideMode, approval, trust, session]
            : [session, approval];
    const found = steps.flatMap(step => step(examination) ?? []);
    const hasReason = found.some(({ verdict, id }) => verdict === 'failure' && id !== 'session.missing');
    // To connect it by hand does not help before the reason is gone.
    const shown = found.map(step => (hasReason && step.id === 'session.missing' ? ok('session', step.values?.['pid'] ?? '') : step));
    return [ok('companion', addressOf(window.server)), ...shown];
}

type Step = DiagnosisStep | undefined;

function program({ cli: { command, minimumVersion: minimum, install }, program: found, terminal }: Examination): Step {
    if (!found) {
        return undefined;
    }
    const { path, version } = found;
    if (path === undefined) {
        const searched = terminal.variables['PATH'] ?? '';
        const { program: owner, pid } = terminal.owner;
        return problem('program.missing', { command, searched, program: owner, pid: String(pid) }, { command: install });
    }
    return version !== undefined && minimum !== undefined && version.localeCompare(minimum, 'en', { numeric: true }) < 0
        ? problem('program.tooOld', { path, version, minimum }, { command: install && `${install}@latest` })
        : ok('program', path, version ?? '');
}

function environment({ terminal: { variables }, host: own, folder: at, published, looksThere }: Examination): Step {
    const tmpdir = temporaryFolderOf(variables);
    const home = homeFolderOf(variables, own);
    if (published.length === 0 || looksThere) {
        return ok('environment', `TMPDIR ${tmpdir}, HOME ${home}`);
    }
    const isBelowTmpdir = tmpdir !== own.temporaryFolder && isInside(tmpdir, at);
    const [variable, value] = isBelowTmpdir ? ['TMPDIR', own.temporaryFolder] : ['HOME', own.homeFolder];
    const values = { folder: at, ideFolders: published.join(', '), variable };
    return problem('environment.elsewhere', values, { command: `export ${variable}=${quoted(value)}` });
}

function folder({ folder: at, folderFault: fault }: Examination): Step {
    return fault ? problem('folder.refused', {}, { fault, command: 'command' in fault ? fault.command : undefined }) : ok('folder', at);
}

function file({ cli, folder: at, matching, others, window, file: found }: Examination): Step {
    if (isOfClaude(cli) && matching.length > 1) {
        return problem('file.ambiguous', { paths: matching.map(({ path }) => path).join(', ') }, { command: cli.connectCommand });
    }
    if (!found) {
        return problem('file.missing', { folder: at, others: String(others.length) });
    }
    const { path } = found;
    return isServed(found, window.server, window.servedPorts)
        ? ok('file', path)
        : problem('file.foreign', { path, address: addressOf(found), windowAddress: window.server ? addressOf(window.server) : '–' });
}

function workspace({ cli, file: found, matching, isElsewhere, window: { roots }, terminal: { folder: at } }: Examination): Step {
    const above = roots.find(open => isInside(open, at));
    const isBelow = cli.lockOf && matching.length === 0 && above !== undefined;
    if (!isBelow && roots.length > 0 && ((found && isFor(found, at)) || above !== undefined)) {
        return ok('workspace', at);
    }
    const values = { folder: at, roots: roots.join(', ') || '–' };
    if (isElsewhere) {
        // The same names, and other files: no `cd` leads there.
        return problem('workspace.checkout', values);
    }
    const [root] = isBelow ? [above] : roots;
    return problem(isBelow ? 'workspace.below' : 'workspace.outside', { ...values, root }, { command: root && `cd ${quoted(root)}` });
}

function host({ cli, terminal }: Examination): Step {
    const marker = cli.containerMarker?.(terminal.variables);
    return marker !== undefined
        ? problem('host.container', { marker }, { command: 'export REMOTE_CONTAINERS=true' })
        : ok('host', '127.0.0.1');
}

function handshake({ answer, file: found }: Examination): Step {
    if (!found || answer === undefined) {
        return undefined;
    }
    const { path } = found;
    return answer instanceof Error
        ? problem('handshake.failed', { address: addressOf(found), path, cause: describeCause(answer) })
        : ok('handshake', addressOf(found));
}

function ideMode({ cli, configuration }: Examination): Step {
    const { on, file: decidedIn } = configuration?.ideMode ?? {};
    if (decidedIn === undefined) {
        return undefined;
    }
    return on
        ? ok('ideMode', decidedIn)
        : problem(cli.lockOf ? 'ideMode.manual' : 'ideMode.off', { file: decidedIn }, { command: cli.connectCommand });
}

function approval({ configuration }: Examination): Step {
    if (!configuration) {
        return undefined;
    }
    const { name: mode, asks } = configuration.approval;
    return asks ? ok('approval', mode) : problem('approval.silent', { mode }, { command: configuration.askingCommand });
}

function trust({ cli, configuration, terminal: { folder: at } }: Examination): Step {
    if (!configuration) {
        return undefined;
    }
    return configuration.trusted ? ok('trust', at) : problem('trust.missing', { folder: at }, { command: cli.trustCommand });
}

function session({ cli, terminal: { pids, folder: at }, outlived, connectedSince }: Examination): Step {
    const [running] = pids;
    if (connectedSince !== undefined) {
        return ok('session', running === undefined ? '' : String(running));
    }
    const found = running === undefined ? outlived : { pid: running, folder: at };
    return found && problem('session.missing', { pid: String(found.pid), folder: found.folder }, { command: cli.connectCommand });
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
