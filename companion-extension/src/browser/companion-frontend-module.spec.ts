// SPDX-License-Identifier: Apache-2.0

import './test/dom';
import { FrontendApplicationContribution, KeybindingContribution } from '@theia/core/lib/browser';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution } from '@theia/core/lib/common/command';
import { ILogger } from '@theia/core/lib/common/logger';
import { MenuContribution } from '@theia/core/lib/common/menu';
import { PreferenceContribution } from '@theia/core/lib/common/preferences';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { Container, interfaces } from '@theia/core/shared/inversify';
import { MonacoEditorModelFactory } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { MonacoEditorProvider } from '@theia/monaco/lib/browser/monaco-editor-provider';
import { ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { TerminalContribution } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { expect } from 'chai';
import { ContributionGuard } from '../common/contribution-guard';
import { StatusSectionContribution } from './window/status-section-contribution';
import companionFrontendModule from './companion-frontend-module';

/** The kinds of contributions that we have, with what Theia calls of each without a guard. */
const CALLED: ReadonlyArray<[interfaces.ServiceIdentifier<unknown>, string?]> = [
    [FrontendApplicationContribution],
    [CommandContribution, 'registerCommands'],
    [KeybindingContribution, 'registerKeybindings'],
    [MenuContribution, 'registerMenus'],
    [TabBarToolbarContribution, 'registerToolbarItems'],
    [TerminalContribution, 'onCreate'],
    [ResourceResolver],
    [StatusSectionContribution, 'sections'],
    [MonacoEditorModelFactory],
    [PreferenceContribution]
];

describe('The frontend module', () => {
    it('costs the application nothing but itself if none of it can be made', () => {
        // Without Theia's services no service of ours can be made.
        const container = new Container();
        const logged: string[] = [];
        container.bind(ILogger).toConstantValue({ error: (text: string) => void logged.push(text) } as unknown as ILogger);
        container.load(companionFrontendModule);
        for (const [kind, method] of CALLED) {
            const contributions = container.getAll<Record<string, () => unknown>>(kind as interfaces.ServiceIdentifier<never>);
            expect(contributions, String(kind)).not.to.deep.equal([]);
            contributions.forEach(contribution => method && contribution[method]());
        }
        expect(container.get(ContributionGuard).failures).not.to.deep.equal([]);
        expect(new Set(logged)).to.deep.equal(new Set(['A part of the companion does not work']));
    });

    it('leaves editors and terminals of the application as they are if they cannot be changed', () => {
        const container = new Container();
        container.bind(ILogger).toConstantValue({ error: () => undefined } as unknown as ILogger);
        container.load(companionFrontendModule);
        for (const service of [MonacoEditorProvider, ShellTerminalServerProxy] as Array<interfaces.ServiceIdentifier<unknown>>) {
            const theirs = Object.freeze({});
            container.bind(service).toConstantValue(theirs);
            expect(container.get(service)).to.equal(theirs);
        }
    });
});
