// SPDX-License-Identifier: Apache-2.0

import { parseArgs } from 'node:util';
import { startScriptedModel } from './scripted-model.mts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
try {
    const model = await startScriptedModel(Number(values.port));
    process.stdout.write(`The scripted model answers on ${model.url}\n`);
    const stop = (): void => void model.close().then(() => process.exit(0));
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    // Whoever started it may be killed without a chance to stop it.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), 1000).unref();
} catch (error) {
    process.stderr.write(`The scripted model cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
}
