// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { connect } from 'net';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../discovery/host-environment';
import { SupportedCli } from '../discovery/supported-cli';
import { parseProcessStat } from '../process-stat';

/** A CLI that runs on although its server is gone: its shell outlived a backend (tmux, nohup), or the companion was switched off. */
export interface StrandedCli {
    readonly cliId: string;
    readonly pid: number;
    /** Its working folder, a real path. */
    readonly folder: string;
}

interface RunningCli extends StrandedCli {
    readonly parent: number;
    readonly port: number;
}

/** A user has fewer processes; what is beyond goes without a hint. */
const MAX_PROCESSES = 5000;
/** Of a command line: the interpreter and its script. Deeper arguments are what a person typed. */
const LOOKED_AT_ARGUMENTS = 3;
/** How long a port may take to answer, in milliseconds. */
const PORT_WAIT = 500;

/**
 * Looks for {@link StrandedCli}s among the user's own processes, by the port in their environment. Linux only: nothing but comfort
 * depends on it.
 */
@injectable()
export class StrandedClis {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    protected readonly procFolder: string = '/proc';

    /**
     * Never rejects.
     *
     * @param livePorts of this backend's servers
     */
    async find(livePorts: ReadonlySet<number>): Promise<StrandedCli[]> {
        if (this.host.platform !== 'linux') {
            return [];
        }
        const names = await fs.readdir(this.procFolder).catch(() => []);
        const pids = names.filter(name => /^\d+$/.test(name)).slice(-MAX_PROCESSES);
        const found: RunningCli[] = [];
        for (const pid of pids) {
            const cli = await this.describe(Number(pid)).catch(() => undefined);
            if (cli && !livePorts.has(cli.port)) {
                found.push(cli);
            }
        }
        // Both CLIs start themselves a second time: the one below connects.
        const parents = new Set(found.map(({ parent }) => parent));
        const innermost = found.filter(({ pid }) => !parents.has(pid));
        const dead = await Promise.all(innermost.map(async ({ port }) => !(await isListening(port))));
        return innermost.filter((_, index) => dead[index]).map(({ cliId, pid, folder }) => ({ cliId, pid, folder }));
    }

    protected async describe(pid: number): Promise<RunningCli | undefined> {
        const folder = `${this.procFolder}/${pid}`;
        if (this.host.uid !== undefined && (await fs.stat(folder)).uid !== this.host.uid) {
            return undefined;
        }
        const command = (await fs.readFile(`${folder}/cmdline`, 'utf8')).split('\0').slice(0, LOOKED_AT_ARGUMENTS);
        const cli = this.clis.getContributions().find(candidate => command.some(argument => names(argument, candidate.command)));
        if (!cli) {
            return undefined;
        }
        const port = portIn(await fs.readFile(`${folder}/environ`, 'utf8'), cli);
        if (port === undefined) {
            return undefined;
        }
        const stat = parseProcessStat(await fs.readFile(`${folder}/stat`, 'utf8'));
        return stat && { cliId: cli.id, pid, folder: await fs.readlink(`${folder}/cwd`), parent: stat.parent, port };
    }
}

/** Whether an argument is this command, or the script of a package of that name. */
function names(argument: string, command: string): boolean {
    const isScript = (segment: string): boolean => segment.startsWith(command) && /^[-.]/.test(segment.slice(command.length));
    return argument.split('/').some(segment => segment === command || isScript(segment));
}

/** The server's port as {@link SupportedCli.terminalVariables} told it to the shell. */
function portIn(environment: string, cli: SupportedCli): number | undefined {
    const anyPort = 65535;
    const variables = Object.entries(cli.terminalVariables({ port: anyPort, roots: [] }));
    const name = variables.find(([, value]) => value === String(anyPort))?.[0];
    const line = environment.split('\0').find(variable => name !== undefined && variable.startsWith(`${name}=`));
    const port = Number(line?.slice((name?.length ?? 0) + 1));
    return Number.isInteger(port) && port > 0 && port <= anyPort ? port : undefined;
}

function isListening(port: number): Promise<boolean> {
    return new Promise(resolve => {
        const socket = connect({ port, host: '127.0.0.1', timeout: PORT_WAIT });
        const settle = (listening: boolean): void => {
            socket.destroy();
            resolve(listening);
        };
        socket.once('connect', () => settle(true));
        // Nobody answers within the time: a firewall, so nothing is known.
        socket.once('timeout', () => settle(true));
        socket.once('error', () => settle(false));
    });
}
