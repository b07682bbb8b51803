// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Diagnostic } from '@theia/core/shared/vscode-languageserver-protocol';
import { ProblemManager } from '@theia/markers/lib/browser/problem/problem-manager';
import * as monaco from '@theia/monaco-editor-core';
import { CompanionCommands } from '../companion-commands';
import { ContextFilter } from '../context/context-filter';
import { CompanionConnection } from '../window/companion-connection';
import { PromptChoice, promptChoices } from './prompt-choice';
import { PromptContribution } from './prompt-contribution';

/** For the model, so in English. */
const REQUEST = 'Fix this problem:';

/** What the light bulb's entry gives to its command. */
type FixArguments = [choice: PromptChoice, cliName: string];

/** "Fix with Qwen Code" on a problem: types file, line and message into the prompt of a connected CLI. */
@injectable()
export class FixActions implements FrontendApplicationContribution, CommandContribution {
    @inject(ProblemManager)
    protected readonly problems: ProblemManager;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(PromptContribution)
    protected readonly prompt: PromptContribution;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        const provideCodeActions = (model: monaco.editor.ITextModel, range: monaco.Range): monaco.languages.CodeActionList => ({
            actions: this.actionsFor(new URI(model.uri.toString()), range),
            dispose: Disposable.NULL.dispose
        });
        this.toDispose.push(monaco.languages.registerCodeActionProvider({ scheme: 'file' }, { provideCodeActions }));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.FIX, {
            execute: (...[choice, cliName]: FixArguments) => this.prompt.addChoices([choice], { words: REQUEST, cliName })
        });
    }

    protected actionsFor(uri: URI, { startLineNumber, endLineNumber }: monaco.IRange): monaco.languages.CodeAction[] {
        const clis = this.connection.state?.status.connections ?? [];
        if (clis.length === 0 || !this.filter.isShared(uri.path.fsPath())) {
            return [];
        }
        const touches = ({ range: { start, end } }: Diagnostic): boolean => start.line < endLineNumber && end.line >= startLineNumber - 1;
        const problems = this.problems.findMarkers({ uri }).filter(({ data }) => touches(data));
        const choices = problems.flatMap(marker => promptChoices({ marker }));
        return choices.flatMap(choice =>
            clis.map(({ displayName }) => {
                const title = nls.localize('theia/cli-companion/prompt/fix', 'Fix with {0}', displayName);
                const argumentsOfCommand: FixArguments = [choice, displayName];
                return { title, kind: 'quickfix', command: { id: CompanionCommands.FIX.id, title, arguments: argumentsOfCommand } };
            })
        );
    }
}
