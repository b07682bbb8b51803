// SPDX-License-Identifier: Apache-2.0

import { eventually } from './eventually';
import { IdePage } from './ide-page';

/** The report of "Diagnose CLI Connection": a document in an editor. */
export class Diagnosis {
    private constructor(readonly text: string) {}

    /** Runs the command, and waits until the report is there. */
    static async run(page: IdePage): Promise<Diagnosis> {
        await page.execute('companion.checkConnection');
        const text = await eventually('the report of the diagnosis', async () => {
            const uri = (await page.editors()).find(editor => editor.startsWith('companion-diagnosis:'));
            const report = uri && (await page.textOf(uri));
            return report?.startsWith('# ') ? report : undefined;
        });
        return new Diagnosis(text);
    }

    /** The verdict on a CLI, and the problems with their remedies. */
    of(cli: string): string {
        const section = this.text.split('\n## ').find(part => part.startsWith(`${cli}\n`)) ?? '';
        return section.replace(/\s+/g, ' ');
    }
}
