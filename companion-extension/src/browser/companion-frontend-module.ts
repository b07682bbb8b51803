// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/companion.css';

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import {
    createPreferenceProxy,
    PreferenceContribution,
    PreferenceSchemaService,
    PreferenceService
} from '@theia/core/lib/common/preferences';
import { ContainerModule, interfaces } from '@theia/core/shared/inversify';
import { ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { BindFeature, bindMade, bindServices } from '../common/bind-services';
import { companionPreferenceSchema, CompanionPreferences } from '../common/companion-preferences';
import { CompanionBackend, CompanionPage, companionPath } from '../common/companion-protocol';
import { ContributionGuard } from '../common/contribution-guard';
import { bindAgents } from './agents/agents-module';
import { bindChanges } from './changes/changes-module';
import { bindComments } from './comments/comments-module';
import { bindContext } from './context/context-module';
import { DiffContribution } from './diff/diff-contribution';
import { DiffEditors } from './diff/diff-editors';
import { DiffRoom } from './diff/diff-room';
import { FileEditors } from './diff/file-editors';
import { FileEncodings } from './diff/file-encodings';
import { FileLooks } from './diff/file-looks';
import { OriginalContents } from './diff/original-contents';
import { bindDoctor } from './doctor/doctor-module';
import { PageEndpoint } from './page-endpoint';
import { bindReview } from './review/review-module';
import { bindStatus } from './status/status-module';
import { bindPrompt } from './terminal/prompt-module';
import { TerminalWindowId } from './terminal/terminal-window-id';
import { AnswerGuard } from './window/answer-guard';
import { CliTerminals } from './window/cli-terminals';
import { ClosableMessages } from './window/closable-messages';
import { CompanionConnection } from './window/companion-connection';
import { HeldKeys } from './window/held-keys';
import { KeyboardHold } from './window/keyboard-hold';
import { PagePolicy } from './window/page-policy';
import { PageReload } from './window/page-reload';
import { ScopedPreferences } from './window/scoped-preferences';
import { StatusSectionContribution } from './window/status-section-contribution';
import { TheiaInternals } from './window/theia-internals';
import { WindowIdentity } from './window/window-identity';
import { WorkspacePaths } from './window/workspace-paths';

/** In the order in which Theia gets what they contribute: of two key bindings for the same key the later one is asked first. */
const FEATURES: readonly BindFeature[] = [
    bindContext,
    bindReview,
    bindPrompt,
    bindAgents,
    bindChanges,
    bindComments,
    bindStatus,
    bindDoctor
];

/** What features share: the window, its connection, and the parts of a diff. */
function bindCore(bind: interfaces.Bind, guard: ContributionGuard, onActivation: interfaces.Container['onActivation']): void {
    bind(PreferenceContribution).toConstantValue({ schema: companionPreferenceSchema });
    bindMade<CompanionPreferences>(bind, CompanionPreferences, container =>
        container.get(PagePolicy).over(createPreferenceProxy(container.get(PreferenceService), companionPreferenceSchema))
    );
    // Monaco would ask in a dialog of the browser, which stops the page, when a file is shown that a CLI has written.
    bind(PreferenceContribution).toConstantValue({
        initSchema: async (schemas: PreferenceSchemaService) =>
            void schemas.registerOverride('editor.unusualLineTerminators', undefined, 'off')
    });
    bind(ContributionGuard).toConstantValue(guard);
    bindRootContributionProvider(bind, StatusSectionContribution);
    bindRootContributionProvider(bind, DiffContribution);
    bindServices(
        bind,
        AnswerGuard,
        CliTerminals,
        ClosableMessages,
        CompanionConnection,
        HeldKeys,
        KeyboardHold,
        PagePolicy,
        PageReload,
        ScopedPreferences
    );
    bindServices(bind, TheiaInternals, WindowIdentity, WorkspacePaths);
    bindServices(bind, DiffEditors, DiffRoom, FileEditors, FileEncodings, FileLooks, OriginalContents);
    bindMade<CompanionPage>(bind, CompanionPage, container => new PageEndpoint(container, guard));
    bindMade<CompanionBackend>(bind, CompanionBackend, container =>
        ServiceConnectionProvider.createProxy(container, companionPath, container.get<CompanionPage>(CompanionPage))
    );
    guard.contribute(bind, FrontendApplicationContribution, CompanionConnection);
    guard.contribute(bind, FrontendApplicationContribution, HeldKeys);
    guard.contribute(bind, FrontendApplicationContribution, DiffRoom);
    bindMade(bind, TerminalWindowId, container => new TerminalWindowId(container.get(CompanionConnection), container.get(WindowIdentity)));
    onActivation<ShellTerminalServerProxy>(ShellTerminalServerProxy, ({ container }, server) => {
        try {
            return guard.get(container, TerminalWindowId).decorate(server);
        } catch {
            // New terminals then do not know their window, but they start.
            return server;
        }
    });
}

export default new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) => {
    // Binds everything that Theia takes or calls.
    const guard = new ContributionGuard();
    [bindCore, ...FEATURES].forEach(bindPart => bindPart(bind, guard, onActivation));
});
