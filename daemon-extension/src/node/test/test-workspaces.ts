// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { pathToFileURL } from 'url';
import { Emitter } from '@theia/core/lib/common/event';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { ILogger } from '@theia/core/lib/common/logger';
import { MockLogger } from '@theia/core/lib/common/test/mock-logger';
import { Container, injectable } from '@theia/core/shared/inversify';
import { Policy } from 'theia-cli-companion/lib/node';
import { problemText } from '../../common/daemon-problem';
import { DaemonConfiguration, DaemonPreferences } from '../../common/daemon-preferences';
import {
    Answer,
    DaemonStatus,
    OpenedSession,
    OpenSessionRequest,
    QwenDaemonPage,
    SessionEvent,
    SessionEvents,
    TextEvent,
    WorkspaceTrust
} from '../../common/qwen-daemon-protocol';
import { DaemonSettings } from '../config/daemon-settings';
import { DaemonWorkspaces } from '../server/daemon-workspaces';
import { QwenDaemonService } from '../server/qwen-daemon-service';

/** Preferences that a test sets. */
export class TestConfiguration {
    readonly values: Partial<DaemonConfiguration> = {};
    readonly ready = Promise.resolve();
    private readonly emitter = new Emitter<unknown>();
    readonly onPreferenceChanged = this.emitter.event;

    get<K extends keyof DaemonConfiguration>(key: K): DaemonConfiguration[K] {
        return this.values[key] as DaemonConfiguration[K];
    }

    set<K extends keyof DaemonConfiguration>(key: K, value: DaemonConfiguration[K]): void {
        this.values[key] = value;
        this.emitter.fire(undefined);
    }
}

/** With waits that are short enough for a test. */
@injectable()
class QuickWorkspaces extends DaemonWorkspaces {
    protected override readonly timings = {
        connection: { ready: 20_000, poll: 20, request: 30_000, backoff: [20, 50, 100, 200, 500, 1_000, 1_000] },
        stream: { backoff: [10, 20, 50], silence: 300 },
        unusedMs: 100
    };
}

type Texts = 'text' | 'thought';
export type EventOfKind<K extends SessionEvent['kind']> = K extends Texts ? TextEvent : Extract<SessionEvent, { kind: K }>;

/** A page: records everything that it gets, and puts the events together as a page must. */
export class TestPage implements QwenDaemonPage {
    readonly statuses: DaemonStatus[] = [];
    /** Every message, for a search for secrets. */
    readonly wire: unknown[] = [];
    readonly events = new Map<string, SessionEvent[]>();

    readonly service: QwenDaemonService;

    /** @param patience how long it waits for anything, in milliseconds */
    constructor(
        workspaces: DaemonWorkspaces,
        protected readonly patience: number
    ) {
        this.service = new QwenDaemonService(workspaces, this);
    }

    notifyStatus(status: DaemonStatus): void {
        this.wire.push(status);
        this.statuses.push(status);
    }

    notifyEvents(events: SessionEvents): void {
        this.wire.push(events);
        this.take(events);
    }

    take({ sessionId, fromStart, events }: SessionEvents): void {
        this.events.set(sessionId, [...(fromStart ? [] : (this.events.get(sessionId) ?? [])), ...events]);
    }

    async open(request: OpenSessionRequest): Promise<OpenedSession> {
        const opened = value(await this.service.openSession(request));
        this.wire.push(opened);
        this.take({ sessionId: opened.session.sessionId, fromStart: true, events: opened.events });
        return opened;
    }

    ofKind<K extends SessionEvent['kind']>(sessionId: string, kind: K): EventOfKind<K>[] {
        return (this.events.get(sessionId) ?? []).filter((event): event is EventOfKind<K> => event.kind === kind);
    }

    text(sessionId: string, turnId: string): string {
        return this.ofKind(sessionId, 'text')
            .filter(event => event.turnId === turnId)
            .map(({ text }) => text)
            .join('');
    }

