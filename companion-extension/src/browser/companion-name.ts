// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationConfigProvider } from '@theia/core/lib/browser/frontend-application-config-provider';
import { nls } from '@theia/core/lib/common/nls';

/** The companion's name in commands, output channel and status bar: `theia.frontend.config.companionName`, if it is set. */
export function companionName(): string {
    return configuredName() ?? nls.localize('theia/cli-companion/category', 'Companion');
}

function configuredName(): string | undefined {
    try {
        const { companionName: name } = FrontendApplicationConfigProvider.get() as { companionName?: unknown };
        return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
    } catch {
        // No application, as in a test.
        return undefined;
    }
}
