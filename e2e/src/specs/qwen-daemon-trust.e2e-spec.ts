// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { ENABLED, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../support/qwen-chat';
import { daemonProcesses } from '../support/qwen-daemons';
import { Workbench } from '../support/workbench';

/** Made by the hook of the workspace. */
const MARKER = 'the-hook-has-run';

/** The real `qwen serve`, in a workspace that makes Qwen run a command as soon as it opens a session. */
describe('Qwen in the chat, and CLIs, of a workspace that is not trusted', () => {
    let workbench: Workbench;
    let chat: QwenChat;

    before(async function () {
        this.timeout(120_000);
        workbench = await Workbench.start({
            model: true,
            prepare: async ide => {
                const hook = { matcher: '*', hooks: [{ type: 'command', command: `touch ${ide.file(MARKER)}` }] };
                await ide.write('.qwen/settings.json', JSON.stringify({ hooks: { SessionStart: [hook] } }));
                await setPreferences(ide, {
                    ...SHORT_NOTIFICATIONS,
                    [ENABLED]: true,
                    'security.workspace.trust.enabled': true,
                    'security.workspace.trust.startupPrompt': 'always'
                });
            }
        });
        chat = new QwenChat(workbench.page);
    });
    after(() => workbench?.dispose());

    const nothingRuns = async (): Promise<void> => {
        expect(daemonProcesses(workbench.ide)).to.be.empty;
        expect(await workbench.ide.exists(MARKER), 'the hook has run').to.equal(false);
    };
    const manageTrust = async (answer: string): Promise<void> => {
        await workbench.page.app.quickCommandPalette.type('Manage Workspace Trust', false);
        await workbench.page.app.quickCommandPalette.trigger('Workspaces: Manage Workspace Trust');
        await workbench.page.page.getByRole('option', { name: answer, exact: true }).click();
    };

    it('C8: runs nothing while the user is asked; a refusal is told to CLIs, and the chat says that it cannot be used', async () => {
        const refused = await ProtocolClient.connect(workbench.ide);
        const answer = workbench.page.page.getByRole('button', { name: "No, I don't trust the authors" });
        await answer.waitFor();
        await nothingRuns();
        expect(refused.trusted, 'while the question is open').to.equal(undefined);
        await answer.click();
        await eventually('the trust that was refused', () => refused.trusted === false);
        const later = await ProtocolClient.connect(workbench.ide);
        await eventually('the same for a CLI that comes later', () => later.trusted === false);
        await later.disconnect();
        await refused.disconnect();
        await chat.show();
        await eventually('the state', async () => (await chat.statusBar.innerText()).includes('cannot be used'));
    });

    it('runs, its hook too, once the user trusts it and sends the message again from the answer', async () => {
        await chat.ask(say({ text: 'At last.' }));
        await manageTrust('Trust');
        await chat.answer.getByRole('button', { name: 'Send Again' }).click();
        await chat.waitForAnswer('At last.');
        await chat.waitUntilDone();
        await eventually('the hook', () => workbench.ide.exists(MARKER));
        expect(daemonProcesses(workbench.ide)).to.have.length(1);
    });
});
