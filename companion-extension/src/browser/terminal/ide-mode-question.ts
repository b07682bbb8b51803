// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickItem, QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { StartableCli } from '../../common/companion-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { faultText } from '../../common/problem-text';
import { noAnswerText } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';

const CALL_LIMIT_MS = 10_000;

/**
 * Asks whether a CLI whose IDE mode is off is to connect, before it starts: a running one would write its settings back. The CLI then asks
 * nothing itself. "Yes" to Gemini CLI's own question (0.61) ends in an error.
 */
@injectable()
export class IdeModeQuestion {
    @inject(PromptBackend)
    protected readonly backend: Pick<PromptBackend, 'setIdeMode'>;
    @inject(QuickPickService)
    protected readonly picks: Pick<QuickPickService, 'show'>;
    @inject(MessageService)
    protected readonly messages: Pick<MessageService, 'error'>;

    /** Ids of the CLIs that the user has in this page start without a connection. */
    protected readonly apart = new Set<string>();

    /** @param file the user's settings, where IDE mode can be switched on. @returns whether the CLI is to be started */
    async ask({ id, displayName }: StartableCli, file: string): Promise<boolean> {
        if (this.apart.has(id)) {
            return true;
        }
        const writes = (setting: string): string =>
            withoutIcons(nls.localize('theia/cli-companion/ideMode/writes', 'Writes {0} into {1}.', setting, file));
        const connect: QuickPickItem = {
            label: nls.localize('theia/cli-companion/ideMode/connect', 'Turn On IDE Mode and Run'),
            detail: writes('"ide": { "enabled": true }')
        };
        const apart: QuickPickItem = {
            label: nls.localize('theia/cli-companion/ideMode/apart', 'Run Without Connecting'),
            detail: writes('"ide": { "hasSeenNudge": true }')
        };
        const answer = await this.picks.show([connect, apart], {
            title: nls.localize('theia/cli-companion/ideMode/title', 'Connect {0} to this IDE?', displayName),
            placeholder: nls.localize('theia/cli-companion/ideMode/off', 'The IDE mode of {0} is off.', displayName),
            matchOnDetail: true
        });
        if (answer === apart) {
            this.apart.add(id);
            await this.set(id, false);
            return true;
        }
        const failure = answer && (await this.set(id, true));
        if (failure !== undefined) {
            this.messages.error(
                plainText(
                    nls.localize('theia/cli-companion/ideMode/failed', 'IDE mode of {0} was not turned on: {1}', displayName, failure)
                )
            );
        }
        return answer !== undefined && failure === undefined;
    }

    /** @returns why it was not written */
    protected async set(id: string, on: boolean): Promise<string | undefined> {
        try {
            const fault = await withTimeLimit(this.backend.setIdeMode(id, on), CALL_LIMIT_MS, noAnswerText());
            // JSON makes null of nothing.
            return fault ? faultText(fault) : undefined;
        } catch (error) {
            return error instanceof Error ? error.message : String(error);
        }
    }
}
