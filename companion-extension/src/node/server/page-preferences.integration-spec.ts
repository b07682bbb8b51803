// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { BackendPreferences, backendPreferences } from '../../common/companion-preferences';
import { WindowState } from '../../common/companion-protocol';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { TestBackend, TestConnection } from '../test/test-backend';
import { TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

/** The backend does not know what a product sets for its users (`theia.frontend.config.preferences`); the page does. */
describe('The preferences that a page reports', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;

    beforeEach(() => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
    });

    afterEach(() => backend.stop());

    function hello(preferences: Partial<BackendPreferences>): Promise<WindowState> {
        return connection.service.hello(backend.window(page, { preferences: { ...backendPreferences(), ...preferences } }));
    }

    /** What a new terminal gets. */
    function variables(id = 'window-1'): Record<string, string | null | undefined> {
        const server = backend.windows.serverFor(id) ?? expect.fail('The window has no server');
        return backend.container.get(TerminalEnvironment).variables(server, {}, backend.windows.preferencesOf(id));
    }

    it('decide about files outside the workspace', async () => {
        const outside = backend.host.temporary('a.txt');
        await hello({ 'companion.review.outsideWorkspace': 'refuse' });
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        try {
            expect(JSON.stringify(await cli.openDiff(outside, 'proposed'))).to.contain('lies outside the workspace');
            await hello({});
            await cli.openDiff(outside, 'proposed');
            expect(page.shown.map(({ path }) => path)).to.deep.equal([outside]);
        } finally {
            await cli.disconnect();
        }
    });

    it('decide what new terminals and "Run Claude Code" get', async () => {
        const commands = ({ status }: WindowState): string[] => status.clis.map(({ command }) => command);
        const cautious = await hello({ 'companion.container.loopback': 'always' });
        expect(commands(cautious)).to.include('claude --permission-mode manual');
        expect(variables()['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.match(/qwen-defaults-ask\.json$/);
        expect(variables()['REMOTE_CONTAINERS']).to.equal('true');
        const hasty = await hello({ 'companion.qwen.askBeforeEdits': false, 'companion.claude.askBeforeEdits': false });
        expect(commands(hasty)).to.include('claude');
        expect(variables()['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.match(/qwen-defaults\.json$/);
        expect(variables()['REMOTE_CONTAINERS']).to.equal(undefined);
    });

    it('count as the defaults if a settings file has something else, and do not stop the companion', async () => {
        await hello({ 'companion.review.outsideWorkspace': 'sometimes' as 'notice', 'companion.container.loopback': 1 as never });
        expect(backend.windows.serverFor('window-1')).not.to.equal(undefined);
        expect(backend.windows.preferencesOf('window-1')).to.deep.equal(backendPreferences());
    });

    it('are those of their own window, whichever page came last', async () => {
        const outside = backend.host.temporary('a.txt');
        await hello({ 'companion.review.outsideWorkspace': 'refuse', 'companion.container.loopback': 'always' });
        const other = new TestPage();
        const preferences = { ...backendPreferences(), 'companion.qwen.askBeforeEdits': false, 'companion.claude.askBeforeEdits': false };
        const state = await backend.connect(other).service.hello(backend.window(other, { windowId: 'window-2', preferences }));
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        try {
            expect(JSON.stringify(await cli.openDiff(outside, 'proposed'))).to.contain('lies outside the workspace');
        } finally {
            await cli.disconnect();
        }
        expect(variables()['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.match(/qwen-defaults-ask\.json$/);
        expect(variables()['REMOTE_CONTAINERS']).to.equal('true');
        expect(variables('window-2')['QWEN_CODE_SYSTEM_DEFAULTS_PATH']).to.match(/qwen-defaults\.json$/);
        expect(variables('window-2')['REMOTE_CONTAINERS']).to.equal(undefined);
        expect(state.status.clis.map(({ command }) => command)).to.include('claude');
        const again = await hello({});
        expect(again.status.clis.map(({ command }) => command)).to.include('claude --permission-mode manual');
    });
});
