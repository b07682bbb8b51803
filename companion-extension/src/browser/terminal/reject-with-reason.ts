// SPDX-License-Identifier: Apache-2.0

import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EDITOR_CONTEXT_MENU } from '@theia/editor/lib/browser/editor-menu';
import { ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { REVIEW_ACTIVE_KEY } from '../review/review-focus';
import { PageReviews } from '../review/page-reviews';
import { WaitingReviews } from '../review/waiting-reviews';
import { CliTerminals } from '../window/cli-terminals';
import { WorkspacePaths } from '../window/workspace-paths';
import { CliPrompt } from './cli-prompt';
import { PromptMention } from './prompt-text';

/**
 * Rejects a proposal and types why into the prompt of its CLI: what the user writes, or that the file has changed, so that it proposes again.
 * The protocol has no place for a reason.
 */
@injectable()
export class RejectWithReason implements CommandContribution, MenuContribution {
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(CliTerminals)
    protected readonly terminals: CliTerminals;
    @inject(CliPrompt)
    protected readonly prompt: CliPrompt;
    @inject(QuickInputService)
    protected readonly input: QuickInputService;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(SHARED_COMMANDS.REJECT_WITH_REASON, {
            isEnabled: () => this.waiting.any,
            execute: (widget?: unknown) => this.reject(widget)
        });
        commands.registerCommand(SHARED_COMMANDS.ASK_AGAIN, { execute: (review: ReviewInfo) => this.askAgain(review) });
    }

    registerMenus(menus: MenuModelRegistry): void {
        const { id } = SHARED_COMMANDS.REJECT_WITH_REASON;
        menus.registerMenuAction([...EDITOR_CONTEXT_MENU, '0_companion'], { commandId: id, order: '1a', when: REVIEW_ACTIVE_KEY });
    }

    /** Escape leaves the proposal waiting. */
    protected async reject(widget: unknown): Promise<void> {
        const review = await this.waiting.meant(widget);
        if (!review) {
            return;
        }
        const { id, cliName, path } = review;
        const reason = await this.input.input({
            title: nls.localize('theia/cli-companion/prompt/reasonTitle', 'Reject the proposal for {0}: why?', this.paths.display(path)),
            // Screen readers read it as the name of the field.
            placeHolder: nls.localize('theia/cli-companion/prompt/reason', 'Reason, for the prompt of {0}', cliName),
            prompt: nls.localize('theia/cli-companion/prompt/reasonHint', 'Rejects the proposal. You send the reason in the terminal.'),
            // A click into the diff, as to copy a name, must not drop what was typed.
            ignoreFocusLost: true
        });
        if (reason === undefined) {
            return;
        }
        if (this.reviews.get(id)?.isWaiting) {
            this.waiting.answer(review, 'reject');
            await this.typeReason(review, reason);
        } else {
            // The CLI would take it for a reason against what it does now.
            const ended = nls.localize(
                'theia/cli-companion/prompt/reasonLate',
                'The proposal for {0} has ended meanwhile. Your reason was not typed: {1}',
                this.paths.display(path),
                reason
            );
            await this.offerCopy(ended, reason);
        }
    }

    /** In the language of the models, and with a mention, which makes the CLI read the file first. */
    protected async askAgain(review: ReviewInfo): Promise<void> {
        // It may have been accepted, and not written.
        const waiting = this.reviews.get(review.id);
        if (waiting?.isWaiting) {
            if (!this.waiting.takesClick(waiting)) {
                return;
            }
            this.waiting.answer(review, 'reject');
        }
        const cli = (await this.terminals.find()).find(({ displayName }) => displayName === review.cliName);
        const file = cli && PromptMention.canName(review.path) ? PromptMention.file(review.path, cli) : ' the file ';
        await this.typeReason(review, `Read${file}again and propose your change anew: the file has changed. `);
    }

    protected async typeReason(review: ReviewInfo, reason: string): Promise<void> {
        if (reason.trim() !== '' && !(await this.prompt.typeAfterAnswer(review, reason))) {
            const text = nls.localize(
                'theia/cli-companion/prompt/reasonNotTyped',
                'This could not be typed into the prompt of {0}: {1}',
                review.cliName,
                reason
            );
            await this.offerCopy(text, reason);
        }
    }

    protected async offerCopy(text: string, reason: string): Promise<void> {
        const copy = nls.localizeByDefault('Copy');
        if ((await this.messages.warn(plainText(text), copy)) === copy) {
            await this.clipboard.writeText(reason);
        }
    }
}
