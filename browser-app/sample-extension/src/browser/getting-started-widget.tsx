// SPDX-License-Identifier: Apache-2.0

import { codicon, KeybindingRegistry, Message, open, OpenerService, ReactWidget, StatefulWidget } from '@theia/core/lib/browser';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { CompanionCommands, CompanionConnection, ContextTracker } from 'theia-cli-companion/lib/browser';
import { listOf } from 'theia-cli-companion/lib/common';
import { StartableCli } from 'theia-cli-companion/lib/common/internal/companion-protocol';
import { PromptBackend } from 'theia-cli-companion/lib/common/internal/prompt-protocol';
import { joinSentences } from 'theia-cli-companion/lib/common/internal/sentences';

/** The preference that says which page opens: `sample`, `project` or `none`. */
export const GETTING_STARTED = 'sample.gettingStarted';
/** In the sample workspace. */
const SAMPLE_FILE = 'src/greeting.js';
/** Theia's search for files. */
const OPEN_FILE = 'file-search.openFile';
/** Two columns of the page or of code need this room, in pixels. */
const ROOM_BESIDE = 700;
/** Those whose keys a newcomer needs first. */
const KEYS = [
    CompanionCommands.ACCEPT_REVIEW,
    CompanionCommands.REJECT_REVIEW,
    CompanionCommands.NEXT_REVIEW,
    CompanionCommands.NEXT_CHANGE,
    CompanionCommands.ADD_SELECTION
];

type Step = 'look' | 'run' | 'ask';

