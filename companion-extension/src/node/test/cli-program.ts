// SPDX-License-Identifier: Apache-2.0

import { TestCli } from './test-cli';

/** The program of {@link CliProcess}: connects, opens diffs, and prints what it receives. */
async function main([port, token, file, content]: string[]): Promise<void> {
    const cli = await TestCli.connect(Number(port), token);
    const open = async (diff: { file: string; content: string }): Promise<void> => {
        await cli.openDiff(diff.file, diff.content);
        process.send?.({ method: 'opened' });
    };
    process.on('message', (diff: { file: string; content: string }) => void open(diff));
    await open({ file, content });
    for (;;) {
        const [first] = cli.received.splice(0, 1);
        if (first && first.method !== 'ide/contextUpdate') {
            process.send?.(first);
        }
        await new Promise(resolve => setTimeout(resolve, 20));
    }
}

main(process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
});
