// SPDX-License-Identifier: Apache-2.0

import { ClaudeClient } from './claude-client';

/** Claude Code as a process of its own: connects, opens a diff of a file, and tells the test what it receives. */
async function main([port, authToken, file]: string[]): Promise<void> {
    const cli = await ClaudeClient.connect({ port: Number(port), authToken });
    const { params } = await cli.next('selection_changed');
    process.send?.(params);
    await cli.openDiff(file, 'proposed');
}

main(process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
});
