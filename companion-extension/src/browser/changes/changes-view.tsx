// SPDX-License-Identifier: Apache-2.0

import {
    codicon,
    CompositeTreeNode,
    ContextMenuRenderer,
    createTreeContainer,
    ExpandableTreeNode,
    Key,
    KeyCode,
    KeyModifier,
    Message,
    NodeProps,
    SelectableTreeNode,
    TreeModel,
    TreeNode,
    TreeProps,
    TreeWidget
} from '@theia/core/lib/browser';
import { BadgeService } from '@theia/core/lib/browser/badges';
import { Command, CommandRegistry } from '@theia/core/lib/common/command';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { MenuPath } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, interfaces, named, postConstruct } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { FileChange, UndoneChange } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { joinClauses } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { tooSoonText } from '../diff/diff-editor';
import { nameIn } from './change-uris';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { AnswerGuard } from '../window/answer-guard';
import { RowButton, StatusAction } from '../window/status-section-contribution';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeAccepted } from './accepted-words';
import { ChangeGroupContribution, FileRow, RowGroup } from './change-group-contribution';
import { acceptedWhen, ChangeGroup, groupsOf, undoneWhen } from './change-groups';
import { briefKind, changesTitle, describeCount, describeKind, emptyText, KIND_LETTERS, speakChange } from './change-words';
import { PageChanges } from './page-changes';

export const CHANGES_VIEW_ID = 'companion-changes';
export const CHANGES_CONTEXT_MENU: MenuPath = ['companion-changes-context-menu'];
const MAX_NAMES = 2_000;
const MESSAGE_TIME_MS = 4_000;

/** A row of the view. */
interface ChangeNode extends SelectableTreeNode {
    readonly change?: FileChange;
    readonly accepted?: AcceptedProposal;
    readonly undone?: UndoneChange;
    readonly group?: ChangeGroup;
    /** Of another feature. */
    readonly others?: RowGroup;
    readonly row?: FileRow;
    /** Of a row that only says something. */
    readonly note?: string;
}

interface FileNames {
    /** Absolute. */
    readonly path: string;
    /** As the user knows it. */
    readonly display: string;
    readonly name: string;
    /** Empty for a root that is the only one. */
    readonly folder: string;
}

/** What was changed outside the editor: by who wrote it and when, then what is committed, and what was undone. */
@injectable()
export class ChangesView extends TreeWidget {
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(ContributionProvider)
    @named(ChangeGroupContribution)
    protected readonly contributions: ContributionProvider<ChangeGroupContribution>;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(BadgeService)
    protected readonly badges: BadgeService;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;

    /** By the files' URIs. */
    protected readonly names = new Map<string, FileNames>();
    /** The rows' ids. */
    protected order: string[] = [];
    /** When other rows came to the place of some, as `performance.now()` counts. */
    protected movedAt = -Infinity;

    static create(parent: interfaces.Container): ChangesView {
        const props = { leftPadding: 8, expansionTogglePadding: 8, contextMenuPath: CHANGES_CONTEXT_MENU };
        return createTreeContainer(parent, { props, widget: ChangesView }).get(ChangesView);
    }

    constructor(
        @inject(TreeProps) props: TreeProps,
        @inject(TreeModel) model: TreeModel,
        @inject(ContextMenuRenderer) contextMenuRenderer: ContextMenuRenderer
    ) {
        super(props, model, contextMenuRenderer);
        this.id = CHANGES_VIEW_ID;
        this.title.label = changesTitle();
        this.title.caption = changesTitle();
        this.title.iconClass = codicon('git-pull-request-draft');
        this.title.closable = true;
        this.addClass('companion-changes');
    }

    @postConstruct()
    protected override init(): void {
        super.init();
        this.toDispose.pushAll([
            this.changes.onDidChange(() => this.refresh()),
            ...this.contributions.getContributions().map(({ onDidChange }) => onDidChange(() => this.refresh())),
            this.model.onOpenNode(node => this.showChange(node)),
            this.model.onSelectionChanged(() => this.update())
        ]);
        this.refresh();
    }

