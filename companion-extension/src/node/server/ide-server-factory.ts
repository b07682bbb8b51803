// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewTraits, StartableCli } from '../../common/companion-protocol';
import { DiscoveryFilesFactory } from '../discovery/discovery-files-factory';
import { SupportedCli } from '../discovery/supported-cli';
import { CheckedRoots, checkRoots } from '../discovery/workspace-path';
import { DEFAULT_SESSION_TIMINGS } from '../mcp/mcp-session';
import { OneAtATime } from '../one-at-a-time';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { IdeServer, ReviewPresenter } from './ide-server';

export const IdeServerFactory = Symbol('IdeServerFactory');
/** Makes servers, and knows the CLIs that they serve. */
export interface IdeServerFactory {
    /** @param reviewsOffered what the window's `companion.review.open` says now */
    start(presenter: ReviewPresenter, reviewsOffered: () => boolean): Promise<IdeServer>;
    /** A CLI's name for people. */
    cliName(cliId: string): string;
    /** What a CLI does with proposals where CLIs differ. */
    reviewTraits(cliId: string): ReviewTraits;
    /**
     * @param roots absolute real paths
     * @returns the roots that the CLIs can be told, and what is left out
     */
    checkRoots(roots: readonly string[]): CheckedRoots;
    readonly startable: readonly StartableCli[];
    /** Makes what new terminals need. Never rejects, and ends soon. */
    prepareTerminals(): Promise<void>;
}

/** Makes servers for the CLIs that are contributed. */
@injectable()
export class DefaultIdeServerFactory implements IdeServerFactory {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(DiscoveryFilesFactory)
    protected readonly files: DiscoveryFilesFactory;

    @inject(TerminalEnvironment)
    protected readonly terminals: TerminalEnvironment;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;

    @inject(ILogger)
    @named('companion:IdeServer')
    protected readonly logger: ILogger;

    start(presenter: ReviewPresenter, reviewsOffered: () => boolean): Promise<IdeServer> {
        return IdeServer.start({
            cliIds: this.clis.getContributions().map(cli => cli.id),
            files: this.files.create(),
            presenter,
            reviewsOffered,
            outsideWorkspace: () => this.preferences['companion.review.outsideWorkspace'],
            timings: DEFAULT_SESSION_TIMINGS,
            tasks: this.tasks,
            logger: this.logger
        });
    }

    get startable(): readonly StartableCli[] {
        return this.clis.getContributions().map(({ id, displayName, command }) => ({ id, displayName, command }));
    }

    prepareTerminals(): Promise<void> {
        return this.terminals.prepare();
    }

    checkRoots(roots: readonly string[]): CheckedRoots {
        return checkRoots(roots);
    }

    cliName(cliId: string): string {
        return this.cli(cliId)?.displayName ?? cliId;
    }

    reviewTraits(cliId: string): ReviewTraits {
        return this.cli(cliId)?.reviewTraits ?? {};
    }

    protected cli(id: string): SupportedCli | undefined {
        return this.clis.getContributions().find(cli => cli.id === id);
    }
}
