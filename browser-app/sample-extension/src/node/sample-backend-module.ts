// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { LocalizationContribution } from '@theia/core/lib/node/i18n/localization-contribution';
import { ContainerModule } from '@theia/core/shared/inversify';

/** Browsers ask for it. Theia (1.74) has none, and each page would begin with an error. */
const ICON =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1b6ac9"/>' +
    '<path d="M4 5l3 3-3 3m5 0h4" fill="none" stroke="#fff" stroke-width="1.6"/></svg>';

/** Theia offers a language as soon as one of its localizations says that it is a language pack. */
export default new ContainerModule(bind => {
    bind<BackendApplicationContribution>(BackendApplicationContribution).toConstantValue({
        configure: app => void app.get('/favicon.ico', (_request, response) => void response.type('svg').send(ICON))
    });
    bind<LocalizationContribution>(LocalizationContribution).toConstantValue({
        registerLocalizations: async registry =>
            registry.registerLocalization({
                languageId: 'zh-cn',
                languageName: 'Chinese (Simplified)',
                localizedLanguageName: '中文(简体)',
                languagePack: true,
                getTranslations: async () => require('../../i18n/zh-cn.json')
            })
    });
});
