// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Locator } from '@playwright/test';
import { Cli } from '../../../e2e/lib/support/cli';
import { QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { IdePage } from '../../../e2e/lib/support/ide-page';
import { DOC_IMAGES } from '../../../e2e/lib/support/project-paths';
import { restMouse } from '../../../e2e/lib/support/rest-mouse';
import { Workbench, WorkbenchOptions } from '../../../e2e/lib/support/workbench';
import { installHand } from './hand';
import { compress, Frame } from './png';

/** The part of the pictures' names, by Theia's name of the language. */
export const LANGUAGES = { en: '', 'zh-cn': '.zh-CN' };
export type Language = keyof typeof LANGUAGES;

/** The part of the pictures' names, by Theia's name of the theme. */
export const THEMES = { light: '', dark: '-dark' };
export type Theme = keyof typeof THEMES;

/** Pixels for one that the page counts: what fine screens show of a picture that GitHub fits into its column. */
export const SHARPNESS = 1.75;

/** GitHub shows a README some 850 pixels wide: two sides of a diff fit here, and their text can be read there. */
const SCREEN = { viewport: { width: 1000, height: 640 }, deviceScaleFactor: SHARPNESS };

/** Nothing in an editor that is beside the point. */
const QUIET = { 'editor.minimap.enabled': false, 'editor.occurrencesHighlight': 'off' };

/** The pictures show paths below it. Disposing the fixture removes it. */
const ROOT = '/home/ann';

/** In bytes: people read the documents over slow lines, too. */
const PICTURE_LIMIT = 100_000;

/** The part of the window that is shown, in CSS pixels. */
export interface Clip {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
}

/** Takes the pictures of one language and theme. */
export class Album {
    constructor(
        readonly language: Language,
        readonly theme: Theme,
        private readonly log: (line: string) => void
    ) {}

    /** The sample IDE, in this language and theme. */
    async open(options: WorkbenchOptions = {}): Promise<Workbench> {
        const workbench = await Workbench.start({
            screen: SCREEN,
            root: ROOT,
            ...options,
            pageScripts: [`localStorage.setItem('localeId', '${this.language}')`, `(${installHand.toString()})()`],
            prepare: async ide => {
                await ide.changeSettings({ 'workbench.colorTheme': this.theme, ...QUIET });
                await options.prepare?.(ide);
            }
        });
        // A product without a translation shows English.
        if (this.language === 'zh-cn' && !/\p{Script=Han}/u.test(await workbench.page.statusDetails())) {
            await workbench.dispose();
            throw new Error('The IDE has no Chinese texts');
        }
        return workbench;
    }

    /** @param clip all of the window where none is named */
    async take(name: string, ide: IdePage, clip?: Clip): Promise<void> {
        await restMouse(ide.page);
        await this.takeAsItIs(name, ide, clip);
    }

    /** With the mouse where it is. */
    async takeAsItIs(name: string, { page }: IdePage, clip?: Clip): Promise<void> {
        await this.write(name, [{ png: await page.screenshot({ clip, animations: 'disabled' }), delay: 0 }], PICTURE_LIMIT);
    }

    /** @param limit in bytes */
    async write(name: string, frames: readonly Frame[], limit: number): Promise<void> {
        const file = `${name}${THEMES[this.theme]}${LANGUAGES[this.language]}.png`;
        const content = compress(frames, limit);
        await fs.mkdir(DOC_IMAGES, { recursive: true });
        await fs.writeFile(path.join(DOC_IMAGES, file), content);
        this.log(`${file}: ${Math.ceil(content.length / 1024)} KB`);
    }
}

/** By our command, in whatever language the status bar says that it is connected. */
export function startQwen(workbench: Workbench): Promise<Cli> {
    const run = (): Promise<void> => workbench.page.execute('companion.run.qwen-code');
    return Cli.start(QWEN_CODE, workbench, { run, status: QWEN_CODE.name });
}

/** Gives the panel with the terminals this height, in CSS pixels, as dragging its edge does. */
export async function resizeTerminals({ page }: IdePage, height: number): Promise<void> {
    await page.evaluate(size => {
        const [shell] = window.companionProbe.servicesWith<{ resize(size: number, area: string): void }>('getAreaFor');
        shell.resize(size, 'bottom');
    }, height);
}

/** The editors get all of the width. */
export async function hideExplorer({ page }: IdePage): Promise<void> {
    await page.evaluate(async () => {
        const [shell] = window.companionProbe.servicesWith<{ collapsePanel(area: string): Promise<void> }>('getAreaFor');
        await shell.collapsePanel('left');
    });
}

/** Where an element is. */
export async function placeOf(element: Locator): Promise<Clip> {
    const box = await element.boundingBox();
    if (!box) {
        throw new Error(`${element} is not on the screen`);
    }
    return box;
}
