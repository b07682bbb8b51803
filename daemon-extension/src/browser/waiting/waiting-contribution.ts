// SPDX-License-Identifier: Apache-2.0

import { codicon, KeybindingContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorWidget } from '@theia/editor/lib/browser';
import { REVIEWS_WAITING_KEY } from 'theia-cli-companion/lib/browser';
import { Conversations, WaitingPermission } from '../chat/conversations';
import { EditDiffUris } from '../diff/edit-diff-resources';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { QWEN_WAITS_KEY, WaitingPermissions } from './waiting-permissions';

/** Answers what waits by command, by key from anywhere, and in the title of the diff that it is about. */
@injectable()
export class WaitingContribution implements CommandContribution, KeybindingContribution, TabBarToolbarContribution {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(WaitingPermissions)
    protected readonly waiting: WaitingPermissions;

    registerCommands(commands: CommandRegistry): void {
        const isEnabled = (): boolean => this.waiting.any;
        const register = (command: { id: string }, execute: (widget?: unknown) => unknown): void => {
            commands.registerCommand(command, { isEnabled, isVisible: isEnabled, execute });
        };
        register(QwenDaemonCommands.ALLOW, widget => this.waiting.decide(true, this.of(widget)));
        register(QwenDaemonCommands.REJECT, widget => this.waiting.decide(false, this.of(widget)));
        register(QwenDaemonCommands.SHOW_WAITING, () => this.waiting.show());
    }

    /** The keys of the companion's proposals, which come first where both wait. */
    registerKeybindings(keybindings: KeybindingRegistry): void {
        const anywhere = `${QWEN_WAITS_KEY} && !${REVIEWS_WAITING_KEY}`;
        const inChat = `${QWEN_WAITS_KEY} && (chatInputFocus || chatResponseFocus)`;
        keybindings.registerKeybindings(
            { command: QwenDaemonCommands.ALLOW.id, keybinding: 'ctrlcmd+enter', when: inChat },
            { command: QwenDaemonCommands.REJECT.id, keybinding: 'ctrlcmd+alt+backspace', when: inChat },
            { command: QwenDaemonCommands.REJECT.id, keybinding: 'ctrl+shift+f7', when: anywhere },
            { command: QwenDaemonCommands.SHOW_WAITING.id, keybinding: 'ctrl+shift+f8', when: anywhere },
            { command: QwenDaemonCommands.ALLOW.id, keybinding: 'ctrl+shift+f9', when: anywhere }
        );
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        for (const [command, icon] of [
            [QwenDaemonCommands.ALLOW, 'check'],
            [QwenDaemonCommands.REJECT, 'close']
        ] as const) {
            toolbar.registerItem({
                id: command.id,
                command: command.id,
                icon: codicon(icon),
                tooltip: command.label,
                isVisible: widget => this.of(widget) !== undefined,
                onDidChange: this.waiting.onDidChange
            });
        }
    }

    /** What waits for an answer to the edit that an editor shows. */
    protected of(widget: unknown): WaitingPermission | undefined {
        // Of a diff it is the URI of the right side.
        const uri = widget instanceof EditorWidget ? widget.getResourceUri() : undefined;
        const edit = uri && EditDiffUris.parse(uri);
        return (
            edit &&
            this.conversations.waiting.find(
                ({ turnId, permission }) => turnId === edit.turnId && permission.permission.toolId === edit.toolId
            )
        );
    }
}
