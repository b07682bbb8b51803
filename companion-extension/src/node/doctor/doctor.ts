// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named, optional } from '@theia/core/shared/inversify';
import { CliDiagnosis, Diagnosis, DiagnosisStep } from '../../common/diagnosis';
import { IdeIdentity } from '../discovery/ide-identity';
import { DiscoveryFile, SupportedCli } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { answerWithin, OneAtATime } from '../host/one-at-a-time';
import { describeCause } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { StrandedClis } from '../terminal/stranded-clis';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { CHECKS } from './checks';
import { CliProfile } from './cli-profile';
import { CliSettings } from './cli-settings';
import { DoctorWindow, Examination } from './examination';
import { GeminiProfile } from './gemini-profile';
import { QwenProfile } from './qwen-profile';
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

    /** How the CLIs behave. One that an application contributes has no profile and is left out. */
    protected readonly profiles: readonly CliProfile[] = [new QwenProfile(), new GeminiProfile()];

    /** Never rejects. @param shell the process id of the terminal's shell, if one is selected */
    async diagnose(window: DoctorWindow, shell: number | undefined): Promise<Diagnosis> {
        const known = shell === undefined ? undefined : await this.processes.details(shell);
        const clis: CliDiagnosis[] = [];
        for (const cli of this.clis.getContributions()) {
            const profile = this.profiles.find(({ cliId }) => cliId === cli.id);
            if (profile) {
                clis.push(await this.diagnoseCli(cli, profile, window, known?.pid));
            }
        }
        return known ? { terminal: { shell: known.pid, folder: known.folder }, clis } : { clis };
    }

    protected async diagnoseCli(cli: SupportedCli, profile: CliProfile, window: DoctorWindow, shell?: number): Promise<CliDiagnosis> {
        const { id: cliId, displayName, command } = cli;
        try {
            const examination = await this.inTime(() => this.examine(cli, profile, window, shell));
            const steps: DiagnosisStep[] = [];
            for (const check of CHECKS) {
                steps.push(await this.inTime(() => check(examination)).catch(error => failed(check.name, error)));
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

    protected async examine(cli: SupportedCli, profile: CliProfile, window: DoctorWindow, shell?: number): Promise<Examination> {
        const { host } = this;
        const shellFacts = shell === undefined ? undefined : await readTerminal(this.processes, host.uid, shell, cli.command);
        const terminal = shellFacts ?? this.newTerminal(window);
        const { variables, folder } = terminal;
        const walked = computeIdePid(terminal.chain);
        const given = Number(profile.pidVariable && variables[profile.pidVariable]) || undefined;
        const settings = await CliSettings.read(await profile.settingsFiles(variables, host, folder));
        return {
            cli,
            profile,
            host,
            window,
            terminal,
            idePid: walked,
            lookup: await profile.find({ terminal, host, idePid: given ?? walked?.pid }),
            published: await this.published(cli, window),
            settings,
            trusted: await profile.trust(settings, variables, host, folder),
            stranded: ((await this.strandedClis?.find(window.ports)) ?? []).filter(({ cliId }) => cliId === cli.id),
            ideModeChange: await answerWithin(LIMIT, Promise.resolve(cli.ideModeOffer?.()))
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
}

function failed(check: string, error: unknown): DiagnosisStep {
    return { code: 'step.failed', verdict: 'unknown', args: { check, reason: describeCause(error) } };
}
