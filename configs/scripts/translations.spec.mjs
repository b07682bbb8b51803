// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { faultsOf, PACKAGES, readPackage } from './translations.mjs';

describe('translations', () => {
    for (const folder of Object.keys(PACKAGES)) {
        it(`of ${folder} have every text and no other, with its placeholders`, () => {
            const { translations, ...read } = readPackage(folder);
            expect(Object.keys(translations)).to.include('zh-cn');
            expect(faultsOf({ translations, ...read }).join('\n')).to.equal('');
        });
    }

    describe('that are wrong', () => {
        const HELLO = { 'theia/cli-companion/hello': '{0}，你好' };
        const hello = (...more) => [`nls.localize('theia/cli-companion/hello', 'Hello, ' + '{0}', name);`, ...more].join('\n');
        const faults = (source, translation = HELLO) =>
            faultsOf({
                prefix: 'theia/cli-companion/',
                sources: { 'a.ts': source },
                translations: { xx: typeof translation === 'string' ? translation : JSON.stringify(translation, undefined, 4) }
            });

        it('do not include any that are right', () => {
            expect(faults(hello())).to.deep.equal([]);
        });

        it('lack a text, also that of a command', () => {
            expect(faults(hello(), {})).to.deep.equal(['xx: missing: theia/cli-companion/hello "Hello, {0}"']);
            const command =
                "Command.toLocalizedCommand({ id: 'x', label: 'Do', category }, 'theia/cli-companion/do', 'theia/cli-companion/cat');";
            expect(faults(`const category = 'Companion'; ${command}`, {})).to.deep.equal([
                'xx: missing: theia/cli-companion/do "Do"',
                'xx: missing: theia/cli-companion/cat "Companion"'
            ]);
        });

        it('lack a text of a table', () => {
            const table = "new SentenceTable('theia/cli-companion/', rows);";
            expect(
                faults(`const DO = 'Do.'; const rows = { 'x.y': { what: 'Wrong: {cause}', advice: DO } } as const; ${table}`, {})
            ).to.deep.equal(['xx: missing: theia/cli-companion/x.y "Wrong: {cause}"', 'xx: missing: theia/cli-companion/x.y.advice "Do."']);
        });

        it('have a text that nobody shows, or one twice', () => {
            expect(faults('', HELLO)).to.deep.equal(['xx: unused: theia/cli-companion/hello']);
            expect(faults('', { 'vscode/diffEditor.contribution/revertHunk': '还原块' })).to.have.length(1);
            expect(faults(hello(), '{\n"theia/cli-companion/hello": "{0}",\n"theia/cli-companion/hello": "{0}"\n}')).to.deep.equal([
                'xx: theia/cli-companion/hello stands there twice'
            ]);
        });

        it('have other placeholders, or no text', () => {
            expect(faults(hello(), { 'theia/cli-companion/hello': '{1}，你好' })).to.deep.equal([
                'xx: theia/cli-companion/hello: {0} became {1}'
            ]);
            expect(faults(hello(), { 'theia/cli-companion/hello': ' ' })).to.deep.equal([
                'xx: theia/cli-companion/hello has no clean text'
            ]);
        });

        it('come from sources with a wrong key, with two texts for one, or with a key that is made at run time', () => {
            expect(faults("nls.localize('theia/other/hello', 'Hello');", {})).to.deep.equal([
                'a.ts:1: theia/other/hello does not begin with theia/cli-companion/'
            ]);
            expect(faults(hello("nls.localize('theia/cli-companion/hello', 'Hi, {0}');"))).to.deep.equal([
                'a.ts:2: theia/cli-companion/hello stands for "Hi, {0}" and for "Hello, {0}"'
            ]);
            expect(faults('nls.localize(`theia/cli-companion/${name}`, text);', {})[0]).to.contain('made at run time');
        });
    });
});
