// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/getting-started.css';

import { bindViewContribution, FrontendApplicationContribution, WidgetFactory } from '@theia/core/lib/browser';
import { PreferenceContribution } from '@theia/core/lib/common/preferences';
import { ContainerModule } from '@theia/core/shared/inversify';
import { LanguageGrammarDefinitionContribution } from '@theia/monaco/lib/browser/textmate';
import { TerminalFrontendContribution } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { GettingStartedContribution, samplePreferences } from './getting-started-contribution';
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
    // Theia's own first terminal would be a second tab beside the one of the CLI, of which nothing is said.
    onActivation(TerminalFrontendContribution, (_context, terminals) =>
        Object.assign(terminals, { initializeLayout: async () => undefined })
    );
});
