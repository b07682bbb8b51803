// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import * as path from 'path';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { Emitter } from '@theia/core/lib/common/event';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { ILogger } from '@theia/core/lib/common/logger';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { MockLogger } from '@theia/core/lib/common/test/mock-logger';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { ApplicationPackage } from '@theia/core/shared/@theia/application-package';
import { Container } from '@theia/core/shared/inversify';
import { expect } from 'chai';
import { Policy } from 'theia-cli-companion/lib/node';
import companionBackendModule from 'theia-cli-companion/lib/node/companion-backend-module';
import { DaemonParts } from './server/daemon-parts';
import qwenDaemonBackendModule from './qwen-daemon-backend-module';

describe('The backend module', () => {
    /** Files that are loaded with a module in a process of its own. */
    function loadedWith(module: string, pattern: RegExp): string[] {
        const script = `
            require('reflect-metadata');
            require(${JSON.stringify(module)});
            const loaded = Object.keys(require.cache).filter(file => ${pattern}.test(file));
            console.log(JSON.stringify(loaded));`;
        return JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd: __dirname, encoding: 'utf8' })) as string[];
    }

    const ownModule = path.join(__dirname, 'qwen-daemon-backend-module');

    it('loads nothing of the client library before a connection is asked for', () => {
        expect(loadedWith(ownModule, /[\\/]@qwen-code[\\/]/)).to.deep.equal([]);
    });

    it('loads nothing that talks to daemons, and no zod, before a page calls, which it does while the daemon is switched on', () => {
        expect(loadedWith(ownModule, /[\\/](zod|daemon-extension[\\/]lib[\\/]node[\\/](connection|process|session))[\\/]/)).to.deep.equal(
            []
        );
    });

    it('the companion loads nothing of this package or of Theia AI', () => {
        const companion = path.resolve(__dirname, '..', '..', '..', 'companion-extension', 'lib', 'node', 'companion-backend-module');
        expect(loadedWith(companion, /[\\/](daemon-extension|theia-qwen-daemon|@qwen-code|@theia[\\/]ai-[^\\/]+)[\\/]/)).to.deep.equal([]);
    });

    const errors: string[] = [];

    function theiaBackend(): Container {
        const container = new Container();
        errors.length = 0;
        container.bind(ILogger).toConstantValue(Object.assign(new MockLogger(), { error: async (text: string) => void errors.push(text) }));
        container.bind(EnvVariablesServer).toConstantValue({} as EnvVariablesServer);
        container.bind(ApplicationPackage).toConstantValue({} as ApplicationPackage);
        container.bind(PreferenceService).toConstantValue({
            onPreferencesChanged: () => ({ dispose: () => undefined }),
            onPreferenceChanged: () => ({ dispose: () => undefined }),
            ready: Promise.resolve(),
            get: () => undefined
        } as unknown as PreferenceService);
        return container;
    }

    it('works in an application that has the companion, which it depends on, and nothing else but what every Theia backend has', async () => {
        const container = theiaBackend();
        container.load(companionBackendModule);
        const ofCompanion = container.getAll(ConnectionContainerModule);
        container.load(qwenDaemonBackendModule);
        expect(container.get(DaemonParts)).to.be.instanceOf(DaemonParts);
        await container.getAll<BackendApplicationContribution>(BackendApplicationContribution).at(-1)?.onStop?.();
        expect(errors).to.deep.equal([]);
        expect(container.getAll(ConnectionContainerModule)).to.have.length(ofCompanion.length + 1);
    });

    it('serves a page with the first call, and ends what it made with the backend', async () => {
        const container = theiaBackend();
        container.load(companionBackendModule, qwenDaemonBackendModule);
        const parts = container.get(DaemonParts);
        const closed = new Emitter<void>();
        const page = {
            notifyStatus: () => undefined,
            notifyEvents: () => undefined,
            onDidOpenConnection: closed.event,
            onDidCloseConnection: closed.event
        };
        const { state } = await parts.serve(page).hello({ roots: [], trust: 'trusted' });
        expect(state).to.equal('off');
        closed.fire();
        await container.getAll<BackendApplicationContribution>(BackendApplicationContribution).at(-1)?.onStop?.();
        expect(errors).to.deep.equal([]);
    });

    it('costs the application no other contribution if it cannot be made', async () => {
        const container = theiaBackend();
        const stopped: string[] = [];
        container.bind<unknown>(Policy).toConstantValue({ allows: () => true });
        container.onActivation(DaemonParts, () => {
            throw new Error('Broken on purpose');
        });
        container
            .bind<BackendApplicationContribution>(BackendApplicationContribution)
            .toConstantValue({ onStop: () => void stopped.push('other') });
        container.load(qwenDaemonBackendModule);
        for (const contribution of container.getAll<BackendApplicationContribution>(BackendApplicationContribution)) {
            await contribution.onStop?.();
        }
        expect(stopped).to.deep.equal(['other']);
        expect(errors).to.deep.equal(['A part of the Qwen daemon does not work']);
    });
});