    protected override onAfterAttach(message: Message): void {
        super.onAfterAttach(message);
        // Lumino (2.7) has just made it a tab panel: rows of a tree outside of one are none.
        this.node.setAttribute('role', 'tree');
        this.node.setAttribute('aria-label', changesTitle());
        this.node.removeAttribute('aria-labelledby');
        this.addKeyListener(this.node, Key.DELETE, () => this.answerSelected('discard'));
        const withCtrl = (first: Key): KeyCode => KeyCode.createKeyCode({ first, modifiers: [KeyModifier.CtrlCmd] });
        this.addKeyListener(this.node, withCtrl(Key.BACKSPACE), () => this.answerSelected('discard'));
        this.addKeyListener(this.node, withCtrl(Key.ENTER), () => this.answerSelected('check'));
    }

    protected override onAfterShow(message: Message): void {
        super.onAfterShow(message);
        void this.changes.look();
    }

    /** Enter, or a click. */
    protected showChange(node: TreeNode): void {
        const { change, accepted, undone, row } = node as ChangeNode;
        if (row) {
            this.run(row);
        } else if (change ?? accepted ?? undone) {
            this.run({ command: CHANGE_COMMANDS.SHOW_CHANGES.id, args: [change ?? accepted ?? undone] });
        }
    }

    /** Not a group: that takes a click. */
    protected answerSelected(icon: 'check' | 'discard'): void {
        const [node] = this.model.selectedNodes as readonly ChangeNode[];
        const button = node && !ExpandableTreeNode.is(node) ? buttonsOf(node).find(each => each.icon === icon) : undefined;
        if (button) {
            this.press(button);
        }
    }

    /** Agents go on, and the next row comes to the place of one that is done: a key or a click that is aimed at one row must not undo another file. */
    protected press(action: StatusAction): void {
        if (this.guard.takesAnswer(undefined, this.movedAt)) {
            this.guard.recordAnswer();
            this.run(action);
        } else {
            this.messages.info(tooSoonText(), { timeout: MESSAGE_TIME_MS });
        }
    }

    protected run({ command, args = [] }: StatusAction): void {
        void this.commands.executeCommand(command, ...args);
    }

    /** Of a row, what its buttons act on. */
    protected override toContextMenuArgs(node: ChangeNode): unknown[] {
        return [node.change ?? node.accepted ?? node.undone ?? node.group?.turn ?? node.group?.files ?? node.row];
    }

    protected refresh(): void {
        const { list, count, accepted } = this.changes;
        const before = this.order;
        const [selected] = this.model.selectedNodes;
        if (this.names.size > MAX_NAMES) {
            this.names.clear();
        }
        this.order = [];
        const root: CompositeTreeNode = { id: CHANGES_VIEW_ID, name: '', parent: undefined, visible: false, children: [] };
        for (const group of groupsOf(list, accepted)) {
            const node: ChangeNode & ExpandableTreeNode = { ...this.groupRow(group.id, group.startsClosed), group };
            group.files.forEach(change => this.add(node, { ...this.row(change.uri), change }));
            group.accepted.forEach(accepted => this.add(node, { ...this.row(accepted.id), accepted }));
            group.undone.forEach(undone => this.add(node, { ...this.row(`${undone.id} ${undone.uri}`), undone }));
            this.add(root, node);
        }
        for (const others of this.contributions.getContributions().flatMap(contribution => contribution.groups())) {
            const node: ChangeNode & ExpandableTreeNode = { ...this.groupRow(others.id, others.startsClosed), others };
            others.rows.forEach(row => this.add(node, { ...this.row(`${others.id} ${row.id}`), row }));
            this.add(root, node);
        }
        if (list.more > 0) {
            this.add(root, { ...this.row('more'), note: moreText(list.more) });
        }
        this.model.root = root;
        if (this.order.join() !== before.join()) {
            this.movedAt = performance.now();
        }
        if (selected && !this.order.includes(selected.id)) {
            this.selectAt(before.indexOf(selected.id));
        }
        this.badges.showBadge(this, count > 0 ? { value: count, tooltip: describeCount(count) } : undefined);
    }

    protected add(parent: CompositeTreeNode, child: ChangeNode): void {
        CompositeTreeNode.addChild(parent, child);
        this.order.push(child.id);
    }