/** What a newcomer does in the first minute: with the sample, or with a project of their own. */
@injectable()
export class GettingStartedWidget extends ReactWidget implements StatefulWidget {
    static readonly ID = 'companion-sample-getting-started';
    static readonly LABEL = nls.localize('theia/cli-companion-sample/gettingStarted/title', 'Getting Started');

    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(KeybindingRegistry)
    protected readonly keybindings: KeybindingRegistry;
    @inject(OpenerService)
    protected readonly opener: OpenerService;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(PromptBackend)
    protected readonly backend: Pick<PromptBackend, 'findCommand'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextTracker)
    protected readonly tracker: ContextTracker;

    /** The steps that the user has done. */
    protected done: ReadonlySet<Step> = new Set();
    /** How many CLIs there are: the backend tells some time after the page has started. */
    protected known = 0;
    /** Ids of those whose command the backend does not find. */
    protected missing: ReadonlySet<string> = new Set();

    @postConstruct()
    protected init(): void {
        this.id = GettingStartedWidget.ID;
        this.title.label = GettingStartedWidget.LABEL;
        this.title.caption = GettingStartedWidget.LABEL;
        this.title.iconClass = codicon('rocket');
        this.title.closable = true;
        this.addClass('companion-getting-started');
        this.node.tabIndex = -1;
        this.toDispose.pushAll([
            this.keybindings.onKeybindingsChanged(() => this.update()),
            this.connection.onDidChangeState(() => this.refresh()),
            this.tracker.onDidChange(() => this.refresh())
        ]);
        this.update();
        // On a busy machine the page is made after the state has come, which nothing announces again.
        this.refresh();
    }

    storeState(): object {
        return { done: [...this.done] };
    }

    restoreState({ done }: { done?: Step[] }): void {
        this.done = new Set(done);
        this.update();
    }

    /** Beside the page if there is room. */
    protected async openSampleFile(): Promise<void> {
        const [root] = await this.workspace.roots;
        if (root) {
            const beside = (this.parent?.node.clientWidth ?? 0) >= ROOM_BESIDE;
            const widgetOptions = { ref: this, mode: beside ? ('open-to-right' as const) : ('tab-after' as const) };
            await open(this.opener, root.resource.resolve(SAMPLE_FILE), { widgetOptions });
        }
    }

    protected get isSample(): boolean {
        return this.preferences.get(GETTING_STARTED) === 'sample';
    }

    protected override onAfterShow(message: Message): void {
        super.onAfterShow(message);
        void this.findMissing();
    }

    protected override onActivateRequest(message: Message): void {
        super.onActivateRequest(message);
        this.node.focus();
    }

    protected get clis(): readonly StartableCli[] {
        return this.connection.state?.status.clis ?? [];
    }

    /** One may have been installed since. Never rejects. */
    protected async findMissing(): Promise<void> {
        const searches = this.clis.map(({ id }) => this.backend.findCommand(id).catch(() => undefined));
        const found = await Promise.all(searches);
        this.missing = new Set(this.clis.filter((_, index) => found[index]?.found === false).map(({ id }) => id));
        this.update();
    }

    protected refresh(): void {
        if (this.clis.length !== this.known) {
            this.known = this.clis.length;
            void this.findMissing();
        }
        const { reviews = [], status } = this.connection.state ?? {};
        const active = this.tracker.shared.workspaceState?.openFiles?.find(({ isActive }) => isActive);
        const isLooking = active !== undefined && (!this.isSample || active.path.endsWith(`/${SAMPLE_FILE}`));
        const steps: Record<Step, boolean> = { look: isLooking, run: !!status?.connections.length, ask: reviews.length > 0 };
        const before = this.done.size;
        this.done = new Set([...this.done, ...(Object.keys(steps) as Step[]).filter(step => steps[step])]);
        if (this.done.size > before) {
            this.update();
            this.showNextStep();
        }
    }

    /** The terminal may cover it. */
    protected showNextStep(): void {
        const steps = [...this.node.querySelectorAll<HTMLElement>('[data-step]')];
        steps.find(({ dataset }) => !this.done.has(dataset.step as Step))?.scrollIntoView({ block: 'nearest' });
    }

    protected render(): React.ReactNode {
        return (
            <div className="companion-getting-started-page">
                <h1>{nls.localize('theia/cli-companion-sample/gettingStarted/heading', 'An AI’s edit, reviewed in the editor')}</h1>
                <p>
                    {joinSentences([
                        nls.localize(
                            'theia/cli-companion-sample/gettingStarted/what',
                            'CLIs run in the terminal, know what you look at, and show their edits here as diffs.'
                        ),
                        this.isSample
                            ? nls.localize(
                                  'theia/cli-companion-sample/gettingStarted/noAccount',
                                  'No account is needed: in this sample they talk to a scripted model, a small program on this machine.'
                              )
                            : undefined,
                        nls.localize(
                            'theia/cli-companion-sample/gettingStarted/demo',
                            'This demo has no git and no languages: a product brings its own.'
                        )
                    ])}
                </p>
                <ol>
                    {this.isSample && this.renderSampleFile()}
                    {this.renderClis()}
                    {!this.isSample && this.renderAnyFile()}
                    {this.isSample ? this.renderSamplePrompts() : this.renderPrompts()}
                </ol>
                {this.renderChanges()}
                <h2>{nls.localize('theia/cli-companion-sample/gettingStarted/keys', 'Keys')}</h2>
                <table>
                    <tbody>{KEYS.map(({ id }) => this.renderKey(id))}</tbody>
                </table>
            </div>
        );
    }

    protected renderStep(step: Step, title: string, text: string, content: React.ReactNode): React.ReactNode {
        const done = nls.localize('theia/cli-companion-sample/gettingStarted/done', 'Done');
        return (
            <li key={step} data-step={step}>
                <h2>
                    {title} {this.done.has(step) && <span className={codicon('check')} role="img" aria-label={done} title={done} />}
                </h2>
                <p>{text}</p>
                {content}
            </li>
        );
    }

    protected renderSampleFile(): React.ReactNode {
        return this.renderStep(
            'look',
            nls.localize('theia/cli-companion-sample/gettingStarted/look', 'Open the file with the flaw'),
            nls.localize(
                'theia/cli-companion-sample/gettingStarted/lookText',
                'Select a line in it: the CLI sees the file and the selection.'
            ),
            <button className="theia-button secondary" onClick={() => void this.openSampleFile()}>
                {nls.localize('theia/cli-companion-sample/gettingStarted/open', 'Open {0}', SAMPLE_FILE)}
            </button>
        );
    }

    protected renderAnyFile(): React.ReactNode {
        return this.renderStep(
            'look',
            nls.localize('theia/cli-companion-sample/gettingStarted/lookAny', 'Open a file'),
            nls.localize(
                'theia/cli-companion-sample/gettingStarted/lookAnyText',
                'Select some lines: the CLI sees the file and the selection.'
            ),
            this.commands.getCommand(OPEN_FILE) && (
                <button className="theia-button secondary" onClick={() => void this.commands.executeCommand(OPEN_FILE)}>
                    {nls.localize('theia/cli-companion-sample/gettingStarted/openAny', 'Open File…')}
                </button>
            )
        );
    }

    /** Run buttons for those that are there, and what installs the others. */
    protected renderClis(): React.ReactNode {
        // The sample brings the others.
        const running = new Set(this.connection.state?.agents.map(({ cliId }) => cliId));
        const isMissing = ({ id }: StartableCli): boolean => this.missing.has(id) && !running.has(id);
        const missing = this.isSample ? [] : this.clis.filter(isMissing);
        return this.renderStep(
            'run',
            nls.localize('theia/cli-companion-sample/gettingStarted/run', 'Start a CLI'),
            nls.localize(
                'theia/cli-companion-sample/gettingStarted/runHint',
                'Or type its command in any terminal. The status bar says when it is connected.'
            ),
            <>
                {this.clis
                    .filter(cli => !isMissing(cli))
                    .map(cli => this.renderCommand(CompanionCommands.run(cli).id, CompanionCommands.run(cli).label, 'main'))}
                {missing.length > 0 && (
                    <p>
                        {nls.localize('theia/cli-companion-sample/gettingStarted/missing', 'Not found on this machine:')}{' '}
                        {listOf(missing.map(({ displayName }) => displayName))}
                    </p>
                )}
                {missing
                    .filter(({ install }) => install)
                    .map(cli => {
                        const label = nls.localize(
                            'theia/cli-companion-sample/gettingStarted/install',
                            'Install {0} in Terminal',
                            cli.displayName
                        );
                        return this.renderCommand(CompanionCommands.install(cli).id, label, 'secondary');
                    })}
                {/* Who knows that it is there may run it all the same. */}
                {missing.length > 0 && this.renderCommand(CompanionCommands.RUN_CLI.id, CompanionCommands.RUN_CLI.label, 'secondary')}
            </>
        );
    }

    protected renderCommand(id: string, label: string | undefined, kind: 'main' | 'secondary'): React.ReactNode {
        return (
            <button key={id} className={`theia-button ${kind}`} onClick={() => void this.commands.executeCommand(id)}>
                {label}
            </button>
        );
    }

    protected renderSamplePrompts(): React.ReactNode {
        return this.renderAsk([
            [
                'what do you see?',
                nls.localize('theia/cli-companion-sample/gettingStarted/see', 'The answer names the open file and your selection.')
            ],
            [
                'improve the greeting',
                nls.localize(
                    'theia/cli-companion-sample/gettingStarted/improve',
                    'The edit opens as a diff: accept it, reject it, or change its right side first.'
                )
            ],
            ['add a test', nls.localize('theia/cli-companion-sample/gettingStarted/test', 'A new file is a diff, too.')]
        ]);
    }

    protected renderPrompts(): React.ReactNode {
        return this.renderAsk([
            [
                'improve the lines that I selected',
                nls.localize(
                    'theia/cli-companion-sample/gettingStarted/improve',
                    'The edit opens as a diff: accept it, reject it, or change its right side first.'
                )
            ],
            [
                'write a README for this project',
                nls.localize('theia/cli-companion-sample/gettingStarted/test', 'A new file is a diff, too.')
            ]
        ]);
    }

    /** @param prompts each with what comes of it */
    protected renderAsk(prompts: Array<readonly [string, string]>): React.ReactNode {
        return this.renderStep(
            'ask',
            nls.localize('theia/cli-companion-sample/gettingStarted/ask', 'Ask in the CLI'),
            nls.localize(
                'theia/cli-companion-sample/gettingStarted/askText',
                'A click types it into the prompt of the CLI. Press Enter there.'
            ),
            <ul>
                {prompts.map(([prompt, text]) => (
                    <li key={prompt}>
                        <button
                            className="companion-getting-started-prompt"
                            onClick={() => void this.commands.executeCommand(CompanionCommands.TYPE.id, prompt)}
                        >
                            <code>{prompt}</code>
                        </button>{' '}
                        {text}
                    </li>
                ))}
            </ul>
        );
    }

    /** Of the view that nobody would look for. */
    protected renderChanges(): React.ReactNode {
        const { id, label } = CompanionCommands.SHOW_CHANGES;
        return (
            <>
                <h2>{nls.localize('theia/cli-companion-sample/gettingStarted/changes', 'What agents changed without asking')}</h2>
                <p>
                    {nls.localize(
                        'theia/cli-companion-sample/gettingStarted/changesText',
                        'The view Agent Changes, at the left, lists every file that was changed outside the editor while an agent ran, with Keep and Undo.'
                    )}
                </p>
                {this.renderCommand(id, label, 'secondary')}
            </>
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
}
