// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { ShellProcess, ShellProcessFactory, ShellProcessOptions } from '@theia/terminal/lib/node/shell-process';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { TerminalVariables } from '../discovery/supported-cli';
import { ShellObserver } from './shell-observer';
import { TerminalEnvironment, TerminalServers } from './terminal-environment';

/**
 * Replaces the window's id, which the page put into a new shell's environment, by the variables of that window's server. Stands
 * behind the environment collections of plugins, so that none of them can redirect the CLIs. The {@link ShellObserver} follows the
 * shell, too. Never fails one.
 */
@injectable()
export class CompanionShellProcessFactory {
    @inject(TerminalServers)
    protected readonly servers: TerminalServers;

    @inject(TerminalEnvironment)
    protected readonly environment: TerminalEnvironment;

    @inject(ShellObserver)
    protected readonly observer: ShellObserver;

    @inject(ILogger)
    @named('companion:CompanionShellProcessFactory')
    protected readonly logger: ILogger;

    decorate(factory: ShellProcessFactory): ShellProcessFactory {
        return options => {
            const shell = factory(this.prepare(options));
            if (!options.isPseudo) {
                this.follow(shell, options.env?.[WINDOW_ID_VARIABLE] ?? undefined);
            }
            return shell;
        };
    }

    protected follow(shell: ShellProcess, windowId: string | undefined): void {
        try {
            this.observer.follow(shell, () => this.servers.preferencesOf(windowId));
        } catch (error) {
            this.logger.warn('What runs in a new terminal is not known', error);
        }
    }

    protected prepare(options: ShellProcessOptions): ShellProcessOptions {
        const { [WINDOW_ID_VARIABLE]: windowId, ...env } = options.env ?? {};
        if (options.strictEnv || options.isPseudo) {
            // Exactly this environment, or no shell at all. `null` would not be understood here.
            return { ...options, env: options.env && env };
        }
        return { ...options, env: { ...env, ...this.variables(windowId, env), [WINDOW_ID_VARIABLE]: null } };
    }

    protected variables(windowId: string | null | undefined, env: TerminalVariables): TerminalVariables {
        try {
            const preferences = this.servers.preferencesOf(windowId ?? undefined);
            const subject = windowId ? this.servers.serverFor(windowId) : undefined;
            // Not awaited: a CLI starts later than its shell, and the names of what is made again stay the same.
            void this.environment.prepare();
            if (subject) {
                return this.environment.variables(subject, env, preferences);
            }
            // A shell that no page asked for, or whose window is not served now, has defaults all the same: without them Qwen Code edits
            // without asking.
            const defaults = windowId && this.servers.isOff(windowId) ? {} : this.environment.defaults(env, preferences);
            return { ...this.environment.variablesWithoutServer(env), ...defaults };
        } catch (error) {
            this.logger.error('A new terminal is not told of its window', error);
            return {};
        }
    }
}
