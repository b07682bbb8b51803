// SPDX-License-Identifier: Apache-2.0

import { Locator } from '@playwright/test';
import { IdePage } from './ide-page';

/** The report of "Diagnose CLI Connection", found as a screen reader finds it. */
export class Diagnosis {
    private constructor(private readonly report: Locator) {}

    /** Runs the command, and waits until the report is there. */
    static async run(page: IdePage): Promise<Diagnosis> {
        const diagnosis = await Diagnosis.begin(page);
        await diagnosis.report.getByRole('button', { name: 'Copy Report' }).waitFor();
        return diagnosis;
    }

    /** Runs the command where there may be nothing to diagnose with. */
    static async begin(page: IdePage): Promise<Diagnosis> {
        await page.execute('companion.checkConnection');
        return new Diagnosis(page.page.getByRole('document', { name: 'CLI Connection' }));
    }

    async waitFor(text: string): Promise<void> {
        await this.report.getByText(text).first().waitFor();
    }

    button(name: string): Locator {
        return this.report.getByRole('button', { name });
    }

    /** The verdict on a CLI, and the problems with their remedies. Leaves out the list of all steps. */
    async of(cli: string): Promise<string> {
        const text = await this.report.getByRole('region', { name: cli }).innerText();
        return text.split('All steps')[0].replace(/\s+/g, ' ');
    }
}