    /** Waits until something is so; fails in the end, saying what was seen. */
    async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
        for (const end = Date.now() + this.patience; ;) {
            const seen = look();
            if (seen !== undefined && seen !== false) {
                return seen;
            }
            if (Date.now() > end) {
                throw new Error(
                    `Not seen: ${what}. Seen: ${JSON.stringify([...this.events.values()].flat().slice(-8))} ${JSON.stringify(this.statuses.slice(-3))}`
                );
            }
            await new Promise(resolve => setTimeout(resolve, 10));
        }
    }

    end(sessionId: string, turnId: string): Promise<EventOfKind<'end'>> {
        return this.until(`end of ${turnId}`, () => this.ofKind(sessionId, 'end').find(event => event.turnId === turnId));
    }
}

export function value<T>(answer: Answer<T>): T {
    if (!answer.ok) {
        throw new Error(`${answer.problem.code}: ${problemText(answer.problem)}`);
    }
    return answer.value;
}

/** The backend as it is bound in Theia, with preferences, folders and waits of a test. */
export class TestBackend {
    readonly configuration = new TestConfiguration();
    readonly pages: TestPage[] = [];
    /** Also those that are gone. */
    readonly everyPage: TestPage[] = [];
    workspaces: DaemonWorkspaces;
    /** How long a page waits for anything, in milliseconds. */
    patience = 15_000;
    /** Whether the platform's policy lets the daemon run. */
    chatAllowed = true;
    private container: Container;

    private constructor(
        readonly folder: string,
        readonly workspace: string
    ) {
        this.start();
    }

    static async create(): Promise<TestBackend> {
        const folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'qwen-daemon-test-')));
        const workspace = path.join(folder, 'workspace');
        await fs.mkdir(workspace);
        return new TestBackend(folder, workspace);
    }

    private start(): void {
        this.container = new Container();
        this.container.bind(DaemonPreferences).toConstantValue(this.configuration as unknown as DaemonPreferences);
        this.container.bind(ILogger).to(MockLogger).inSingletonScope();
        this.container.bind(EnvVariablesServer).toConstantValue({
            getConfigDirUri: async () => pathToFileURL(path.join(this.folder, 'config')).href
        } as unknown as EnvVariablesServer);
        this.container.bind<Pick<Policy, 'allows'>>(Policy).toConstantValue({ allows: () => this.chatAllowed });
        this.container.bind(DaemonSettings).toSelf().inSingletonScope();
        this.container.bind(DaemonWorkspaces).to(QuickWorkspaces).inSingletonScope();
        this.workspaces = this.container.get(DaemonWorkspaces);
    }

    /** Another backend for the same user, as after a restart of the IDE. */
    async restart(): Promise<void> {
        this.pages.splice(0).forEach(page => this.close(page));
        await this.workspaces.stop();
        this.start();
    }

    /**
     * @param root its first root; by default the workspace
     * @param trust what it says of that
     */
    async page(root = this.workspace, trust: WorkspaceTrust = 'trusted'): Promise<TestPage> {
        const page = new TestPage(this.workspaces, this.patience);
        this.pages.push(page);
        this.everyPage.push(page);
        page.statuses.push(await page.service.hello({ roots: [pathToFileURL(root).href], trust }));
        return page;
    }

    /** As Theia does when the page reloads. */
    close(page: TestPage): void {
        page.service.dispose();
    }

    async useDaemon(url: string, token: string): Promise<void> {
        const file = path.join(this.folder, 'token');
        await fs.writeFile(file, `${token}\n`, { mode: 0o600 });
        this.configuration.values['qwen-code.experimentalDaemon.enabled'] = true;
        this.configuration.values['qwen-code.experimentalDaemon.url'] = url;
        this.configuration.values['qwen-code.experimentalDaemon.tokenFile'] = file;
    }

    async dispose(): Promise<void> {
        await this.workspaces.stop();
        await fs.rm(this.folder, { recursive: true, force: true });
    }
}
