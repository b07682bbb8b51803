// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import {
    DiscoveryFile,
    DiscoverySubject,
    HostEnvironment,
    specifiedContent,
    specifiedFolder,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables
} from 'theia-cli-companion/lib/node';

/** Acme Agent looks for `TMPDIR/acme-agent/ide/PORT.json`. The port is in its terminal's environment. */
@injectable()
export class AcmeAgentCli implements SupportedCli {
    readonly id = 'acme-agent';
    readonly displayName = 'Acme Agent';
    readonly command = 'acme-agent';
    readonly install = 'npm install -g acme-agent';
    readonly portVariable = 'ACME_AGENT_IDE_PORT';

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    async discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]> {
        const folder = specifiedFolder(this.host, 'acme-agent');
        return [{ folder, name: `${subject.port}.json`, content: specifiedContent(subject) }];
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [{ folder: specifiedFolder(this.host, 'acme-agent'), name: /^\d+\.json$/ }];
    }

    terminalVariables({ port }: Pick<DiscoverySubject, 'port'>): TerminalVariables {
        return { [this.portVariable]: String(port) };
    }
}
