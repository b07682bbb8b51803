// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as http from 'http';
import { inject, injectable, optional } from '@theia/core/shared/inversify';
import { CliDiagnosis, Diagnosis, DiagnosisStep } from '../../common/diagnosis';
import { withTimeLimit } from '../../common/time-limit';
import { ClaudeFamily } from '../discovery/claude-family';
import { CliTerminal } from '../discovery/cli-terminal';
import { isFor, readFoundFiles } from '../discovery/found-files';
import { IdeIdentity } from '../discovery/ide-identity';
import { SecureFolder } from '../discovery/secure-folder';
import { DiscoveryFile, SupportedCli, SupportedClis } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { FileAccessQueues } from '../host/file-access-queues';
import { describeCause } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { MCP_PATH } from '../mcp/http-gate';
import { DisconnectedClis } from '../terminal/disconnected-clis';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { DoctorWindow, Examination, stepsOf } from './steps';
import { TerminalFacts, TerminalReader } from './terminal-facts';

/** How long the files may take that a CLI reads, and its program, in milliseconds. */
const LIMIT = 20_000;

/** How long a server may take to answer, in milliseconds. It is on this machine. */
const ANSWER_LIMIT = 5_000;

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
    @optional()
    protected readonly disconnectedClis: DisconnectedClis | undefined;

    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;

    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;

    protected get reader(): TerminalReader {
        return new TerminalReader(this.processes, this.clis, this.host.uid);
    }

    /** Never rejects. @param shell the process id of the terminal's shell, if one is selected */
    async diagnose(window: DoctorWindow, shell: number | undefined): Promise<Diagnosis> {
        const known = shell === undefined ? undefined : await this.processes.details(shell);
        const clis: CliDiagnosis[] = [];
        for (const cli of this.clis.all) {
            clis.push(await this.diagnoseCli(cli, window, known?.pid));
        }
        return known ? { terminal: { shell: known.pid, folder: known.folder }, clis } : { clis };
    }

    protected async diagnoseCli(cli: SupportedCli, window: DoctorWindow, shell?: number): Promise<CliDiagnosis> {
        const { id: cliId, displayName } = cli;
        const unknown: DiagnosisStep[] = [];
        const attempt = <T>(what: string, call: Promise<T>): Promise<T | undefined> =>
            withTimeLimit(call, LIMIT, 'no answer').catch(error => {
                unknown.push({ id: 'step.failed', verdict: 'unknown', values: { what, cause: describeCause(error) } });
                return undefined;
            });
        // In a queue of its own, so that a file system that does not answer holds up nobody else.
        const read = await attempt(
            'files',
            this.tasks.run('doctor', () => this.read(cli, window, shell), LIMIT)
        );
        if (!read) {
            return { cliId, displayName, steps: unknown };
        }
        const examination: Examination = {
            ...read,
            program: await attempt('program', this.reader.findProgram(cli.command, read.terminal)),
            answer: await attempt('server', this.ask(read))
        };
        const { connectedSince } = read;
        const steps = [...stepsOf(examination), ...unknown];
        return { cliId, displayName, steps, ...(connectedSince !== undefined && { connectedSince }) };
    }

    protected async read(cli: SupportedCli, ofWindow: DoctorWindow, shell?: number): Promise<Omit<Examination, 'program' | 'answer'>> {
        const { host } = this;
        const window = cli.family ? forFamily(ofWindow, cli.family) : ofWindow;
        const terminal = (shell === undefined ? undefined : await this.reader.read(shell, cli)) ?? this.newTerminal(ofWindow);
        const pids = new Set(terminal.cli.map(({ pid }) => pid));
        const cliTerminal: CliTerminal = { ...terminal, command: terminal.cli[0]?.command ?? [] };
        const files = await this.published(cli, window);
        const folders = files.map(location => new SecureFolder(location.folder, host));
        const published = [...new Set(folders.map(({ path }) => path))];
        const folder = (await cli.discoveryFolder?.(cliTerminal)) ?? published[0] ?? '';
        const names = new Set(files.map(({ name }) => name));
        const patterns = await cli.staleFilePatterns();
        const isMeant = (name: string): boolean => names.has(name) || patterns.some(pattern => pattern.name.test(name));
        const found = await readFoundFiles(folder, isMeant, host.uid);
        const matching = found.filter(file => isFor(file, terminal.folder));
        const others = found.filter(file => !matching.includes(file));
        const named = matching.find(({ port }) => cli.portVariable && String(port) === terminal.variables[cli.portVariable]);
        // The CLIs follow links to their folders.
        const real = (name: string): Promise<string> => fs.realpath(name).catch(() => name);
        return {
            cli,
            host,
            window,
            terminal,
            folder,
            file: named ?? matching[0] ?? others.find(({ port }) => window.servedPorts.has(port)),
            matching,
            others,
            connectedSince: window.connected.find(({ cliId, pid }) => cliId === cli.id && (pids.size === 0 || pids.has(pid)))?.since,
            published,
            looksThere: (await Promise.all(published.map(real))).includes(await real(folder)),
            folderExists: (await fs.stat(folder).catch(() => undefined)) !== undefined,
            folderFault: await folders.find(({ path }) => path === folder)?.findFault(),
            configuration: await cli.configuration?.(cliTerminal),
            disconnected: ((await this.disconnectedClis?.find(window.ports)) ?? []).filter(
                ({ cliId, livePort }) => cliId === cli.id && livePort === undefined
            )
        };
    }

    /** Asks as the CLI does, with what it found, but begins no session. */
    protected ask({ cli, file }: Pick<Examination, 'cli' | 'file'>): Promise<Examination['answer']> {
        if (!file) {
            return Promise.resolve(undefined);
        }
        const { port, token } = file;
        const headers = cli.family ? { [cli.family.tokenHeader]: token } : { Authorization: `Bearer ${token}` };
        // Also of a server that goes on sending without an end.
        const signal = AbortSignal.timeout(ANSWER_LIMIT);
        return new Promise(resolve => {
            http.get({ host: '127.0.0.1', port, path: cli.family ? '/' : MCP_PATH, headers, signal }, response => {
                response.destroy();
                resolve(response.statusCode);
            }).on('error', error => resolve(signal.aborted ? new Error('no answer') : error));
        });
    }

    /** What a terminal has that is opened now. */
    protected newTerminal({ server, roots }: DoctorWindow): TerminalFacts {
        const added = server ? this.terminals.variables(server, {}) : this.terminals.variablesWithoutServer({});
        return {
            variables: { ...this.host.variables, ...added },
            folder: roots[0] ?? this.host.homeFolder,
            cli: [],
            chain: []
        };
    }

    protected async published(cli: SupportedCli, { server }: DoctorWindow): Promise<DiscoveryFile[]> {
        if (!server) {
            return [];
        }
        const { port, roots } = server;
        return cli.discoveryFiles({ port, roots, token: '', identity: this.identity }).catch(() => []);
    }
}

/** The same with the server that CLIs of this family connect to, whichever the window. */
function forFamily(window: DoctorWindow, family: ClaudeFamily): DoctorWindow {
    const server = window.server && window.familyServer(family);
    return { ...window, server, servedPorts: new Set(server && [server.port]) };
}
