// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { Variables, ServerPlace, SupportedCli, TerminalVariables } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { Problems } from '../host/problems';
import { FaultError } from '../host/fault-error';

export const TerminalServers = Symbol('TerminalServers');
/** Knows which server a window's new shells belong to. */
export interface TerminalServers {
    /** @returns `undefined` if the window is unknown or not served. Must not wait. */
    serverFor(windowId: string): ServerPlace | undefined;
    /** Whether the user has switched the companion off in the window. Must not wait. */
    isOff(windowId: string): boolean;
    /** What the user of the window prefers now; the defaults if the window is unknown. Must not wait. */
    preferencesOf(windowId: string | undefined): BackendPreferences;
}

/** Linux starts no program with a variable over 128 KiB, name included. */
const MAX_VARIABLE_BYTES = 64 * 1024;

/** The variables by which a new shell knows its window's server. */
@injectable()
export class TerminalEnvironment implements BackendApplicationContribution {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(Problems)
    protected readonly problems: Problems;

    /** Until a failed preparation is tried again. */
    protected readonly retryMs: number = 30_000;
    protected retry: NodeJS.Timeout | undefined;

    /** The start does not wait for it. */
    initialize(): void {
        void this.prepare();
    }

    /**
     * Makes what the variables name, and again if it has gone. Tried again by itself if it fails. Never rejects, and ends soon
     * even if a file system does not answer.
     */
    async prepare(): Promise<void> {
        clearTimeout(this.retry);
        await Promise.all(this.clis.all.map(async cli => cli.prepareTerminals?.()));
        const problems = this.clis.all.flatMap(({ terminalProblem }) => terminalProblem ?? []);
        if (problems.length > 0) {
            clearTimeout(this.retry);
            this.retry = setTimeout(() => void this.prepare(), this.retryMs).unref();
        }
        this.problems.report('terminals', problems);
    }

    /**
     * @param env what the shell is given otherwise, on top of this process's own variables
     * @param preferences of the shell's window
     * @returns what to set on top of that
     */
    variables(subject: ServerPlace, env: Variables, preferences: BackendPreferences): TerminalVariables {
        return { ...this.collect('variables', cli => cli.terminalVariables(subject)), ...this.defaults(env, preferences) };
    }

    /** Collects the other variables that CLIs need, whatever the window. @param env as for {@link variables} */
    defaults(env: Variables, preferences: BackendPreferences): TerminalVariables {
        const inherited: Variables = { ...this.host.variables, ...env };
        return this.collect('defaults', cli => cli.terminalDefaults?.(inherited, preferences) ?? {});
    }

    /**
     * For a shell that has no server of ours: nothing of another IDE, whose terminal this backend was started from. What the shell is
     * given by name, as by a plugin that is a companion itself, is not touched.
     */
    variablesWithoutServer(env: Variables): TerminalVariables {
        const names = Object.keys(this.collect('variables', cli => cli.terminalVariables({ port: 0, roots: [] })));
        return Object.fromEntries(names.filter(name => !(name in env)).map(name => [name, null]));
    }

    protected collect(what: 'variables' | 'defaults', variablesOf: (cli: SupportedCli) => TerminalVariables): TerminalVariables {
        const result: TerminalVariables = {};
        for (const cli of this.clis.all) {
            const source = `${what} of ${cli.id}`;
            try {
                Object.assign(result, withoutLongOnes(variablesOf(cli)));
                this.problems.report(source, []);
            } catch (error) {
                this.problems.report(source, [{ code: 'no-variables', cliName: cli.displayName, fault: FaultError.faultOf(error) }]);
            }
        }
        return result;
    }
}

/** The CLIs read many long roots from the discovery files. */
function withoutLongOnes(variables: TerminalVariables): TerminalVariables {
    const entries = Object.entries(variables);
    return Object.fromEntries(entries.map(([name, value]) => [name, Buffer.byteLength(value ?? '') > MAX_VARIABLE_BYTES ? null : value]));
}
