// SPDX-License-Identifier: Apache-2.0

import { PreferenceSchemaService, PreferenceService } from '@theia/core/lib/common/preferences';
import { Container } from '@theia/core/shared/inversify';
import { PagePolicy } from '../window/page-policy';

/** That of a page whose platform has decided nothing, until the test says otherwise. */
export function testPolicy(preferences: Pick<PreferenceService, 'inspect'> = { inspect: () => undefined }): PagePolicy {
    const container = new Container();
    container.bind<unknown>(PreferenceService).toConstantValue(preferences);
    container.bind<unknown>(PreferenceSchemaService).toConstantValue({ getSchemaProperty: () => undefined });
    container.bind(PagePolicy).toSelf();
    return container.get(PagePolicy);
}