    /** The row that comes to the place of one that is done. */
    protected selectAt(index: number): void {
        const rows = this.order
            .map(id => this.model.getNode(id))
            .filter(node => SelectableTreeNode.is(node) && !ExpandableTreeNode.is(node));
        const place = this.order.slice(0, index).filter(id => rows.some(row => row?.id === id)).length;
        const node = rows[Math.min(place, rows.length - 1)];
        if (SelectableTreeNode.is(node)) {
            this.model.selectNode(node);
        }
    }

    protected groupRow(id: string, startsClosed = false): ChangeNode & ExpandableTreeNode {
        const before = this.model.getNode(id);
        return { ...this.row(id), expanded: ExpandableTreeNode.is(before) ? before.expanded : !startsClosed, children: [] };
    }

    protected row(id: string): ChangeNode {
        const before = this.model.getNode(id);
        return { id, parent: undefined, selected: SelectableTreeNode.isSelected(before) };
    }

    protected override tapNode(node?: TreeNode): void {
        super.tapNode(node);
        if (node) {
            this.showChange(node);
        }
    }

    protected override render(): React.ReactNode {
        const { list, trouble } = this.changes;
        const [selected] = this.model.selectedNodes;
        this.node.setAttribute('aria-activedescendant', selected ? elementId(selected) : '');
        if (this.order.length === 0) {
            return <div className="companion-changes-empty">{visibleText(emptyText(list.tracking, trouble))}</div>;
        }
        return super.render();
    }

    protected override createNodeAttributes(node: ChangeNode, props: NodeProps): React.HTMLAttributes<HTMLElement> {
        const { change, accepted, note } = node;
        const group = node.group ?? node.others;
        const other = accepted ?? node.undone ?? node.row;
        const file = change ?? other;
        const names = file && this.namesOf(file);
        const kind = change?.kind ?? (accepted ? 'accepted' : node.undone ? 'undone' : 'other');
        const data = names ? { 'data-path': names.path, 'data-kind': kind } : {};
        return {
            ...super.createNodeAttributes(node, props),
            ...data,
            id: elementId(node),
            role: 'treeitem',
            'aria-level': props.depth + 1,
            'aria-selected': SelectableTreeNode.isSelected(node),
            'aria-label':
                change && names
                    ? speakChange(change, names.name, names.folder)
                    : names
                      ? joinClauses([names.name, aboutOther(node)].filter(text => text !== ''))
                      : (group?.label ?? note),
            ...(ExpandableTreeNode.is(node) && { 'aria-expanded': node.expanded })
        };
    }

    protected override renderCaption(node: ChangeNode): React.ReactNode {
        const { change, note, row } = node;
        const group = node.group ?? node.others;
        const file = change ?? node.accepted ?? node.undone ?? row;
        if (!file) {
            const text = group?.label ?? note;
            return (
                <div className="theia-TreeNodeSegment theia-TreeNodeSegmentGrow companion-changes-group" title={text}>
                    {text}
                </div>
            );
        }
        const { display, name, folder } = this.namesOf(file);
        const about = aboutOther(node);
        const kind = change && (change.isAgain || !hasLines(change)) && describeKind(change);
        const count = (sign: string, lines = 0): React.ReactNode =>
            lines > 0 && (
                <span className={sign === '+' ? 'companion-changes-added' : 'companion-changes-removed'}>{`${sign}${lines}`}</span>
            );
        return (
            <div
                className="theia-TreeNodeSegment theia-TreeNodeSegmentGrow companion-changes-file"
                title={kind ? joinClauses([display, kind]) : display}
            >
                {change && <span className={`companion-changes-kind ${change.kind}`}>{KIND_LETTERS[change.kind]}</span>}
                <span className="companion-changes-name">{name}</span>
                {about && <span className="companion-changes-folder">{about}</span>}
                {folder && !row?.description && <span className="companion-changes-folder">{folder}</span>}
                {kind && <span className="companion-changes-folder companion-changes-what">{briefKind(change)}</span>}
                {change && hasLines(change) && (
                    <>
                        {count('+', change.added)}
                        {count('−', change.removed)}
                    </>
                )}
            </div>
        );
    }

