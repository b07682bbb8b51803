// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { companionName } from './companion-name';

/** The companion's name, in front of each command in the palette. */
export const COMMAND_CATEGORY = companionName();

/**
 * A command that users find in the palette.
 *
 * @param key of its label in the translations
 * @param icon a codicon's name
 */
export function defineCommand(id: string, key: string, label: string, icon?: string): Command {
    return { ...Command.toLocalizedCommand({ id, label, iconClass: icon && codicon(icon) }, key), category: COMMAND_CATEGORY };
}
