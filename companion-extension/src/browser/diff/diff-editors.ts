// SPDX-License-Identifier: Apache-2.0

import { KeybindingRegistry } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { DiffContribution, DiffHost } from './diff-contribution';
import { DiffEditor } from './diff-editor';

/** Makes our diff editors. Knows the keys of their buttons, and what other features add to them. */
@injectable()
export class DiffEditors implements DiffHost {
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(KeybindingRegistry)
    protected readonly keybindings: KeybindingRegistry;
    @inject(ContributionProvider)
    @named(DiffContribution)
    protected readonly provider: ContributionProvider<DiffContribution>;

    protected readonly created = new Set<DiffEditor>();
    protected readonly onDidChangeVisibilityEmitter = new Emitter<void>();
    /** Fires when one opens or closes, and when Theia shows or hides one. */
    readonly onDidChangeVisibility = this.onDidChangeVisibilityEmitter.event;
    /** The keys of commands, by their ids, until somebody changes them. */
    protected readonly keys = new Map<string, readonly string[]>();

    @postConstruct()
    protected init(): void {
        this.keybindings.onKeybindingsChanged(() => this.keys.clear());
    }

    create(widget: EditorWidget): DiffEditor {
        const editor = new DiffEditor(widget, this);
        this.created.add(editor);
        widget.onDidChangeVisibility(() => this.onDidChangeVisibilityEmitter.fire());
        widget.disposed.connect(() => {
            this.created.delete(editor);
            this.onDidChangeVisibilityEmitter.fire();
        });
        this.onDidChangeVisibilityEmitter.fire();
        return editor;
    }

    get all(): ReadonlySet<DiffEditor> {
        return this.created;
    }

    get contributions(): readonly DiffContribution[] {
        return this.provider.getContributions();
    }

    /** Ctrl+Enter is an answer to the CLI if its terminal has it, so it comes last. */
    keysOf(commandId: string): readonly string[] {
        let keys = this.keys.get(commandId);
        if (!keys) {
            const bindings = this.keybindings.getKeybindingsForCommand(commandId);
            keys = [...new Set(bindings.map(binding => this.keybindings.acceleratorFor(binding, '+').join(' ')))];
            this.keys.set(commandId, keys);
        }
        return keys;
    }

    run(commandId: string, diff: EditorWidget): void {
        void this.commands.executeCommand(commandId, diff);
    }
}
