// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { expect } from 'chai';
import { Page } from '@playwright/test';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

const APPLICATION = 'applicationName:"Theia CLI Companion",';
const PREFERENCES = 'preferences:{';
const DEFAULTS = {
    'companion.review.outsideWorkspace': 'refuse',
    'companion.container.loopback': 'always',
    'companion.qwen.askBeforeEdits': false,
    'companion.claude.askBeforeEdits': false
};

/** What a cloned repository would like. */
const OF_REPOSITORY = {
    'companion.review.outsideWorkspace': 'notice',
    'companion.container.loopback': 'never',
    'companion.qwen.askBeforeEdits': true
};

export const PRODUCT_FILES = { '.theia/settings.json': JSON.stringify(OF_REPOSITORY) };

/** As if they were in `theia.frontend.config` of the application: `theia build` writes that into the page's script. */
function setDefaults(tab: Page): Promise<unknown> {
    return tab.route('**/bundle.js', async route => {
        const script = await (await route.fetch()).text();
        const [before, after] = script.split(APPLICATION);
        const defaults = `${PREFERENCES}${JSON.stringify(DEFAULTS).slice(1, -1)},`;
        const body = `${before}${APPLICATION}companionName:"Acme Helper",${after.replace(PREFERENCES, defaults)}`;
        await route.fulfill({ contentType: 'text/javascript', body });
    });
}

/** @param shared with {@link PRODUCT_FILES} */
export function describeProductDefaults(shared: () => Workbench): void {
    describe('with the defaults that a product sets', () => {
        let workbench: Workbench;
        let ide: IdePage;
        let client: ProtocolClient;

        before(async () => {
            workbench = shared();
            const before = await workbench.discovery.ports();
            ide = await workbench.openPage(undefined, setDefaults);
            client = await ProtocolClient.connectTo(await workbench.discovery.serverWith('the page', ({ port }) => !before.has(port)));
        });
        after(async () => {
            await client?.disconnect();
            await ide?.close();
        });

        it('S18: refuse a diff of a file outside the workspace until the user decides otherwise, whatever the workspace says', async () => {
            const file = path.join(workbench.ide.root, 'outside.txt');
            expect(JSON.stringify(await client.openDiff(file, 'text\n'))).to.contain(
                'companion.review.outsideWorkspace refuses such files'
            );
            await workbench.ide.changeSettings({ 'companion.review.outsideWorkspace': 'notice' });
            await eventually('the user’s setting to count', async () => !(await client.openDiff(file, 'text\n')).isError);
            await (await ide.waitForDiff(file)).waitForNotice('outside this workspace');
            await client.closeDiff(file);
        });

        it('name the companion in the palette and in the output view', async () => {
            const { page } = ide;
            await ide.press('F1');
            await page.locator('.quick-input-widget input').fill('>Acme Helper: Show Log');
            await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Acme Helper: Show Log' }).waitFor();
            await ide.press('Enter');
            await page.locator('#outputChannelList').getByText('Acme Helper').waitFor();
        });

        it('S18: decide what new terminals get, whatever the workspace says', async () => {
            const terminal = await ide.openTerminal();
            await terminal.submit('echo "<$REMOTE_CONTAINERS $(basename "$QWEN_CODE_SYSTEM_DEFAULTS_PATH")>"');
            await terminal.waitFor('<true qwen-defaults.json>');
        });
    });
}
