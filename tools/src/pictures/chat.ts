// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { eventually } from '../../../e2e/lib/support/eventually';
import { ENABLED, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../../../e2e/lib/support/qwen-chat';
import { ToolCall } from '../../../e2e/lib/support/scripted-model';
import { Workbench } from '../../../e2e/lib/support/workbench';
import { Album, Clip, SHARPNESS } from './album';

const FILE = 'src/greeting.js';
const ANSWER = `Pass the names as an array, and join them:

\`\`\`js
export function greetAll(names) {
    return 'Hello ' + names.join(', ');
}
\`\`\`

It belongs beside [greet](src/greeting.js#L2). Nothing else has to change.`;
/** Room for a whole question and its answer. */
const SCREEN = { viewport: { width: 1000, height: 690 }, deviceScaleFactor: SHARPNESS };

/** An answer with code, and a command to approve. */
export async function chat(album: Album): Promise<void> {
    const workbench = await album.open({
        model: true,
        screen: SCREEN,
        // The script in the file is no change of Qwen's.
        prepare: ide => setPreferences(ide, { ...SHORT_NOTIFICATIONS, [ENABLED]: true, 'companion.changes.track': 'off' })
    });
    try {
        const scene = new ChatScene(workbench);
        await scene.prepare(440);

        await scene.ask('How do I greet several people?', say({ text: ANSWER }));
        await scene.chat.waitUntilDone();
        await scene.waitForColors();
        await album.takeAsItIs('chat-answer', workbench.page, await scene.clip());

        await scene.ask(
            'Run the tests, and tidy up.',
            await scene.play({
                name: 'run_shell_command',
                args: { command: 'npm test && rm -rf coverage', description: 'Runs the tests, then removes their report' }
            })
        );
        await scene.chat.waitForQuestion();
        await album.takeAsItIs('chat-command', workbench.page, await scene.clip());
    } finally {
        await workbench.dispose();
    }
}

/** A chat with natural messages: the model's script is in the file, whose selection is sent with each message. */
class ChatScene {
    readonly chat: QwenChat;
    private asked = 0;

    constructor(private readonly workbench: Workbench) {
        this.chat = new QwenChat(workbench.page);
    }

    /** @param width of the chat, in CSS pixels */
    async prepare(width: number): Promise<void> {
        const { page } = this.workbench;
        await page.openFile(FILE);
        await this.chat.show();
        await page.page.evaluate(size => {
            const [shell] = window.companionProbe.servicesWith<{ resize(size: number, area: string): void }>('getAreaFor');
            shell.resize(size, 'right');
        }, width);
    }

    play(call: ToolCall): Promise<string> {
        return this.workbench.model.script(call);
    }

    async ask(text: string, script: string): Promise<void> {
        const { page, ide } = this.workbench;
        // Another number each time: it tells that the editor shows this script, not the one before.
        const count = 3 + (this.asked++ % 5);
        await fs.writeFile(ide.file(FILE), `// ${script}${'\n'.repeat(count - 1)}`);
        const editor = page.page.locator('#theia-main-content-panel .monaco-editor .view-lines').first();
        await eventually('the script in the editor', async () => {
            await editor.click();
            // The click may scroll the editor, and lines out of sight are not there.
            await page.press('Control+Home');
            return (await editor.locator('.view-line').count()) === count;
        });
        // Not before: the lines that come later would not be selected.
        await page.press('Control+A');
        await this.chat.send(text);
    }

    async waitForColors(): Promise<void> {
        const words = this.chat.answer.locator('.view-lines [class*="mtk"]');
        await eventually('colours', async () => new Set(await words.evaluateAll(spans => spans.map(span => span.className))).size > 2);
    }

    /** The chat from its newest question on. The first question has the banner above it. */
    async clip(): Promise<Clip> {
        // What an answer ends with is drawn a moment later, below what is in view.
        const end = this.workbench.page.page.locator('.theia-ChatTree-ScrollToBottom');
        let looks = 0;
        await eventually(
            'the end of the chat',
            async () => {
                looks = (await end.isVisible()) ? 0 : looks + 1;
                await this.chat.scrollToEnd();
                return looks > 3;
            },
            { interval: 250 }
        );
        const { x, y: top, width, height } = (await this.chat.view.boundingBox())!;
        const question = this.asked > 1 ? await this.chat.view.locator('.theia-ChatNode').nth(-2).boundingBox() : undefined;
        const y = Math.max(top, question?.y ?? top);
        return { x, y, width, height: top + height - y };
    }
}
