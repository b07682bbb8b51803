// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { Event } from '@theia/core/lib/common/event';
import { DAEMON_URL_VARIABLE, DaemonPreferences } from '../../common/daemon-preferences';
import { DaemonProblem } from '../../common/daemon-problem';
import { readDaemonToken } from './daemon-token';
import { DaemonUrl } from './daemon-url';
import { findQwenCommand } from './qwen-command';

/** Which daemon is to be used. */
export type DaemonTarget =
    | { kind: 'off' }
    | { kind: 'external'; url: string; host: string; token: string | undefined }
    | { kind: 'managed'; command: string }
    | { kind: 'refused'; problem: DaemonProblem };

/** The user's choice: preferences in user scope (a backend sees no others) before the environment variable. */
@injectable()
export class DaemonSettings {
    @inject(DaemonPreferences)
    protected readonly preferences: DaemonPreferences;

    get onDidChange(): Event<unknown> {
        return this.preferences.onPreferenceChanged;
    }

    async isEnabled(): Promise<boolean> {
        await this.preferences.ready;
        return this.preferences.get('qwen-code.experimentalDaemon.enabled') === true || this.environmentUrl() !== '';
    }

    async resolve(): Promise<DaemonTarget> {
        if (!(await this.isEnabled())) {
            return { kind: 'off' };
        }
        if (this.text('token') !== '') {
            return refused({ code: 'token-in-preferences' });
        }
        const preferred = this.text('url');
        const url = preferred || this.environmentUrl();
        return url === '' ? this.managed() : this.external(url, preferred ? 'qwen-code.experimentalDaemon.url' : DAEMON_URL_VARIABLE);
    }

    protected async external(text: string, source: string): Promise<DaemonTarget> {
        const checked = DaemonUrl.check(text, source, this.preferences.get('qwen-code.experimentalDaemon.allowRemoteHosts') === true);
        if ('problem' in checked) {
            return refused(checked.problem);
        }
        const token = await readDaemonToken(this.text('tokenFile'));
        return 'problem' in token ? refused(token.problem) : { kind: 'external', ...checked, token: token.token };
    }

    protected async managed(): Promise<DaemonTarget> {
        const configured = this.text('command');
        const command = await findQwenCommand(configured);
        return command ? { kind: 'managed', command } : refused({ code: 'no-cli', configured: configured !== '' });
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
