// SPDX-License-Identifier: Apache-2.0

import {
    AbstractViewContribution,
    ConfirmDialog,
    FrontendApplicationContribution,
    KeybindingRegistry,
    Widget
} from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { Command, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileChange, UndoneChange, UndoResult } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { tooSoonText } from '../diff/diff-editor';
import { REVIEWS_WAITING_KEY, WaitingReviews } from '../review/waiting-reviews';
import { AnswerGuard } from '../window/answer-guard';
import { ALT_GRAPH_KEY } from '../window/held-keys';
import { ChangeDiff, ChangeDiffs, isHunk } from './change-diff';
import { isAccepted, isChange, isUndone } from './change-groups';
import { ChangeOffer } from './change-offer';
import { ChangeOutcomes } from './change-outcomes';
import { ChangeUndo } from './change-undo';
import { BASELINE_SCHEME } from './change-uris';
import { changesTitle, noUndoText } from './change-words';
import { CHANGES_CONTEXT_MENU, CHANGES_VIEW_ID, ChangesView } from './changes-view';
import { PageChanges } from './page-changes';
import { PastDiffs } from './past-diffs';
import { UndoTime } from './undo-time';

/** True while files are listed. */
export const CHANGES_LISTED_KEY = 'companionChangesListed';
const NONE_WAITS = `${CHANGES_LISTED_KEY} && !${REVIEWS_WAITING_KEY}`;
/** The text, or the accessible viewer. */
const IN_DIFF = `(editorTextFocus || (isInDiffEditor && !editorFocus)) && diffEditorOriginalUri =~ /^${BASELINE_SCHEME}:/`;
/** Before more are undone at once, the user is asked. */
const MANY_FILES = 50;
const MESSAGE_TIME_MS = 8_000;
const NOTHING: UndoResult = { done: [], left: [] };