    protected override renderTailDecorations(node: ChangeNode): React.ReactNode {
        return (
            <div className="companion-changes-buttons">
                {buttonsOf(node).map(button => (
                    <button
                        key={button.icon}
                        className={codicon(button.icon, true)}
                        tabIndex={-1}
                        title={button.tooltip}
                        aria-label={button.tooltip}
                        onClick={event => {
                            event.stopPropagation();
                            this.press(button);
                        }}
                    />
                ))}
            </div>
        );
    }

    /** Found once: hundreds of rows are drawn again with each change of the list. */
    protected namesOf({ uri }: Pick<FileChange, 'uri'>): FileNames {
        const known = this.names.get(uri);
        if (known) {
            return known;
        }
        const { path } = new URI(uri);
        const base = nameIn(uri);
        const display = this.paths.display(path.fsPath()).replace(/\/$/, '');
        const folder = visibleText(display.slice(0, -base.length - 1));
        const names = { path: path.fsPath(), display, name: visibleText(base), folder };
        this.names.set(uri, names);
        return names;
    }
}

const TURN_BUTTONS = [
    { ...CHANGE_COMMANDS.UNDO_TO_TURN, icon: 'history' },
    { ...CHANGE_COMMANDS.UNDO_TURN, icon: 'discard' }
];

function buttonsOf({ change, accepted, undone, group, others, row }: ChangeNode): readonly RowButton[] {
    const button = (icon: string, { id, label = '' }: Command, argument: unknown): RowButton => ({
        ...{ icon, tooltip: label, command: id, args: [argument] }
    });
    if (accepted) {
        // The command's own label is about the last one, which a row need not be.
        const label = nls.localize('theia/cli-companion/changes/undoAccepted', 'Undo This Accepted Proposal');
        return accepted.noUndo ? [] : [button('discard', { ...CHANGE_COMMANDS.UNDO_ACCEPTED, label }, accepted)];
    }
    if (undone) {
        return [button('redo', CHANGE_COMMANDS.PUT_BACK, undone)];
    }
    if (group) {
        const keep = button('check-all', CHANGE_COMMANDS.KEEP_ALL, group.files);
        const undo = button('discard', CHANGE_COMMANDS.UNDO_ALL, group.files);
        switch (group.kind) {
            case 'changed':
                return [
                    ...(group.turn ? TURN_BUTTONS.map(command => button(command.icon, command, group.turn)) : [undo]),
                    ...(group.files.length > 0 ? [keep] : [])
                ];
            case 'outside':
            case 'committed':
                return [keep];
            case 'undone':
                return [
                    ...(isOneUndo(group) ? [button('redo', CHANGE_COMMANDS.PUT_BACK, group.undone)] : []),
                    button('clear-all', CHANGE_COMMANDS.CLEAR_UNDONE, undefined)
                ];
            default:
                return [];
        }
    }
    if (change) {
        const keep = button('check', CHANGE_COMMANDS.KEEP_FILE, change);
        return change.canUndo ? [button('discard', CHANGE_COMMANDS.UNDO_FILE, change), keep] : [keep];
    }
    return (others ?? row)?.buttons ?? [];
}

/** Of a row that is no change. */
function aboutOther({ accepted, undone, row }: ChangeNode): string {
    if (accepted) {
        return [acceptedWhen(accepted), describeAccepted(accepted)].filter(text => text !== '').join(' · ');
    }
    return undone ? undoneWhen(undone) : (row?.description ?? '');
}

/** Files that were undone at once. Others may be the same file, undone again. */
function isOneUndo({ undone: [first, second] }: ChangeGroup): boolean {
    return first.id === second?.id;
}

function hasLines({ kind, added = 0, removed = 0 }: FileChange): boolean {
    return (kind === 'modified' || kind === 'added') && added + removed > 0;
}

function moreText(more: number): string {
    return more === 1
        ? nls.localize('theia/cli-companion/changes/oneMore', 'and 1 more file, not shown')
        : nls.localize('theia/cli-companion/changes/more', 'and {0} more files, not shown', more);
}

function elementId({ id }: TreeNode): string {
    return `companion-changes ${id}`.replace(/\s/g, '-');
}
