// SPDX-License-Identifier: Apache-2.0

import { AIActivationService } from '@theia/ai-core/lib/browser/ai-activation-service';
import { Event } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { WorkspaceTrustService } from '@theia/workspace/lib/browser/workspace-trust-service';
import { PageInfo } from '../../common/qwen-daemon-protocol';
import { PageInfoSource } from './backend-connection';

/** The workspace's roots, and Theia's answer to the question whether AI may run there. */
@injectable()
export class TheiaWorkspace implements PageInfoSource {
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(WorkspaceTrustService)
    protected readonly trust: WorkspaceTrustService;
    @inject(AIActivationService)
    protected readonly activation: AIActivationService;

    get onDidChange(): Event<unknown> {
        return Event.any<unknown>(
            this.workspace.onWorkspaceChanged,
            this.trust.onDidChangeWorkspaceTrust,
            this.activation.onDidChangeCanRun
        );
    }

    async current(): Promise<PageInfo> {
        // When the roots change, Theia forgets its answer in a listener of the same event, perhaps after ours (1.74).
        await Promise.resolve();
        const isTrusted = await this.trust.getWorkspaceTrust();
        return {
            roots: this.workspace.tryGetRoots().map(({ resource }) => resource.toString()),
            trust: !isTrusted ? 'untrusted' : this.activation.canRun ? 'trusted' : 'ai-off'
        };
    }
}
