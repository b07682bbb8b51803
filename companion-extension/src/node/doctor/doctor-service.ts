// SPDX-License-Identifier: Apache-2.0

import { timeout } from '@theia/core/lib/common/promise-util';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Diagnosis } from '../../common/diagnosis';
import { DoctorBackend } from '../../common/doctor-protocol';
import { PageConnection } from '../server/page-connection';
import { Window } from '../server/window';
import { WindowServers } from '../server/window-servers';
import { Windows } from '../server/windows';
import { Doctor, DoctorWindow } from './doctor';

/** How long the process of a CLI may be looked for. */
const PROCESS_LIMIT_MS = 2_000;

/** What a page calls for a diagnosis. */
@injectable()
export class DoctorService implements DoctorBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(Doctor)
    protected readonly doctor: Doctor;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(WindowServers)
    protected readonly servers: WindowServers;

    async diagnose(shell?: number): Promise<Diagnosis> {
        const { window, payloads } = this.connection;
        const described = await this.describe(window);
        // JSON makes null of an argument that is left out.
        return this.doctor.diagnose(described, shell == null ? undefined : payloads.shell.parse(shell));
    }

    protected async describe(window: Window): Promise<DoctorWindow> {
        // A CLI in a terminal is found by its process, which is known a moment after it has connected, or never.
        const isUnknown = (): boolean => this.windows.sessionsOf(window).some(({ peer }) => !peer);
        for (const end = performance.now() + PROCESS_LIMIT_MS; isUnknown() && performance.now() < end;) {
            await timeout(100);
        }
        const { enabled, preferences, roots, server } = window;
        return {
            enabled,
            preferences,
            server,
            sharedServers: this.servers.shared,
            roots,
            ports: this.windows.ports,
            servedPorts: new Set([...this.windows.servedBy(window), window].flatMap(served => served.server?.port ?? [])),
            connected: this.windows.sessionsOf(window).flatMap(({ cliId, peer, since }) => (peer ? [{ cliId, pid: peer.pid, since }] : []))
        };
    }
}
