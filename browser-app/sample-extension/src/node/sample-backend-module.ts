// SPDX-License-Identifier: Apache-2.0

import { LocalizationContribution } from '@theia/core/lib/node/i18n/localization-contribution';
import { ContainerModule } from '@theia/core/shared/inversify';

/** Theia offers a language as soon as one of its localizations says that it is a language pack. */
export default new ContainerModule(bind => {
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
