// SPDX-License-Identifier: Apache-2.0

import { IdeFixture } from './ide-fixture';
import { IdePage } from './ide-page';
import { ProtocolClient, ReceivedNotification } from './protocol-client';

/**
 * The outcomes of a file after one more review went from the client to the page and back: whatever the page had to say of the file's own
 * review before has arrived by then.
 */
export async function settledOutcomes(
    client: ProtocolClient,
    page: IdePage,
    ide: IdeFixture,
    file: string
): Promise<ReceivedNotification[]> {
    const other = ide.file('settling.txt');
    await client.openDiff(other, 'text\n');
    await page.waitForDiff(other);
    await client.closeDiff(other, true);
    await page.waitUntilNoDiff(other);
    return client.settledOutcomes(file);
}
