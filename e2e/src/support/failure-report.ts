// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Page } from '@playwright/test';
import { IdeFixture } from './ide-fixture';
import { RESULTS } from './project-paths';
import { ScriptedModel } from './scripted-model';

export interface FailureSources {
    readonly ide: IdeFixture | undefined;
    readonly pages: Page[];
    readonly model: ScriptedModel | undefined;
}

/** Writes down what a person would want to see of a failed test. Never fails itself: the test's own error is the one to show. */
export async function writeFailureReport(name: string, { ide, pages, model }: FailureSources): Promise<void> {
    const base = path.join(RESULTS, name.replace(/[^\w.-]+/g, '-').slice(0, 120));
    const write = (suffix: string, content: string | undefined): Promise<void> => fs.writeFile(`${base}.${suffix}`, content ?? '');
    const steps: Array<() => Promise<unknown>> = [
        () => fs.mkdir(RESULTS, { recursive: true }),
        () => write('backend.log', ide?.log),
        async () => write('model.txt', await model?.describe()),
        ...pages.flatMap((page, index) => [
            () => page.screenshot({ path: `${base}.${index}.png`, timeout: 10_000 }),
            async () => write(`terminals.${index}.txt`, await terminalTexts(page))
        ])
    ];
    for (const step of steps) {
        await step().catch(() => undefined);
    }
}

async function terminalTexts(page: Page): Promise<string> {
    const terminals = await page.evaluate(() => window.companionProbe.terminals());
    const texts = terminals.map(({ widgetId, lines }) => `=== ${widgetId}\n${lines.join('\n').trimEnd()}\n`);
    return [`The keyboard is in ${await placeOfKeyboard(page)}\n`, ...texts].join('\n');
}

/** The element that gets the keys, and what it lies in, the innermost first. */
async function placeOfKeyboard(page: Page): Promise<string> {
    return page.evaluate(() => {
        const names: string[] = [];
        for (let element = document.activeElement; element; element = element.parentElement) {
            names.push(element.id || element.className || element.tagName);
        }
        return names.join(' < ');
    });
}
