// SPDX-License-Identifier: Apache-2.0

import { PreferenceInspection } from '@theia/core/lib/common/preferences';

type Scopes<T> = Pick<PreferenceInspection<T>, 'defaultValue' | 'globalValue' | 'workspaceValue' | 'workspaceFolderValue' | 'sessionValue'>;

/**
 * What the preferences on sharing come to. A cloned repository brings its own workspace settings: they may narrow what the user's own
 * settings share with a CLI, and never widen it.
 */
export const ContextPrivacy = {
    sharing(scopes: Scopes<boolean> | undefined): boolean {
        return ownValue(scopes) !== false && workspaceValues(scopes).every(value => value !== false);
    },

    /** Glob patterns: the user's own list, or the default one, and those that the workspace adds. */
    excludes(scopes: Scopes<string[]> | undefined): string[] {
        return [ownValue(scopes), ...workspaceValues(scopes)].flatMap(list => (Array.isArray(list) ? list : []));
    }
} as const;

/** Of the default, the user's settings, and the command line of whoever started the application. */
function ownValue<T>(scopes: Scopes<T> | undefined): T | undefined {
    return scopes?.sessionValue ?? scopes?.globalValue ?? scopes?.defaultValue;
}

function workspaceValues<T>(scopes: Scopes<T> | undefined): Array<T | undefined> {
    return [scopes?.workspaceValue, scopes?.workspaceFolderValue];
}
