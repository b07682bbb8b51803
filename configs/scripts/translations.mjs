// SPDX-License-Identifier: Apache-2.0
// Compares the texts in the sources with their translations.

import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './script.mjs';

/** The folder of each package, and the prefix of its keys. */
export const PACKAGES = {
    'companion-extension': 'theia/cli-companion/',
    'daemon-extension': 'theia/qwen-daemon/',
    'browser-app/sample-extension': 'theia/cli-companion-sample/'
};
const PREFIXES = Object.values(PACKAGES);
/** What a row of a `SentenceTable` says; all else in it is no text. */
const SENTENCES = new Set(['what', 'why', 'advice']);
const OF_TESTS = /\/(test|fuzz)\/|[.-]spec\./;

/** What a package shows, and what its translations have, by language. */
export function readPackage(folder) {
    const files = globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: ROOT }).filter(file => !OF_TESTS.test(file));
    const languages = globSync(`${folder}/i18n/*.json`, { cwd: ROOT });
    return {
        prefix: PACKAGES[folder],
        sources: Object.fromEntries(files.map(file => [file, readFileSync(join(ROOT, file), 'utf8')])),
        translations: Object.fromEntries(languages.map(file => [basename(file, '.json'), readFileSync(join(ROOT, file), 'utf8')]))
    };
}

/** @returns one line for each fault */
export function faultsOf({ prefix, sources, translations }) {
    const texts = new Map();
    const faults = [];
    for (const [file, source] of Object.entries(sources)) {
        for (const { key, text, line } of textsIn(file, source)) {
            const known = texts.get(key);
            if (text === undefined) {
                faults.push(`${file}:${line}: the key or the text of ${key} is made at run time`);
            } else if (!PREFIXES.some(one => key.startsWith(one)) && !key.startsWith('vscode/')) {
                faults.push(`${file}:${line}: ${key} does not begin with ${prefix}`);
            } else if (known !== undefined && known !== text) {
                faults.push(`${file}:${line}: ${key} stands for "${text}" and for "${known}"`);
            }
            texts.set(key, text ?? '');
        }
    }
    for (const [language, json] of Object.entries(translations)) {
        faults.push(...faultsOfTranslation(texts, json, prefix).map(fault => `${language}: ${fault}`));
    }
    return faults;
}

function faultsOfTranslation(texts, json, prefix) {
    const translation = JSON.parse(json);
    const written = [...json.matchAll(/^ *"([^"]+)":/gm)].map(([, key]) => key);
    const twice = written.filter((key, index) => written.indexOf(key) !== index).map(key => `${key} stands there twice`);
    // A key of another package is translated there, and a text of VS Code may be.
    const missing = [...texts]
        .filter(([key]) => key.startsWith(prefix) && !(key in translation))
        .map(([key, text]) => `missing: ${key} "${text}"`);
    const others = Object.entries(translation).flatMap(([key, translated]) => {
        const text = texts.get(key);
        if (text === undefined) {
            return `unused: ${key}`;
        }
        if (typeof translated !== 'string' || translated.trim() === '' || translated.trim() !== translated) {
            return `${key} has no clean text`;
        }
        return placeholders(text) === placeholders(translated) ? [] : `${key}: ${placeholders(text)} became ${placeholders(translated)}`;
    });
    return [...twice, ...missing, ...others];
}

/** Each once: a translation may need one twice. */
function placeholders(text) {
    return [...new Set(text.match(/\{[^}]*\}/g))].sort().join(' ') || 'no placeholder';
}

/** Keys with their English texts: the rows of a `SentenceTable`, arguments that follow each other, or an object's label or category with its key. */
export function textsIn(file, source) {
    const found = [];
    const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
    const constants = new Map();
    const valueOf = node => {
        if (node && ts.isStringLiteralLike(node)) {
            return node.text;
        }
        if (node && ts.isBinaryExpression(node)) {
            const [left, right] = [valueOf(node.left), valueOf(node.right)];
            return left === undefined || right === undefined ? undefined : left + right;
        }
        return node && ts.isIdentifier(node) ? constants.get(node.text) : undefined;
    };
    const tables = new Map();
    const unwrapped = node => (node && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) ? unwrapped(node.expression) : node);
    const rowsOf = node => (ts.isIdentifier(node) ? tables.get(node.text) : node).properties;
    const add = (key, text, node) => found.push({ key, text, line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    const visit = node => {
        if (ts.isVariableDeclaration(node) && valueOf(node.initializer) !== undefined) {
            constants.set(node.name.text, valueOf(node.initializer));
        } else if (ts.isVariableDeclaration(node) && node.initializer && ts.isObjectLiteralExpression(unwrapped(node.initializer))) {
            tables.set(node.name.text, unwrapped(node.initializer));
        }
        if (ts.isNewExpression(node) && node.expression.getText() === 'SentenceTable') {
            const [prefix, rows] = node.arguments;
            for (const row of rowsOf(rows)) {
                for (const { name, initializer } of row.initializer.properties.filter(one => SENTENCES.has(one.name?.text))) {
                    const ending = name.text === 'what' ? '' : `.${name.text}`;
                    add(`${valueOf(prefix)}${row.name.text}${ending}`, valueOf(initializer), initializer);
                }
            }
            return;
        }
        if (ts.isCallExpression(node)) {
            const called = node.expression.getText();
            const [first, second, third] = node.arguments;
            if (called.endsWith('toLocalizedCommand')) {
                const property = name => first.properties.find(one => one.name?.text === name);
                for (const [name, key] of [
                    ['label', valueOf(second)],
                    ['category', valueOf(third)]
                ]) {
                    const { initializer, name: shorthand } = property(name) ?? {};
                    if (key !== undefined) {
                        add(key, valueOf(initializer ?? shorthand), node);
                    }
                }
            } else if (called.endsWith('localizeByDefault')) {
                add(keyOfVsCode(valueOf(first)), valueOf(first), node);
            } else {
                node.arguments.forEach((argument, index) => {
                    const key = ts.isTemplateExpression(argument) ? argument.head.text : valueOf(argument);
                    if (key?.startsWith('theia/')) {
                        add(key, ts.isTemplateExpression(argument) ? undefined : valueOf(node.arguments[index + 1]), node);
                    }
                });
            }
        }
        ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
}

/** As Theia finds it. */
function keyOfVsCode(text) {
    return createRequire(import.meta.url)('@theia/core/lib/common/nls').nls.getDefaultKey(text);
}
