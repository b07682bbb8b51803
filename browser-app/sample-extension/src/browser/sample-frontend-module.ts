// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/getting-started.css';

import { bindViewContribution, FrontendApplicationContribution, WidgetFactory } from '@theia/core/lib/browser';
import { PreferenceContribution, PreferenceService } from '@theia/core/lib/common/preferences';
import { ContainerModule } from '@theia/core/shared/inversify';
import { LanguageGrammarDefinitionContribution } from '@theia/monaco/lib/browser/textmate';
import { TerminalFrontendContribution } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { GettingStartedContribution, isShown, samplePreferences } from './getting-started-contribution';
import { GettingStartedWidget } from './getting-started-widget';
import { SyntaxColors } from './syntax-colors';

export default new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) => {
    bind(PreferenceContribution).toConstantValue(samplePreferences);
    bind(GettingStartedWidget).toSelf();
    bind(WidgetFactory).toDynamicValue(({ container }) => ({
        id: GettingStartedWidget.ID,
        createWidget: () => container.get(GettingStartedWidget)
    }));
    bindViewContribution(bind, GettingStartedContribution);
    bind(FrontendApplicationContribution).toService(GettingStartedContribution);
    bind(SyntaxColors).toSelf().inSingletonScope();
    bind(LanguageGrammarDefinitionContribution).toService(SyntaxColors);
    onActivation(TerminalFrontendContribution, ({ container }, terminals) => {
        const initializeLayout = terminals.initializeLayout.bind(terminals);
        // Beside the page that says what to run, it would be a second tab of which nothing is said.
        terminals.initializeLayout = async () => ((await isShown(container.get(PreferenceService))) ? undefined : initializeLayout());
        return terminals;
    });
});
