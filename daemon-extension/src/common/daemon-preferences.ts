// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import {
    createPreferenceProxy,
    PreferenceContribution,
    PreferenceProxy,
    PreferenceSchema,
    PreferenceScope,
    PreferenceService
} from '@theia/core/lib/common/preferences';
import { interfaces } from '@theia/core/shared/inversify';

export interface DaemonConfiguration {
    'qwen-code.experimentalDaemon.enabled': boolean;
    'qwen-code.experimentalDaemon.url': string;
    'qwen-code.experimentalDaemon.allowRemoteHosts': boolean;
    'qwen-code.experimentalDaemon.tokenFile': string;
    'qwen-code.experimentalDaemon.command': string;
    'qwen-code.experimentalDaemon.token': string;
}
export type DaemonPreference = keyof DaemonConfiguration;

/** The environment variable that names a daemon where the preference does not, and that enables this extension. */
export const DAEMON_URL_VARIABLE = 'QWEN_IDE_DAEMON_URL';

/**
 * All in user scope: a folder that somebody else made must not decide where this IDE sends prompts, nor which program it starts.
 * The backend reads them itself, and it sees no workspace settings. A page can write user settings, as any part of the IDE can.
 */
export const daemonPreferencesSchema: PreferenceSchema = {
    scope: PreferenceScope.User,
    title: nls.localize('theia/qwen-daemon/preferences/title', 'Qwen Code daemon (experimental)'),
    properties: {
        'qwen-code.experimentalDaemon.enabled': {
            type: 'boolean',
            default: false,
            description: nls.localize(
                'theia/qwen-daemon/preferences/enabled',
                'Offers Qwen Code as a chat agent over its daemon, "qwen serve". Without a URL, a daemon is started for the workspace when the first chat needs it.'
            )
        },
        'qwen-code.experimentalDaemon.url': {
            type: 'string',
            default: '',
            description: nls.localize(
                'theia/qwen-daemon/preferences/url',
                'Address of a running daemon, e.g. http://127.0.0.1:4170. Empty: the environment variable QWEN_IDE_DAEMON_URL, or a daemon started by the IDE.'
            )
        },
        'qwen-code.experimentalDaemon.allowRemoteHosts': {
            type: 'boolean',
            default: false,
            description: nls.localize(
                'theia/qwen-daemon/preferences/allowRemoteHosts',
                'Allows a daemon on another host. Prompts, and the token, then leave this machine; use https.'
            )
        },
        'qwen-code.experimentalDaemon.tokenFile': {
            type: 'string',
            default: '',
            description: nls.localize(
                'theia/qwen-daemon/preferences/tokenFile',
                "Absolute path, on the IDE backend, of a file with the daemon's token, readable only by its owner. Not needed where the environment variable QWEN_SERVER_TOKEN is set or the IDE starts the daemon."
            )
        },
        'qwen-code.experimentalDaemon.command': {
            type: 'string',
            default: '',
            description: nls.localize(
                'theia/qwen-daemon/preferences/command',
                'Absolute path of the Qwen Code command that the IDE starts the daemon with. Empty: "qwen" on the PATH of the IDE backend.'
            )
        },
        'qwen-code.experimentalDaemon.token': {
            type: 'string',
            default: '',
            deprecationMessage: nls.localize(
                'theia/qwen-daemon/preferences/token',
                'Refused: settings can be read in the browser. Set QWEN_SERVER_TOKEN in the environment of the IDE backend, or "qwen-code.experimentalDaemon.tokenFile".'
            )
        }
    }
};

export const DaemonPreferences = Symbol('DaemonPreferences');
export type DaemonPreferences = PreferenceProxy<DaemonConfiguration>;

export function bindDaemonPreferences(bind: interfaces.Bind): void {
    bind(DaemonPreferences)
        .toDynamicValue(({ container }) => createPreferenceProxy(container.get(PreferenceService), daemonPreferencesSchema))
        .inSingletonScope();
    bind<PreferenceContribution>(PreferenceContribution).toConstantValue({ schema: daemonPreferencesSchema });
}
