// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Event } from '@theia/core/lib/common/event';
import { timeout } from '@theia/core/lib/common/promise-util';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { Policy } from 'theia-cli-companion/lib/node';
import { DAEMON_URL_VARIABLE, DaemonPreferences } from '../../common/daemon-preferences';
import { DaemonProblem } from '../../common/daemon-problem';
import { isLoopback } from '../../common/qwen-daemon-protocol';

export type DaemonTarget =
    | { kind: 'off' }
    | { kind: 'external'; url: string; host: string; token: string | undefined }
    | { kind: 'managed'; command: string }
    | { kind: 'refused'; problem: DaemonProblem };

/** A backend does not wait longer for its preferences. */
const READY_MS = 5_000;

/** The user's choice: preferences in user scope (a backend sees no others) before the environment variable. */
@injectable()
export class DaemonSettings implements BackendApplicationContribution {
    @inject(DaemonPreferences)
    protected readonly preferences: DaemonPreferences;

    @inject(Policy)
    protected readonly policy: Pick<Policy, 'allows'>;

    get onDidChange(): Event<unknown> {
        return this.preferences.onPreferenceChanged;
    }

    /** No page is served, and no shell begins, before this is done. */
    async initialize(): Promise<void> {
        this.preferences.onPreferenceChanged(() => void this.takeToken());
        await Promise.race([this.takeToken(), timeout(READY_MS)]);
    }

    /** While the daemon is off, its token is none of our business. */
    protected async takeToken(): Promise<void> {
        if (await this.isEnabled()) {
            takeDaemonToken();
        }
    }

    async isEnabled(): Promise<boolean> {
        await this.preferences.ready;
        return this.preferences.get('qwen-code.experimentalDaemon.enabled') === true || this.environmentUrl() !== '';
    }

    /** By the policy of the platform, whatever the user wants. */
    get isForbidden(): boolean {
        return !this.policy.allows('chat');
    }

    async resolve(): Promise<DaemonTarget> {
        if (!(await this.isEnabled())) {
            return { kind: 'off' };
        }
        if (this.isForbidden) {
            return refused({ code: 'policy' });
        }
        if (this.text('token') !== '') {
            return refused({ code: 'token-in-preferences' });
        }
        const preferred = this.text('url');
        const url = preferred || this.environmentUrl();
        return url === '' ? this.managed() : this.external(url, preferred ? 'qwen-code.experimentalDaemon.url' : DAEMON_URL_VARIABLE);
    }

    protected async external(text: string, source: string): Promise<DaemonTarget> {
        const checked = checkUrl(text, source, this.preferences.get('qwen-code.experimentalDaemon.allowRemoteHosts') === true);
        if ('problem' in checked) {
            return refused(checked.problem);
        }
        const token = await readDaemonToken(this.text('tokenFile'));
        return 'problem' in token ? refused(token.problem) : { kind: 'external', ...checked, token: token.token };
    }

    protected async managed(): Promise<DaemonTarget> {
        const configured = this.text('command');
        const command = await findQwenCommand(configured);
        return command ? { kind: 'managed', command } : refused({ code: 'no-cli' });
    }

    protected environmentUrl(): string {
        return process.env[DAEMON_URL_VARIABLE]?.trim() ?? '';
    }

    protected text(name: 'url' | 'token' | 'tokenFile' | 'command'): string {
        const value: unknown = this.preferences.get(`qwen-code.experimentalDaemon.${name}`);
        return typeof value === 'string' ? value.trim() : '';
    }
}

function refused(problem: DaemonProblem): DaemonTarget {
    return { kind: 'refused', problem };
}

/**
 * Rules for the address of a daemon.
 *
 * @param text as the user wrote it
 * @param source the setting or variable that holds it, for the message
 */
export function checkUrl(
    text: string,
    source: string,
    allowRemoteHosts: boolean
): { url: string; host: string } | { problem: DaemonProblem } {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
        return { problem: { code: 'bad-url', source } };
    }
    if (!isLoopback(url.hostname) && !allowRemoteHosts) {
        return { problem: { code: 'bad-url', source } };
    }
    return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, host: url.host };
}

/**
 * Finds the Qwen Code command line, which the managed daemon is a part of.
 *
 * @param configured absolute path of the user settings, or empty
 * @returns absolute path of an executable file
 */
async function findQwenCommand(configured: string): Promise<string | undefined> {
    const names = process.platform === 'win32' ? ['qwen.cmd', 'qwen.exe'] : ['qwen'];
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const files = configured !== '' ? [configured] : folders.flatMap(folder => names.map(name => path.join(folder, name)));
    for (const file of files) {
        // A relative entry would find what the workspace holds.
        if (path.isAbsolute(file) && (await isExecutable(file))) {
            return file;
        }
    }
    return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
    try {
        await fs.access(file, constants.X_OK);
        return (await fs.stat(file)).isFile();
    } catch {
        return false;
    }
}

export const DAEMON_TOKEN_VARIABLE = 'QWEN_SERVER_TOKEN';

/** More than a token has; a wrong path must not make us read a disk image. */
const MAX_TOKEN_FILE = 4_096;

let taken: string | undefined;

/**
 * Takes the token out of this process's environment, which Theia shows to every page (`EnvVariablesServer`, 1.74) and hands to every
 * shell.
 */
function takeDaemonToken(): void {
    taken = process.env[DAEMON_TOKEN_VARIABLE] ?? taken;
    delete process.env[DAEMON_TOKEN_VARIABLE];
}

export type DaemonTokenResult = { token: string | undefined } | { problem: DaemonProblem };

/**
 * The token of an external daemon: never from preferences, since pages read those.
 *
 * @param tokenFile absolute path, or empty; goes before the environment variable
 */
async function readDaemonToken(tokenFile: string): Promise<DaemonTokenResult> {
    if (tokenFile === '') {
        return { token: (process.env[DAEMON_TOKEN_VARIABLE] ?? taken)?.trim() || undefined };
    }
    try {
        return path.isAbsolute(tokenFile) ? await readTokenFile(tokenFile) : bad();
    } catch {
        return bad();
    }
}

async function readTokenFile(tokenFile: string): Promise<DaemonTokenResult> {
    const file = await fs.open(tokenFile, 'r');
    try {
        const stat = await file.stat();
        if (!stat.isFile() || stat.size > MAX_TOKEN_FILE) {
            return bad();
        }
        // Windows has no such modes; its files are protected by the folder that they lie in.
        if (process.platform !== 'win32' && ((stat.mode & 0o077) !== 0 || stat.uid !== process.getuid?.())) {
            return bad();
        }
        const token = (await file.readFile('utf8')).trim();
        // What fits into a header, and nothing that could end one.
        return /^[\x21-\x7e]+$/.test(token) ? { token } : bad();
    } finally {
        await file.close();
    }
}

function bad(): DaemonTokenResult {
    return { problem: { code: 'bad-token-file' } };
}
