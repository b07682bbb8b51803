// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { LanguageGrammarDefinitionContribution, TextmateRegistry } from '@theia/monaco/lib/browser/textmate';
import * as monaco from '@theia/monaco-editor-core';

interface Language extends monaco.languages.ILanguageExtensionPoint {
    readonly scope: string;
    /** Called when Theia opens the first file of the language, or of another one that has it inside. */
    readonly grammar: () => Promise<object>;
    readonly editing: monaco.languages.LanguageConfiguration;
}

const BRACKETS: monaco.languages.CharacterPair[] = [
    ['{', '}'],
    ['[', ']'],
    ['(', ')']
];
const LIKE_C: monaco.languages.LanguageConfiguration = {
    brackets: BRACKETS,
    comments: { lineComment: '//', blockComment: ['/*', '*/'] }
};

const LANGUAGES: Language[] = [
    {
        id: 'javascript',
        aliases: ['JavaScript'],
        extensions: ['.js', '.mjs', '.cjs', '.jsx'],
        scope: 'source.js',
        grammar: () => import('tm-grammars/grammars/javascript.json'),
        editing: LIKE_C
    },
    {
        id: 'typescript',
        aliases: ['TypeScript'],
        extensions: ['.ts', '.mts', '.cts'],
        scope: 'source.ts',
        grammar: () => import('tm-grammars/grammars/typescript.json'),
        editing: LIKE_C
    },
    {
        id: 'json',
        aliases: ['JSON'],
        extensions: ['.json'],
        scope: 'source.json',
        grammar: () => import('tm-grammars/grammars/json.json'),
        editing: { brackets: BRACKETS }
    },
    {
        // Theia's own settings; Theia registers their names.
        id: 'jsonc',
        scope: 'source.json.comments',
        grammar: () => import('tm-grammars/grammars/jsonc.json'),
        editing: LIKE_C
    },
    {
        id: 'markdown',
        aliases: ['Markdown'],
        extensions: ['.md'],
        scope: 'text.html.markdown',
        grammar: () => import('tm-grammars/grammars/markdown.json'),
        editing: { brackets: BRACKETS }
    }
];

/** Colours for what the sample is written in. Theia has the engine, and takes grammars from plugins otherwise: here no plugin host runs. */
@injectable()
export class SyntaxColors implements LanguageGrammarDefinitionContribution {
    registerTextmateLanguage(registry: TextmateRegistry): void {
        for (const { scope, grammar, editing, ...language } of LANGUAGES) {
            monaco.languages.register(language);
            monaco.languages.setLanguageConfiguration(language.id, editing);
            registry.mapLanguageIdToTextmateGrammar(language.id, scope);
            registry.registerTextmateGrammarScope(scope, {
                getGrammarDefinition: async () => ({ format: 'json', content: await grammar() })
            });
        }
    }
}