/** The view of the changes, and what a user does with them: commands, keys and toolbars. */
@injectable()
export class ChangesContribution
    extends AbstractViewContribution<ChangesView>
    implements FrontendApplicationContribution, TabBarToolbarContribution
{
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(ChangeDiffs)
    protected readonly diffs: ChangeDiffs;
    @inject(ChangeUndo)
    protected readonly changeUndo: ChangeUndo;
    @inject(ChangeOutcomes)
    protected readonly outcomes: ChangeOutcomes;
    @inject(PastDiffs)
    protected readonly past: PastDiffs;
    @inject(UndoTime)
    protected readonly undoTime: UndoTime;
    @inject(ChangeOffer)
    protected readonly offer: ChangeOffer;
    @inject(WaitingReviews)
    protected readonly reviews: WaitingReviews;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    protected listed: ContextKey<boolean>;
    protected readonly toDispose = new DisposableCollection();

    constructor() {
        super({
            widgetId: CHANGES_VIEW_ID,
            widgetName: changesTitle(),
            defaultWidgetOptions: { area: 'left', rank: 350 }
        });
    }

    @postConstruct()
    protected init(): void {
        this.listed = this.contextKeys.createKey(CHANGES_LISTED_KEY, false);
    }

    onStart(): void {
        this.toDispose.push(this.changes.onDidChange(() => this.update()));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    override registerCommands(commands: CommandRegistry): void {
        super.registerCommands(commands);
        // In the menu of a row of another kind it has no place.
        const isFor =
            (...kinds: Array<(row: unknown) => boolean>) =>
            (of?: unknown): boolean =>
                typeof of !== 'object' || of instanceof Widget || kinds.some(isOfKind => isOfKind(of));
        commands.registerCommand(CHANGE_COMMANDS.SHOW_CHANGES, {
            isVisible: isFor(isChange, isAccepted, isUndone),
            execute: (change?: FileChange) => this.show(change)
        });
        commands.registerCommand(CHANGE_COMMANDS.REVIEW_CHANGES, { execute: () => this.review() });
        const go = (target: 'next' | 'previous'): CommandHandler => ({
            isEnabled: () => this.isListed && (this.diffs.isShown(this.shell.activeWidget) || this.reviews.widgetInFront === undefined),
            execute: () => this.diffs.goToChange(target)
        });
        commands.registerCommand(CHANGE_COMMANDS.NEXT_FILE_CHANGE, go('next'));
        commands.registerCommand(CHANGE_COMMANDS.PREVIOUS_FILE_CHANGE, go('previous'));
        commands.registerCommand(CHANGE_COMMANDS.NEXT_CHANGED_FILE, {
            isEnabled: () => this.isListed,
            execute: () => this.diffs.goToFile('next')
        });
        const atChange = (answer: 'keep' | 'undo'): CommandHandler => ({
            isEnabled: () => this.diffs.find() !== undefined,
            execute: (of?: unknown) => this.answerChange(answer, of)
        });
        commands.registerCommand(CHANGE_COMMANDS.KEEP_CHANGE, atChange('keep'));
        commands.registerCommand(CHANGE_COMMANDS.UNDO_CHANGE, atChange('undo'));
        // A row of the view names its change. Toolbars name their widget.
        const ofFile = (
            run: (change: FileChange, diff?: ChangeDiff) => Promise<void>,
            isOffered: (change: FileChange) => boolean
        ): CommandHandler => {
            const changeOf = (of?: unknown): FileChange | undefined =>
                isChange(of) ? of : (this.diffs.find(of)?.change ?? this.diffs.ofFileInFront);
            return {
                isVisible: isFor(isChange),
                isEnabled: (of?: unknown) => [changeOf(of)].some(change => change && isOffered(change)),
                execute: (of?: unknown) => {
                    const change = changeOf(of);
                    return change && run(change, isChange(of) ? undefined : this.diffs.find(of));
                }
            };
        };
        commands.registerCommand(
            CHANGE_COMMANDS.KEEP_FILE,
            ofFile(
                (change, diff) => this.keep([change], diff),
                () => true
            )
        );
        commands.registerCommand(
            CHANGE_COMMANDS.UNDO_FILE,
            ofFile(
                (change, diff) => this.undo([change], diff),
                ({ canUndo }) => canUndo
            )
        );
        // A group of the view names its files.
        const ofAll = (run: (files?: readonly FileChange[]) => Promise<void>, all: () => readonly FileChange[]): CommandHandler => ({
            isEnabled: () => all().length > 0,
            execute: (files?: unknown) => run(Array.isArray(files) ? (files as FileChange[]) : undefined)
        });
        commands.registerCommand(
            CHANGE_COMMANDS.KEEP_ALL,
            ofAll(
                files => this.keepAll(files),
                () => this.changes.files
            )
        );
        commands.registerCommand(
            CHANGE_COMMANDS.UNDO_ALL,
            ofAll(
                files => (files ? this.undo(files.filter(({ canUndo }) => canUndo)) : this.undoAll()),
                () => this.changes.toReview.filter(({ canUndo }) => canUndo)
            )
        );
        commands.registerCommand(CHANGE_COMMANDS.UNDO_ACCEPTED, {
            isVisible: isFor(isAccepted),
            isEnabled: () => this.changes.undoable !== undefined,
            execute: (proposal?: AcceptedProposal) => this.undoAccepted(proposal)
        });
        commands.registerCommand(CHANGE_COMMANDS.PUT_BACK, {
            isVisible: isFor(isUndone),
            isEnabled: () => this.changes.list.undone.length > 0,
            execute: (undone?: UndoneChange | readonly UndoneChange[]) => this.putBack(undone)
        });
        commands.registerCommand(CHANGE_COMMANDS.CLEAR_UNDONE, {
            isVisible: isFor(isUndone),
            isEnabled: () => this.changes.list.undone.length > 0,
            execute: () => this.clearUndone()
        });
    }

    override registerKeybindings(keybindings: KeybindingRegistry): void {
        super.registerKeybindings(keybindings);
        // These work from the terminal, too. In a proposal, the same keys go through its changes. A debugger restarts with one of them.
        keybindings.registerKeybindings(
            { command: CHANGE_COMMANDS.NEXT_FILE_CHANGE.id, keybinding: 'ctrl+shift+f6', when: CHANGES_LISTED_KEY },
            {
                command: CHANGE_COMMANDS.PREVIOUS_FILE_CHANGE.id,
                keybinding: 'ctrl+shift+f5',
                when: `${CHANGES_LISTED_KEY} && !inDebugMode`
            },
            { command: CHANGE_COMMANDS.NEXT_CHANGED_FILE.id, keybinding: 'ctrl+shift+f10', when: CHANGES_LISTED_KEY },
            { command: CHANGE_COMMANDS.KEEP_CHANGE.id, keybinding: 'ctrlcmd+enter', when: IN_DIFF },
            { command: CHANGE_COMMANDS.UNDO_CHANGE.id, keybinding: 'ctrlcmd+alt+backspace', when: `${IN_DIFF} && !${ALT_GRAPH_KEY}` },
            // Those that answer a proposal while one waits.
            { command: CHANGE_COMMANDS.KEEP_CHANGE.id, keybinding: 'ctrl+shift+f9', when: NONE_WAITS },
            { command: CHANGE_COMMANDS.UNDO_CHANGE.id, keybinding: 'ctrl+shift+f7', when: NONE_WAITS }
        );
    }

    override registerMenus(menus: MenuModelRegistry): void {
        super.registerMenus(menus);
        const { SHOW_CHANGES, KEEP_FILE, UNDO_FILE, UNDO_ACCEPTED, PUT_BACK, CLEAR_UNDONE } = CHANGE_COMMANDS;
        const ofRow = [
            { ...SHOW_CHANGES, label: nls.localizeByDefault('Open') },
            KEEP_FILE,
            UNDO_FILE,
            UNDO_ACCEPTED,
            PUT_BACK,
            CLEAR_UNDONE
        ];
        ofRow.forEach(({ id, label }, index) =>
            menus.registerMenuAction(CHANGES_CONTEXT_MENU, { commandId: id, label, order: String(index) })
        );
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        const inDiff = (widget?: Widget): boolean =>
            widget instanceof EditorWidget && this.diffs.isShown(widget) && this.diffs.find(widget) !== undefined;
        const inView = (widget?: Widget): boolean => widget instanceof ChangesView;
        const { KEEP_FILE, UNDO_FILE, KEEP_ALL, UNDO_ALL, SHOW_CHANGES } = CHANGE_COMMANDS;
        // Theia asks again only then whether a command can do something.
        const { onDidChange } = this.changes;
        const tooltip = nls.localize('theia/cli-companion/changes/lookAgain', 'Look Again');
        [UNDO_FILE, KEEP_FILE].forEach(({ id }, index) =>
            toolbar.registerItem({ id, command: id, priority: index - 20, isVisible: inDiff })
        );
        // In the menu of the title: as icons they leave no room for its words.
        [UNDO_ALL, KEEP_ALL].forEach(({ id }, index) =>
            toolbar.registerItem({ id, command: id, group: 'all', order: String(index), isVisible: inView, onDidChange })
        );
        toolbar.registerItem({ id: SHOW_CHANGES.id, command: SHOW_CHANGES.id, group: 'look', tooltip, isVisible: inView });
    }

    protected get isListed(): boolean {
        return this.changes.toReview.length > 0;
    }

    protected update(): void {
        const { isListed } = this;
        // Its icon shows the number.
        if (isListed && !this.listed.get()) {
            void this.openView();
        }
        this.listed.set(isListed);
    }

    /** A toolbar hands over its widget. */
    protected async show(change?: unknown): Promise<void> {
        if (isChange(change)) {
            await this.diffs.show(change);
        } else if (isAccepted(change) || isUndone(change)) {
            await this.past.show(change);
        } else {
            const view = await this.openView({ activate: true });
            if (view.isVisible) {
                await this.changes.look();
            }
        }
    }

    /** The first change, or the list if it has none that can be shown. */
    protected async review(): Promise<void> {
        if (!(await this.diffs.showNextFile())) {
            await this.show();
        }
    }

    /**
     * Keeps or undoes the change that the user has before the eyes. One key never answers a proposal and a change.
     * @param of the change that Monaco's toolbar names, or the diff whose button was clicked; a key names none
     */
    protected async answerChange(answer: 'keep' | 'undo', of?: unknown): Promise<void> {
        const hunk = isHunk(of) ? of : undefined;
        const diff = hunk ? this.diffs.findBy(hunk.originalUri) : this.diffs.find(of);
        if (!diff) {
            return;
        }
        const { editor, widget, change } = diff;
        const mapping = hunk?.mapping ?? editor.changeInView;
        const hasKeyboard = this.shell.activeWidget === widget && this.diffs.isShown(widget);
        const isFree = of !== undefined || hasKeyboard || this.reviews.isQuiet;
        // The backend brings a deleted file back with its permissions.
        const isWhole = change.isWhole === true || (change.kind === 'deleted' && change.canUndo) || (!mapping && editor.changesNothing);
        const isAtOne = mapping !== undefined || isWhole;
        if (!isAtOne || !isFree || !editor.isOnScreen || !this.guard.takesAnswer(undefined, editor.shownSince)) {
            if (!isAtOne || !editor.isOnScreen) {
                editor.revealChange();
            }
            this.guard.restart();
            editor.say(tooSoonText());
            return;
        }
        if (isWhole && answer === 'undo' && !change.canUndo) {
            editor.say(noUndoText());
            return;
        }
        this.guard.recordAnswer();
        if (hunk) {
            // Ctrl+Z may come next. The button does not get the keyboard.
            await this.shell.activateWidget(widget.id);
        }
        if (!mapping || isWhole) {
            await (answer === 'keep' ? this.keep([change], diff) : this.undo([change], diff));
            return;
        }
        const shown = this.diffs.shownIn(diff, mapping);
        if (answer === 'undo' && !(await this.undoTime.comes([change]))) {
            return;
        }
        const following = this.diffs.filesAfter(change);
        const done = await this.outcomes.decide([change], async one =>
            answer === 'keep' ? this.changeUndo.keep(one, shown) : shown ? this.changeUndo.undo(one, shown) : 'changed'
        );
        if (answer === 'undo') {
            this.offer.tellUndone(done);
        }
        if (done.length > 0) {
            await this.diffs.goOn(diff, following, mapping);
        }
    }

    protected async keep(files: readonly FileChange[], diff?: ChangeDiff): Promise<void> {
        const following = this.diffs.filesAfter(diff?.change);
        const done = await this.outcomes.decide(files, change => this.changeUndo.keep(change, diff && this.diffs.shownIn(diff)));
        await this.diffs.leave(done, following, diff);
    }

    protected async undo(listed: readonly FileChange[], diff?: ChangeDiff): Promise<void> {
        const moment = await this.undoTime.comes(listed);
        const files = moment === 'later' ? listed.flatMap(({ uri }) => this.changes.find(uri) ?? []) : listed;
        const [change] = files;
        if (!moment || !change) {
            return;
        }
        const shown = diff && this.diffs.shownIn(diff);
        const following = this.diffs.filesAfter(diff?.change);
        const undo = async (): Promise<UndoResult> =>
            shown && !(await this.changeUndo.isAsShown(change, shown))
                ? { done: [], left: [{ uri: change.uri, reason: 'changed' }] }
                : this.changeUndo.undoFiles(files);
        const done = await this.outcomes.doneOf(undo);
        const undone = files.filter(({ uri }) => done.includes(uri));
        this.offer.tellUndone(undone);
        await this.diffs.leave(undone, following, diff);
    }

    /** The newest one, or that of a row. */
    protected async undoAccepted(proposal = this.changes.undoable): Promise<void> {
        const undone = await this.outcomes.decide(proposal ? [proposal] : [], async one => {
            const outcome = await this.changeUndo.undoAccepted(one);
            if (outcome === 'unsaved' || (outcome === 'done' && !one.isNew)) {
                // Ctrl+Z may come next.
                await this.diffs.showFile(one);
            }
            return outcome;
        });
        this.offer.tellUndone(undone.map(({ uri, cliName }) => ({ uri, authors: [cliName] })));
    }

    /** It cannot be taken back. @param files of a group; all, also those that are not shown, if it is left out */
    protected async keepAll(files?: readonly FileChange[]): Promise<void> {
        const { version, more } = this.changes.list;
        const count = files?.length ?? this.changes.files.length + more;
        const title = nls.localize('theia/cli-companion/changes/keepAllTitle', 'Keep the changes of all {0} files?', count);
        const msg = nls.localize('theia/cli-companion/changes/keepAllText', 'They are not listed any more. The files stay as they are.');
        if (count > 1 && !(await this.confirm(title, msg, CHANGE_COMMANDS.KEEP_ALL))) {
            return;
        }
        await (files ? this.keep(files) : this.doneOfList(async () => (await this.changeUndo.keepAll(version)) && NOTHING));
    }

    /** Also those that are not shown. */
    protected async undoAll(): Promise<void> {
        if (!(await this.undoTime.comes(this.changes.toReview))) {
            return;
        }
        const { version } = this.changes.list;
        const shown = this.changes.toReview;
        const done = await this.doneOfList(async () => {
            const { files, lost } = await this.changeUndo.countUndoAll();
            const title = nls.localize('theia/cli-companion/changes/undoAllTitle', 'Undo the changes of all {0} files?', files);
            const msg =
                lost > 0
                    ? nls.localize('theia/cli-companion/changes/undoAllLost', '{0} of them cannot be put back: there is no room.', lost)
                    : nls.localize('theia/cli-companion/changes/undoAllKept', 'Put Back brings them back.');
            const isMeant = (files <= MANY_FILES && lost === 0) || (await this.confirm(title, msg, CHANGE_COMMANDS.UNDO_ALL));
            return isMeant ? this.changeUndo.undoAll(version) : NOTHING;
        });
        const undone = shown.filter(({ uri }) => done.includes(uri));
        this.offer.tellUndone(undone);
        await this.diffs.leave(undone, []);
    }

    /** @param undone a file, or all files of one undo; what was undone last and can go back, if it is left out */
    protected async putBack(undone: UndoneChange | readonly UndoneChange[] = this.changes.list.undone): Promise<void> {
        await this.outcomes.doneOf(async () => {
            if ('uri' in undone) {
                return this.changeUndo.putBack(undone.id, undone.uri);
            }
            const left: UndoResult['left'] = [];
            for (const id of new Set(undone.map(each => each.id))) {
                const result = await this.changeUndo.putBack(id);
                left.push(...result.left);
                if (result.done.length > 0) {
                    return { done: result.done, left };
                }
            }
            return { done: [], left };
        });
    }

    protected async clearUndone(): Promise<void> {
        await this.doneOfList(async () => (await this.changeUndo.clearUndone(this.changes.list.version)) && NOTHING);
    }

    /** As `ChangeOutcomes.doneOf` has it. @param act nothing if the list is another one than the user saw */
    protected doneOfList(act: () => Promise<UndoResult | undefined | false>): Promise<string[]> {
        return this.outcomes.doneOf(async () => {
            const result = await act();
            if (!result) {
                const text = nls.localize('theia/cli-companion/changes/listChanged', 'The list has changed. Look at it, then press again.');
                this.messages.info(text, { timeout: MESSAGE_TIME_MS });
            }
            return result || NOTHING;
        });
    }

    protected async confirm(title: string, msg: string, { label = '' }: Command): Promise<boolean> {
        return (await new ConfirmDialog({ title, msg, ok: label }).open()) === true;
    }
}
