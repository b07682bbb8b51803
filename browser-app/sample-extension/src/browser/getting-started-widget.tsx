// SPDX-License-Identifier: Apache-2.0

import { codicon, KeybindingRegistry, Message, open, OpenerService, ReactWidget } from '@theia/core/lib/browser';
import { Command, CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { WorkspaceService } from '@theia/workspace/lib/browser';

/** In the sample workspace. */
export const SAMPLE_FILE = 'src/greeting.js';

/** The companion has a command for each CLI. */
const RUN = 'companion.run.';
/** Those whose keys a newcomer needs first. */
const KEYS = [
    'companion.review.accept',
    'companion.review.reject',
    'companion.review.next',
    'companion.review.nextChange',
    'companion.prompt.addSelection'
];

/** What a newcomer does in the first minute. */
@injectable()
export class GettingStartedWidget extends ReactWidget {
    static readonly ID = 'companion-sample-getting-started';
    static readonly LABEL = nls.localize('theia/cli-companion-sample/gettingStarted/title', 'Getting Started');

    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;

    @inject(KeybindingRegistry)
    protected readonly keybindings: KeybindingRegistry;

    @inject(OpenerService)
    protected readonly opener: OpenerService;

    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    @postConstruct()
    protected init(): void {
        this.id = GettingStartedWidget.ID;
        this.title.label = GettingStartedWidget.LABEL;
        this.title.caption = GettingStartedWidget.LABEL;
        this.title.iconClass = codicon('rocket');
        this.title.closable = true;
        this.addClass('companion-getting-started');
        this.node.tabIndex = -1;
        // The backend tells which CLIs there are, some time after the page has started.
        this.toDispose.push(this.commands.onCommandsChanged(() => this.update()));
        this.toDispose.push(this.keybindings.onKeybindingsChanged(() => this.update()));
        this.update();
    }

    protected override onActivateRequest(message: Message): void {
        super.onActivateRequest(message);
        this.node.focus();
    }

    protected render(): React.ReactNode {
        return (
            <div className="companion-getting-started-page">
                <h1>{nls.localize('theia/cli-companion-sample/gettingStarted/heading', 'An AI’s edit, reviewed in the editor')}</h1>
                <p>
                    {nls.localize(
                        'theia/cli-companion-sample/gettingStarted/intro',
                        'Qwen Code and Gemini CLI run in the terminal, know what you look at, and show their edits here as diffs. No account ' +
                            'is needed: in this sample both talk to a scripted model, a small program on this machine.'
                    )}
                </p>
                <ol>
                    <li>
                        <h2>{nls.localize('theia/cli-companion-sample/gettingStarted/look', 'Open the file with the flaw')}</h2>
                        <p>
                            {nls.localize(
                                'theia/cli-companion-sample/gettingStarted/lookText',
                                'Select a line in it: the CLI sees the file and the selection.'
                            )}
                        </p>
                        <button className="theia-button secondary" onClick={() => void this.openSampleFile()}>
                            {nls.localize('theia/cli-companion-sample/gettingStarted/open', 'Open {0}', SAMPLE_FILE)}
                        </button>
                    </li>
                    <li>
                        <h2>{nls.localize('theia/cli-companion-sample/gettingStarted/run', 'Start a CLI')}</h2>
                        <p>
                            {nls.localize(
                                'theia/cli-companion-sample/gettingStarted/runText',
                                'Or type qwen or gemini in any terminal; claude and opencode work as well, if you have installed them. ' +
                                    'The status bar says when it is connected.'
                            )}
                        </p>
                        {this.commands.commands.filter(({ id }) => id.startsWith(RUN)).map(command => this.renderRunButton(command))}
                    </li>
                    <li>
                        <h2>{nls.localize('theia/cli-companion-sample/gettingStarted/ask', 'Type in the CLI')}</h2>
                        <ul>
                            <li>
                                <code>what do you see?</code>{' '}
                                {nls.localize(
                                    'theia/cli-companion-sample/gettingStarted/see',
                                    'The answer names the open file and your selection.'
                                )}
                            </li>
                            <li>
                                <code>improve the greeting</code>{' '}
                                {nls.localize(
                                    'theia/cli-companion-sample/gettingStarted/improve',
                                    'The edit opens as a diff: accept it, reject it, or change its right side first.'
                                )}
                            </li>
                            <li>
                                <code>add a test</code>{' '}
                                {nls.localize('theia/cli-companion-sample/gettingStarted/test', 'A new file is a diff, too.')}
                            </li>
                        </ul>
                    </li>
                </ol>
                <h2>{nls.localize('theia/cli-companion-sample/gettingStarted/keys', 'Keys')}</h2>
                <table>
                    <tbody>{KEYS.map(id => this.renderKey(id))}</tbody>
                </table>
            </div>
        );
    }

    protected renderRunButton({ id, label }: Command): React.ReactNode {
        return (
            <button key={id} className="theia-button" onClick={() => void this.commands.executeCommand(id)}>
                {label}
            </button>
        );
    }

    protected renderKey(id: string): React.ReactNode {
        const label = this.commands.getCommand(id)?.label;
        const accelerators = this.keybindings
            .getKeybindingsForCommand(id)
            .map(binding => this.keybindings.acceleratorFor(binding, '+').join(' '));
        return (
            label && (
                <tr key={id}>
                    <th scope="row">{label}</th>
                    <td>
                        {accelerators.length === 0
                            ? nls.localize(
                                  'theia/cli-companion-sample/gettingStarted/palette',
                                  'in the command palette (F1) and the editor’s context menu'
                              )
                            : [...new Set(accelerators)].map(keys => <kbd key={keys}>{keys}</kbd>)}
                    </td>
                </tr>
            )
        );
    }

    protected async openSampleFile(): Promise<void> {
        const [root] = await this.workspace.roots;
        if (root) {
            await open(this.opener, root.resource.resolve(SAMPLE_FILE));
        }
    }
}
