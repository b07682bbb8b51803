// SPDX-License-Identifier: Apache-2.0
// node lib/pictures/chat-main.js: takes the pictures of the chat, light and dark

import { promises as fs } from 'fs';
import * as path from 'path';
import { DOC_IMAGES } from '../support/project-paths';
import { setPreferences } from '../support/qwen-chat';
import { TestBrowser } from '../support/test-browser';
import { Workbench } from '../support/workbench';
import { chat } from './chat';

const THEMES = { light: '', dark: '-dark' };
const WINDOW = { width: 1000, height: 640 };
/** People read the documents over slow lines, too. */
const LIMIT = 100 * 1024;

async function main(): Promise<void> {
    for (const [theme, suffix] of Object.entries(THEMES)) {
        await chat({
            open: async options => {
                const workbench = await Workbench.start({
                    ...options,
                    prepare: async ide => {
                        await setPreferences(ide, { 'workbench.colorTheme': theme, 'editor.minimap.enabled': false });
                        await options?.prepare?.(ide);
                    }
                });
                await workbench.page.page.setViewportSize(WINDOW);
                return workbench;
            },
            takeAsItIs: async (name, { page }, clip) => {
                const picture = await page.screenshot({ clip, animations: 'disabled' });
                if (picture.length > LIMIT) {
                    throw new Error(`${name}${suffix} has ${picture.length} bytes`);
                }
                await fs.writeFile(path.join(DOC_IMAGES, `${name}${suffix}.png`), picture);
            }
        });
    }
}

main()
    .catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exitCode = 1;
    })
    .finally(() => TestBrowser.close());
