// SPDX-License-Identifier: Apache-2.0

import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { codicon, codiconArray } from '@theia/core/lib/browser/widgets/widget';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { isOSX } from '@theia/core/lib/common/os';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputService, QuickPick, QuickPickItem, QuickPickSeparator } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { AnswerGuard } from '../window/answer-guard';
import { STATUS_LISTED_KEY, StatusList } from '../window/status-list';
import { spokenRow, StatusAction, StatusRow, StatusSection } from '../window/status-section-contribution';

/** A row in the quick pick. */
interface RowItem extends QuickPickItem {
    row: StatusRow;
}

/** The list that opens from the status bar: the rows of the status, with buttons, and with the keys of the diff editor for a waiting review. */
@injectable()
export class StatusPick implements StatusList {
    @inject(QuickInputService)
    protected readonly quickInput: QuickInputService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(CommandRegistry)
    protected readonly commands: Pick<CommandRegistry, 'executeCommand'>;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;

    protected pick: QuickPick<RowItem> | undefined;
    protected listed: ContextKey<boolean>;

    @postConstruct()
    protected init(): void {
        this.listed = this.contextKeys.createKey(STATUS_LISTED_KEY, false);
    }

    get isOpen(): boolean {
        return this.pick !== undefined;
    }

    get activeReview(): ReviewInfo | undefined {
        return this.pick?.activeItems[0]?.row.review;
    }

    show(sections: readonly StatusSection[]): void {
        this.pick?.hide();
        const pick = this.quickInput.createQuickPick<RowItem>();
        const toDispose = new DisposableCollection(pick);
        this.pick = pick;
        pick.matchOnDescription = true;
        pick.matchOnDetail = true;
        toDispose.pushAll([
            pick.onDidTriggerItemButton(({ item, button }) => {
                // It may have been meant for another row.
                if (!this.guard.takesAnswer()) {
                    return;
                }
                pick.hide();
                const { iconClass } = button as { iconClass?: string };
                const { buttons } = (item as RowItem).row;
                this.run(buttons?.find(({ icon }) => codicon(icon) === iconClass));
            }),
            pick.onDidAccept(() => {
                const item = pick.activeItems[0];
                pick.hide();
                this.run(item?.row);
            }),
            pick.onDidHide(() => {
                toDispose.dispose();
                if (this.pick === pick) {
                    this.pick = undefined;
                    this.listed.set(false);
                }
            })
        ]);
        this.refresh(sections);
        pick.show();
        this.listed.set(true);
    }

    /** Shows what is new, if the list is open. */
    refresh(sections: readonly StatusSection[]): void {
        const { pick } = this;
        if (!pick) {
            return;
        }
        const active = pick.activeItems[0]?.id;
        const listed = sections.filter(({ rows, sentence }) => rows.length > 0 || sentence !== undefined);
        const items = listed.flatMap(({ title, rows }): Array<RowItem | QuickPickSeparator> => [
            ...(title === undefined ? [] : [{ type: 'separator' as const, label: title }]),
            ...rows.map(toItem)
        ]);
        pick.placeholder = sections.some(({ rows }) => rows.some(({ review }) => review))
            ? nls.localize(
                  'theia/cli-companion/status/pickReviews',
                  'Proposals: Enter opens, {0}+Enter accepts, {0}+Alt+Backspace rejects',
                  isOSX ? 'Cmd' : 'Ctrl'
              )
            : nls.localize('theia/cli-companion/status/pick', 'Companion: CLIs, sharing and actions');
        const placeNow = (id: string | undefined): number => items.findIndex(item => isRow(item) && item.id === id);
        if (pick.items.some((item, index) => isRow(item) && item.buttons && placeNow(item.id) !== index)) {
            this.guard.restart();
        }
        const isRefreshed = pick.items.length > 0;
        pick.keepScrollPosition = true;
        pick.items = items;
        if (isRefreshed) {
            // If the highlighted row has ended, none is highlighted until the user moves there. Monaco would take the first one, and the keys
            // would answer that.
            pick.activeItems = items.filter(isRow).filter(({ id }) => id !== undefined && id === active);
        }
    }

    hide(): void {
        this.pick?.hide();
    }

    protected run(action: StatusAction | undefined): void {
        if (action) {
            void this.commands.executeCommand(action.command, ...(action.args ?? []));
        }
    }
}

/** Shows the texts of the row as they are. */
function toItem(row: StatusRow): RowItem {
    const [label = '', description, detail] = [row.label, row.description, row.detail].map(text => text && withoutIcons(text));
    return {
        id: row.id,
        iconClasses: codiconArray(row.icon),
        label,
        ...(description && { description }),
        ...(detail && { detail }),
        ...(row.buttons && { buttons: row.buttons.map(({ icon, tooltip }) => ({ iconClass: codicon(icon), tooltip })) }),
        ariaLabel: spokenRow(row),
        row
    };
}

function isRow(item: RowItem | QuickPickSeparator): item is RowItem {
    return item.type !== 'separator';
}
