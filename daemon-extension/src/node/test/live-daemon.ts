// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';

const repository = path.resolve(__dirname, '..', '..', '..', '..');

/** What the real `qwen serve` needs of its surroundings: a home of its own, with the scripted model as its provider. */
export class LiveSurroundings {
    readonly command = path.join(repository, 'node_modules', '.bin', 'qwen');
    private model: ChildProcess | undefined;
    private modelUrl = '';
    private readonly environment: Record<string, string | undefined> = {};

    /** @param folder absolute path of an empty folder of this test */
    constructor(private readonly folder: string) {}

    async start(): Promise<void> {
        this.modelUrl = await this.startModel();
        const home = path.join(this.folder, 'home');
        await fs.mkdir(path.join(home, '.qwen'), { recursive: true });
        await fs.mkdir(path.join(this.folder, 'tmp'));
        const provider = (id: string): object => ({ id, name: id, baseUrl: `${this.modelUrl}/v1`, envKey: 'SCRIPTED_MODEL_KEY' });
        const settings = {
            $version: 3,
            security: { auth: { selectedType: 'openai' } },
            model: { name: 'scripted-a' },
            modelProviders: { openai: [provider('scripted-a'), provider('scripted-b')] },
            telemetry: { enabled: false },
            privacy: { usageStatisticsEnabled: false },
            general: { disableAutoUpdate: true }
        };
        await fs.writeFile(path.join(home, '.qwen', 'settings.json'), JSON.stringify(settings));
        this.set('HOME', home);
        this.set('TMPDIR', path.join(this.folder, 'tmp'));
        // Its default is in the temporary folder: each daemon would compile all of its scripts again.
        this.set('NODE_COMPILE_CACHE', path.join(repository, '.setup', 'compiled'));
        this.set('SCRIPTED_MODEL_KEY', 'any');
        // The command's first line asks for the first `node` there.
        this.set('PATH', `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`);
        this.set('QWEN_IDE_DAEMON_URL', undefined);
        this.set('QWEN_SERVER_TOKEN', undefined);
    }

    /** @returns a prompt that makes the scripted model call this tool */
    async script(name: string, args: object): Promise<string> {
        const response = await fetch(`${this.modelUrl}/scripts`, { method: 'POST', body: JSON.stringify([{ name, args }]) });
        return ((await response.json()) as { prompt: string }).prompt;
    }

    async stop(): Promise<void> {
        Object.entries(this.environment).forEach(([name, value]) => this.restore(name, value));
        const model = this.model;
        if (model && model.exitCode === null) {
            const ended = new Promise(resolve => model.once('exit', resolve));
            model.kill('SIGKILL');
            await ended;
        }
    }

    private set(name: string, value: string | undefined): void {
        this.environment[name] = process.env[name];
        this.restore(name, value);
    }

    private restore(name: string, value: string | undefined): void {
        if (value === undefined) {
            delete process.env[name];
        } else {
            process.env[name] = value;
        }
    }

    private startModel(): Promise<string> {
        const model = spawn(process.execPath, [path.join(repository, 'browser-app', 'scripted-model', 'main.mts')], {
            stdio: ['ignore', 'pipe', 'inherit']
        });
        this.model = model;
        return new Promise((resolve, reject) => {
            model.once('exit', code => reject(new Error(`The scripted model ended with ${code}`)));
            model.stdout.setEncoding('utf8');
            model.stdout.on('data', (text: string) => {
                const match = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
                if (match) {
                    resolve(match[0]);
                }
            });
        });
    }
}
