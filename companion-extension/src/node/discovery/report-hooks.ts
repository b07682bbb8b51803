// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import * as fs from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileAccess } from '../host/file-access';
import { writeAtomically } from './atomic-file';
import { CompanionFolder } from './companion-folder';
import { MARKER_PROPERTY, markerIn, ProcessMarkers } from './process-marker';

/** In our folder: a folder for each backend. */
const PARENT = 'terminals';
const MARKER_FILE = 'backend.json';
/** Shells that outlive their backend still name its files. */
const KEPT_MS = 14 * 24 * 3_600_000;
/** How long a CLI waits for our answer, in its own unit. */
const HOOK_LIMIT_S = 2;

/** Where CLIs report what they have written. */
interface ReportEndpoint {
    readonly port: number;
    /** By the ids of the CLIs. */
    readonly tokens: ReadonlyMap<string, string>;
}

/**
 * Files with settings for CLIs, which make them report what they write. A folder for each backend: its port may be a stranger's once it has
 * ended, so then the hook goes from the files, and what else stands in them stays.
 */
@injectable()
export class ReportHooks {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(FileAccess)
    protected readonly tasks: FileAccess;
    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;

    /** `undefined`: nothing is reported. */
    endpoint: ReportEndpoint | undefined;
    protected readonly id = randomUUID();
    protected readonly written = new Set<string>();

    /**
     * As Qwen Code (0.24) and Claude Code (2.1) have it in their settings. Without it the setting is left out.
     *
     * @param tools a regular expression of the tools' names
     */
    of(cliId: string, tools: string): { hooks?: object } {
        const token = this.endpoint?.tokens.get(cliId);
        if (!this.endpoint || token === undefined) {
            return {};
        }
        const url = `http://127.0.0.1:${this.endpoint.port}${REPORT_PATH}`;
        const hook = { type: 'http', url, headers: { Authorization: `Bearer ${token}` }, timeout: HOOK_LIMIT_S };
        return { hooks: { PostToolUse: [{ matcher: tools, hooks: [hook] }] } };
    }

    /** @returns the file's path. Rejects with a `FaultError` */
    async write(name: string, settings: object): Promise<string> {
        const write = (file: string, content: object): Promise<string> =>
            this.folder.write(path.join(PARENT, this.id, file), JSON.stringify(content, undefined, 4) + '\n');
        await write(MARKER_FILE, { [MARKER_PROPERTY]: this.markers.markerOf() });
        const file = await write(name, settings);
        this.written.add(file);
        return file;
    }

    /** Before the port is given up. On `process.exit` only what is synchronous happens. */
    retireSync(): void {
        this.endpoint = undefined;
        for (const file of this.written) {
            try {
                fs.writeFileSync(file, withoutHooks(fs.readFileSync(file, 'utf8')));
            } catch {
                // The next backend does it.
            }
        }
    }

    /** Those of backends that were killed. */
    retireOthers(): Promise<void> {
        return this.tasks.run(this.folder.place, () => this.retireAll());
    }

    protected async retireAll(): Promise<void> {
        const parent = path.join(await this.folder.make(), PARENT);
        await fs.promises.mkdir(parent, { recursive: true, mode: 0o700 });
        for (const name of (await fs.promises.readdir(parent)).filter(other => other !== this.id)) {
            // One that is broken must not keep the others.
            await this.retire(path.join(parent, name)).catch(() => undefined);
        }
    }

    protected async retire(folder: string): Promise<void> {
        const { mtimeMs } = await fs.promises.stat(folder);
        const content: unknown = JSON.parse(await fs.promises.readFile(path.join(folder, MARKER_FILE), 'utf8').catch(() => '{}'));
        const marker = markerIn(content);
        if (marker && !this.markers.isGone(marker, mtimeMs)) {
            return;
        }
        if (Date.now() - mtimeMs > KEPT_MS) {
            await fs.promises.rm(folder, { recursive: true, force: true });
            return;
        }
        for (const file of (await fs.promises.readdir(folder)).filter(entry => entry.endsWith('.json') && entry !== MARKER_FILE)) {
            const text = await fs.promises.readFile(path.join(folder, file), 'utf8');
            if (withoutHooks(text) !== text) {
                await writeAtomically(path.join(folder, file), withoutHooks(text));
            }
        }
    }
}

export const REPORT_PATH = '/changed';

function withoutHooks(text: string): string {
    try {
        const { hooks: _hooks, ...others } = JSON.parse(text) as { hooks?: unknown };
        return JSON.stringify(others, undefined, 4) + '\n';
    } catch {
        // Its backend ended while it wrote.
        return '{}\n';
    }
}
