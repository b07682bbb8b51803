// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { MockLogger } from '@theia/core/lib/common/test/mock-logger';
import { Container } from '@theia/core/shared/inversify';
import { BackendPreferences, backendPreferences } from '../../../common/companion-preferences';
import { HostEnvironment } from '../../host/host-environment';
import { FileAccess } from '../../host/file-access';
import { Policy } from '../../host/policy';
import { Problems } from '../../host/problems';
import { KiloCli } from '../kilo-cli';
import { OpenCodeCli } from '../opencode-cli';
import { ClaudeCodeCli } from '../claude-code-cli';
import { CompanionFolder } from '../companion-folder';
import { CopilotCli } from '../copilot-cli';
import { LinuxProcessTable } from '../../host/linux-process-table';
import { GeminiCli } from '../gemini-cli';
import { ProcessMarkers } from '../process-marker';
import { QwenCodeCli } from '../qwen-code-cli';

/** A machine with its own HOME and temporary folder, both real folders, removed in the end. */
export class TestHost implements HostEnvironment {
    readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'companion-host-')));
    readonly homeFolder = path.join(this.folder, 'home');
    readonly temporaryFolder = path.join(this.folder, 'tmp');
    /** Theia's own; made when something is written there. */
    readonly configurationFolder = path.join(this.folder, 'theia');
    readonly preferences = backendPreferences();
    readonly variables: Record<string, string | undefined> = { THEIA_CONFIG_DIR: this.configurationFolder };
    readonly files = new Set<string>();
    readonly uid = process.getuid?.();
    /** Not there unless the test writes it. */
    readonly policyFile = path.join(this.folder, 'etc', 'policy.json');
    platform: NodeJS.Platform = process.platform;
    pid = process.pid;
    parentPid = process.ppid;

    constructor() {
        fs.mkdirSync(this.homeFolder);
        fs.mkdirSync(this.temporaryFolder);
    }

    /** True for what lies in this host's folder, and for what the test has named in {@link files}. */
    exists(file: string): boolean {
        return this.files.has(file) || (file.startsWith(this.folder) && fs.existsSync(file));
    }

    canWrite(): boolean {
        return false;
    }

    /** The contributions of this host, and whatever else the test gets from the container. */
    container(): Container {
        const container = new Container({ defaultScope: 'Singleton' });
        const theia: Pick<EnvVariablesServer, 'getConfigDirUri'> = {
            getConfigDirUri: async () => FileUri.create(this.configurationFolder).toString()
        };
        container.bind<HostEnvironment>(HostEnvironment).toConstantValue(this);
        container.bind(EnvVariablesServer).toConstantValue(theia as EnvVariablesServer);
        container.bind(BackendPreferences).toConstantValue(this.preferences);
        container.bind(ILogger).toConstantValue(new MockLogger());
        container.bind(Policy).toSelf();
        container.bind(Problems).toSelf();
        container.bind(FileAccess).toConstantValue(new FileAccess(5_000));
        container.bind(CompanionFolder).toSelf();
        container.bind(ProcessMarkers).toConstantValue(new ProcessMarkers(new LinuxProcessTable()));
        container.bind(GeminiCli).toSelf();
        container.bind(QwenCodeCli).toSelf();
        container.bind(ClaudeCodeCli).toSelf();
        container.bind(OpenCodeCli).toSelf();
        container.bind(CopilotCli).toSelf();
        container.bind(KiloCli).toSelf();
        return container;
    }

    temporary(...names: string[]): string {
        return path.join(this.temporaryFolder, ...names);
    }

    home(...names: string[]): string {
        return path.join(this.homeFolder, ...names);
    }

    remove(): void {
        fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
}
