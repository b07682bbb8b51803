// SPDX-License-Identifier: Apache-2.0

import { AIActivationService } from '@theia/ai-core/lib/browser/ai-activation-service';
import { Event } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceTrustService } from '@theia/workspace/lib/browser/workspace-trust-service';
import { WorkspaceTrust } from '../../common/qwen-daemon-protocol';
import { TrustSource } from './backend-connection';

/** Theia's answer to the question whether AI may run in this workspace. */
@injectable()
export class TheiaTrust implements TrustSource {
    @inject(WorkspaceTrustService)
    protected readonly trust: WorkspaceTrustService;
    @inject(AIActivationService)
    protected readonly activation: AIActivationService;

    get onDidChange(): Event<unknown> {
        return Event.any(this.trust.onDidChangeWorkspaceTrust, this.activation.onDidChangeCanRun);
    }

    async current(): Promise<WorkspaceTrust> {
        // When the roots change, Theia forgets its answer in a listener of the same event, perhaps after ours (1.74).
        await Promise.resolve();
        if (!(await this.trust.getWorkspaceTrust())) {
            return 'untrusted';
        }
        return this.activation.canRun ? 'trusted' : 'ai-off';
    }
}
