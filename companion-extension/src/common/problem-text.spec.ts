// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { nls } from '@theia/core/lib/common/nls';
import { CompanionProblem, Fault } from './companion-problem';
import { describeProblem, faultText, problemText } from './problem-text';

describe('problemText', () => {
    const OPEN_FOLDER: CompanionProblem = {
        code: 'cannot-connect',
        cliName: 'Gemini CLI',
        fault: { code: 'folder-open-to-others', folder: '/tmp/gemini', command: "chmod go-w '/tmp/gemini'" }
    };

    afterEach(() => Object.assign(nls, { locale: undefined, localization: undefined }));

    it('says what does not work, why, what to do, and the command', () => {
        expect(describeProblem(OPEN_FOLDER)).to.deep.equal({
            what: 'Gemini CLI cannot connect.',
            why: 'Other users can write to the folder /tmp/gemini.',
            advice: 'Remove that permission.',
            command: "chmod go-w '/tmp/gemini'"
        });
        expect(problemText(OPEN_FOLDER)).to.equal(
            "Gemini CLI cannot connect. Other users can write to the folder /tmp/gemini. Remove that permission. Run: chmod go-w '/tmp/gemini'"
        );
    });

    it('says so if nothing can be done', () => {
        expect(problemText({ code: 'cannot-connect', cliName: 'Qwen Code', fault: { code: 'silent', places: ['/home/u'] } })).to.equal(
            'Qwen Code cannot connect. The file system of /home/u does not answer. The IDE tries again by itself.'
        );
        expect(problemText({ code: 'not-started', cause: 'EACCES' })).to.equal(
            'The companion could not be started (EACCES). The IDE tries again every few seconds.'
        );
    });

    it('names the command only if it helps', () => {
        expect(problemText({ code: 'too-many-open-files', cause: 'EMFILE' })).to.include('Run: ulimit -n 65536');
        expect(faultText({ code: 'settings-changed', file: '/s.json' })).not.to.include('Run:');
    });

    it('has no space between Chinese sentences', () => {
        Object.assign(nls, { locale: 'zh-cn' });
        nls.localization = {
            languageId: 'zh-cn',
            languageName: 'Chinese',
            localizedLanguageName: '中文',
            languagePack: true,
            translations: {
                'theia/cli-companion/problem/cannot-connect': '{cliName} 无法连接。',
                'theia/cli-companion/problem/silent.why': '{places} 的文件系统没有响应。',
                'theia/cli-companion/problem/cannot-connect.advice': 'IDE 会自动重试。'
            },
            replacements: {}
        };
        const fault: Fault = { code: 'silent', places: ['/home/u', '/ws'] };
        expect(problemText({ code: 'cannot-connect', cliName: 'Qwen Code', fault })).to.equal(
            'Qwen Code 无法连接。/home/u、/ws 的文件系统没有响应。IDE 会自动重试。'
        );
    });

    it('is in the language of the page, with what the backend sent', () => {
        nls.localization = {
            languageId: 'de',
            languageName: 'Deutsch',
            localizedLanguageName: 'Deutsch',
            languagePack: true,
            translations: {
                'theia/cli-companion/problem/cannot-connect': '{cliName} kann sich nicht verbinden.',
                'theia/cli-companion/problem/folder-open-to-others.why': 'Andere dürfen in den Ordner {folder} schreiben.'
            },
            replacements: {}
        };
        expect(problemText(OPEN_FOLDER)).to.match(
            /^Gemini CLI kann sich nicht verbinden\. Andere dürfen in den Ordner \/tmp\/gemini schreiben\./
        );
    });
});
