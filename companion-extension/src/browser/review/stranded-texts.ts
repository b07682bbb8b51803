// SPDX-License-Identifier: Apache-2.0

import { ConfirmDialog } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { ReviewSave } from '../../common/companion-protocol';
import { StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { WorkspacePaths } from '../window/workspace-paths';
import { REVIEW_COMMANDS } from './review-command-ids';
import { UnsentTexts } from './unsent-texts';

/** Offers the texts that this tab has of another start of the IDE: they are sent to no backend, which may be somebody else's. */
@injectable()
export class StrandedTexts implements StatusSectionContribution, CommandContribution {
    @inject(UnsentTexts)
    protected readonly unsent: Pick<UnsentTexts, 'stranded' | 'forgetStranded'>;
    @inject(UntitledResourceResolver)
    protected readonly untitled: UntitledResourceResolver;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(REVIEW_COMMANDS.OPEN_STRANDED, { execute: (save: ReviewSave) => this.open(save) });
        commands.registerCommand(REVIEW_COMMANDS.FORGET_STRANDED, { execute: (save: ReviewSave) => this.forget(save) });
    }

    sections(): StatusSection[] {
        const rows = this.unsent.stranded.map(save => this.row(save));
        if (rows.length === 0) {
            return [];
        }
        const title = nls.localize('theia/cli-companion/edits/stranded', 'This tab has text that you typed before the IDE was restarted');
        const brief = nls.localize('theia/cli-companion/edits/strandedBrief', 'Text from before a restart');
        return [{ id: 'stranded', order: 41, title, sentence: title, rows, briefs: [{ kind: 'count', rank: 51, text: brief }] }];
    }

    protected row(save: ReviewSave): StatusRow {
        const path = new URI(save.about.uri).path.fsPath();
        return {
            id: `stranded ${save.about.reviewId}`,
            icon: 'edit',
            label: this.paths.name(path),
            description: save.about.cliName,
            detail: this.paths.display(path),
            buttons: [
                {
                    icon: 'trash',
                    tooltip: nls.localize('theia/cli-companion/edits/forget', 'Forget'),
                    command: REVIEW_COMMANDS.FORGET_STRANDED.id,
                    args: [save]
                }
            ],
            command: REVIEW_COMMANDS.OPEN_STRANDED.id,
            args: [save]
        };
    }

    /** As a new file, which the user may save. The tab keeps the text until it is forgotten. */
    protected async open({ about, text }: ReviewSave): Promise<void> {
        const uri = this.untitled.createUntitledURI(new URI(about.uri).path.ext);
        await this.untitled.createUntitledResource(text ?? '', undefined, uri);
        await this.editors.open(uri, { mode: 'activate', preview: false });
    }

    protected async forget(save: ReviewSave): Promise<void> {
        const dialog = new ConfirmDialog({
            title: nls.localize('theia/cli-companion/edits/forgetTitle', 'Forget this text?'),
            msg: nls.localize(
                'theia/cli-companion/edits/forgetText',
                'What was typed into {0} is only in this tab. It cannot be brought back.',
                this.paths.display(new URI(save.about.uri).path.fsPath())
            ),
            ok: nls.localize('theia/cli-companion/edits/forget', 'Forget')
        });
        if (await dialog.open()) {
            this.unsent.forgetStranded(save);
            this.onDidChangeEmitter.fire();
        }
    }
}
