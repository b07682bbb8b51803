// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { backendPreferences } from '../../common/companion-preferences';
import { problemText } from '../../common/problem-text';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { ServerTimings } from '../server/window-servers';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { TestBackend } from './test-backend';
import { eventually, TestCli } from './test-cli';
import { TestPage } from './test-page';

/** Looks at the files more often than every 2 s, and sweeps again more often than every 30 s. */
export class QuickDiscoveryFiles extends DiscoveryFiles {
    protected override readonly periodMs = 100;
    protected override readonly sweepAgainMs = 50;
}

/** Tries again more often than every 30 s. */
class QuickTerminalEnvironment extends TerminalEnvironment {
    protected override readonly retryMs = 50;
}

/** A backend with one page, on a machine that the test breaks and repairs. */
export class FaultyBackend extends TestBackend {
    readonly page = new TestPage();
    private readonly restores: Array<() => void> = [];
    private readonly timings = { ...ServerTimings };

    constructor() {
        super();
        this.container.rebind(DiscoveryFiles).to(QuickDiscoveryFiles).inSingletonScope();
        this.container.rebind(TerminalEnvironment).to(QuickTerminalEnvironment).inSingletonScope();
    }

    /** Makes one before each test of a suite, and stops it after the test. */
    static forEachTest(take: (backend: FaultyBackend) => void): void {
        let backend: FaultyBackend;
        beforeEach(() => take((backend = new FaultyBackend())));
        afterEach(() => backend.stop());
    }

    /** Puts something else in the place of a function until {@link mend}. */
    replace<T extends object, K extends keyof T>(object: T, name: K, value: T[K]): void {
        const original = object[name];
        object[name] = value;
        this.atMending(() => (object[name] = original));
    }

    atMending(restore: () => void): void {
        this.restores.push(restore);
    }

    mend(): void {
        this.restores.splice(0).forEach(restore => restore());
    }

    /** A server that cannot be started is tried again at once, and not after 5 s. */
    retryAtOnce(): void {
        Object.assign(ServerTimings, { retryMs: 50 });
    }

    override async stop(): Promise<void> {
        this.mend();
        Object.assign(ServerTimings, this.timings);
        await super.stop();
    }

    /** @returns the problems in the page's status */
    async hello(): Promise<string[]> {
        this.page.state = await this.connect(this.page).service.hello(this.window(this.page));
        return this.page.state.status.problems.map(problemText);
    }

    /** As a new terminal has it. */
    defaultsOfQwen(): string | null | undefined {
        const environment = this.container.get(TerminalEnvironment);
        const variables = environment.variables(
            { port: 1, roots: [] },
            { QWEN_CODE_SYSTEM_DEFAULTS_PATH: undefined },
            backendPreferences()
        );
        return variables['QWEN_CODE_SYSTEM_DEFAULTS_PATH'];
    }

    /** Lines of the log about this. */
    logged(text: string): string[] {
        return this.logger.lines.filter(line => line.includes(text));
    }

    async expectRecovery(): Promise<void> {
        const recovered = (): boolean => this.page.state?.status.state === 'ready' && this.page.state.status.problems.length === 0;
        await eventually('the problem to be gone from the status', recovered);
        const { port, token } = this.discovered();
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
    }
}

/** In the place of a function: fails as the system does. */
export function failing(code: string): () => never {
    return () => {
        throw Object.assign(new Error(`${code}: no more of it`), { code });
    };
}
