// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { CliConnection, PolicyState } from '../../common/companion-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { SupportedClis } from '../discovery/supported-clis';
import { Policy } from '../host/policy';
import { Problems } from '../host/problems';
import { AutoApprovingClis } from '../terminal/auto-approving-clis';
import { CliNames } from './cli-names';
import { Window } from './window';
import { WindowFeature, WindowStatePart } from './window-feature';
import { Windows } from './windows';

/** The CLIs that are connected to a window, those that can be started in it, what keeps them from connecting, and the policy about them. */
@injectable()
export class ConnectedClis implements WindowFeature {
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(AutoApprovingClis)
    protected readonly autoApprovingClis: AutoApprovingClis;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(Policy)
    protected readonly policy: Policy;
    @inject(ContributionGuard)
    protected readonly guard: ContributionGuard;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.problems.onDidChange(() => this.onDidChangeEmitter.fire());
        this.autoApprovingClis.onDidFind(() => this.onDidChangeEmitter.fire());
    }

    stateOf(window: Window): WindowStatePart {
        // Parts that could not be made. The log has them already, each with its cause.
        const failures = this.guard.failures.map((cause): CompanionProblem => ({ code: 'part-failed', cause }));
        return {
            status: {
                problems: window.enabled ? [...failures, ...this.problems.of(window.id)] : [],
                clis: this.clis.startable(window.preferences),
                connections: this.connectionsOf(window)
            },
            ...(this.policy.isSet && { policy: this.policyState })
        };
    }

    protected get policyState(): PolicyState {
        const { preferences, off } = this.policy;
        return { preferences, off, clis: this.clis.forbidden.map(({ displayName }) => displayName) };
    }

    /** Those to a window, one for each process. */
    protected connectionsOf(window: Window): CliConnection[] {
        const sessions = this.windows.sessionsOf(window).reverse();
        // The oldest session of a process stays.
        const processes = new Map(sessions.map(session => [CliNames.keyOf(session), session]));
        return [...processes.values()].reverse().map((session): CliConnection => {
            const { cliId, since, peer } = session;
            const unaskedMode = this.autoApprovingClis.modeOf(session);
            return {
                cliId,
                displayName: this.windows.nameOf(session),
                since,
                ...(peer?.folder !== undefined && { folder: peer.folder }),
                ...(unaskedMode !== undefined && { unaskedMode })
            };
        });
    }
}
