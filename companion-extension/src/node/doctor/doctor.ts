// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named, optional } from '@theia/core/shared/inversify';
import { CliDiagnosis, Diagnosis, DiagnosisStep } from '../../common/diagnosis';
import { CliTerminal } from '../discovery/cli-terminal';
import { Lookup, readFoundFile } from '../discovery/found-files';
import { IdeIdentity } from '../discovery/ide-identity';
import { folderPath } from '../discovery/secure-folder';
import { DiscoveryFile, SupportedCli } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { OneAtATime } from '../host/one-at-a-time';
import { describeCause } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { StrandedClis } from '../terminal/stranded-clis';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { CHECKS } from './checks';
import { DoctorWindow, Examination } from './examination';
import { computeIdePid, readTerminal, TerminalFacts } from './terminal-facts';

/** How long all that is read before the first check may take, and each check, in milliseconds. */
const LIMIT = 20_000;

/** Finds out what each CLI would do in a terminal, step by step, as the CLI does it. Reads, and changes nothing. */
@injectable()
export class Doctor {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(TerminalEnvironment)
    protected readonly terminals: TerminalEnvironment;

    @inject(StrandedClis)
    @optional()
    protected readonly strandedClis: StrandedClis | undefined;

    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    /** Never rejects. @param shell the process id of the terminal's shell, if one is selected */
    async diagnose(window: DoctorWindow, shell: number | undefined): Promise<Diagnosis> {
        const known = shell === undefined ? undefined : await this.processes.details(shell);
        const clis: CliDiagnosis[] = [];
        for (const cli of this.clis.getContributions()) {
            clis.push(await this.diagnoseCli(cli, window, known?.pid));
        }
        return known ? { terminal: { shell: known.pid, folder: known.folder }, clis } : { clis };
    }

    protected async diagnoseCli(cli: SupportedCli, window: DoctorWindow, shell?: number): Promise<CliDiagnosis> {
        const { id: cliId, displayName, command } = cli;
        try {
            const examination = await this.inTime(() => this.examine(cli, window, shell));
            const steps: DiagnosisStep[] = [];
            for (const check of CHECKS) {
                const step = await this.inTime(() => check(examination)).catch(error => failed(check.name, error));
                steps.push(...(step ? [step] : []));
            }
            return { cliId, displayName, command, steps };
        } catch (error) {
            return { cliId, displayName, command, steps: [failed('', error)] };
        }
    }

    /** In a queue of its own, so that a file system that does not answer holds up nobody else. */
    protected inTime<T>(task: () => Promise<T>): Promise<T> {
        return this.tasks.run('doctor', task, LIMIT);
    }

    protected async examine(cli: SupportedCli, window: DoctorWindow, shell?: number): Promise<Examination> {
        const { host } = this;
        const shellFacts = shell === undefined ? undefined : await readTerminal(this.processes, host.uid, shell, cli);
        const terminal = shellFacts ?? this.newTerminal(window);
        const cliTerminal: CliTerminal = { ...terminal, command: terminal.cli[0]?.command ?? [] };
        const idePid = computeIdePid(terminal.chain);
        const published = await this.published(cli, window);
        return {
            cli,
            host,
            window,
            terminal,
            idePid,
            published,
            lookup: await (cli.lookup?.(cliTerminal, idePid?.pid) ?? this.lookAmong(published, terminal.folder)),
            configuration: await cli.configuration?.(cliTerminal),
            stranded: ((await this.strandedClis?.find(window.ports)) ?? []).filter(
                ({ cliId, livePort }) => cliId === cli.id && livePort === undefined
            )
        };
    }

    /** What a terminal has that is opened now. */
    protected newTerminal({ server, roots }: DoctorWindow): TerminalFacts {
        const added = server ? this.terminals.variables(server, {}) : this.terminals.variablesWithoutServer({});
        return {
            source: 'new',
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

    /** @param published the files of which a CLI takes the first one for its working folder */
    protected async lookAmong(published: readonly DiscoveryFile[], workingFolder: string): Promise<Lookup> {
        const paths = published.map(({ folder, name }) => path.join(folderPath(folder), name));
        const files = (await Promise.all(paths.map(file => readFoundFile(file, workingFolder)))).filter(file => file !== undefined);
        return {
            folder: published[0] ? folderPath(published[0].folder) : '',
            found: files.find(({ matches }) => matches),
            mismatched: files.filter(({ matches }) => !matches)
        };
    }
}

function failed(check: string, error: unknown): DiagnosisStep {
    return { code: 'step.failed', verdict: 'unknown', args: { check, reason: describeCause(error) } };
}
