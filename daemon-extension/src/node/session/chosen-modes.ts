// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { ApprovalMode, defaultApprovalMode, isApprovalMode } from '../../common/approval-modes';

/** How long the mode of a session is kept that nobody opens. */
const KEPT_MS = 365 * 24 * 3_600_000;

/**
 * Keeps the approval mode that the user chose for each session. The daemon forgets it whenever it loads a session (Qwen Code 0.24). A
 * restart of this backend must not make a mode looser, so it is on disk: one small file per session, so that two backends of one user
 * do not overwrite each other. The default mode needs no file.
 */
export class ChosenModes {
    protected readonly known = new Map<string, string>();

    /** @param folder absolute path; made if it is missing */
    constructor(protected readonly folder: () => Promise<string>) {}

    async of(sessionId: string): Promise<string> {
        return this.known.get(sessionId) ?? (await this.read(sessionId)) ?? defaultApprovalMode;
    }

    /** The daemon does not say which sessions it still has. */
    async removeOld(): Promise<void> {
        const folder = await this.folder();
        for (const name of await fs.readdir(folder).catch(() => [])) {
            const file = path.join(folder, name);
            // Another backend of the user may have removed it.
            const stat = await fs.stat(file).catch(() => undefined);
            if (stat && Date.now() - stat.mtimeMs > KEPT_MS) {
                await fs.rm(file, { force: true });
            }
        }
    }

    /** Rejects if the file cannot be written. For this backend the mode counts nevertheless. */
    async keep(sessionId: string, modeId: string): Promise<void> {
        this.known.set(sessionId, modeId);
        const file = await this.file(sessionId);
        if (file && modeId === defaultApprovalMode) {
            await fs.rm(file, { force: true });
        } else if (file) {
            await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
            await fs.writeFile(file, modeId, { mode: 0o600 });
        }
    }

    protected async read(sessionId: string): Promise<ApprovalMode | undefined> {
        const file = await this.file(sessionId);
        const text = file && (await fs.readFile(file, 'utf8').catch(() => undefined));
        if (file && text) {
            const now = new Date();
            await fs.utimes(file, now, now).catch(() => undefined);
        }
        return isApprovalMode(text) ? text : undefined;
    }

    /** The id comes from the daemon and becomes part of a path, so its form is checked. */
    protected async file(sessionId: string): Promise<string | undefined> {
        return /^[0-9a-f-]{36}$/i.test(sessionId) ? path.join(await this.folder(), sessionId) : undefined;
    }
}
