// SPDX-License-Identifier: Apache-2.0
// The parts of the documents that are made from the source: reference lists, labels, messages, and the code of the example.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { escapeMarkdown } from './markdown.mjs';
import { Problem, ROOT } from './script.mjs';
import { builtInExcludes, companionCommands, daemonCommands, keys, preferences, translatedTexts, uiTexts } from './source-facts.mjs';

const GENERATED = /(<!-- generated: ([a-z-]+) -->\n)[^]*?(<!-- \/generated -->)/g;
const LABEL = /(<!-- ui ([^\n>]+) -->)[^*\n]*(?=\*\*)/g;
const CODE = /(<!-- (examples\/\S+) -->\n\n```ts\n)[^]*?(?=```\n)/g;
const SAYS = /(<!-- says ([^\n]+) -->\n)(?:\n?>[^\n]*\n)*/g;

/** Conditions of key bindings, as the source names them. docs/reference.md explains them. */
const CONDITIONS = [
    'focused',
    'selected',
    'commentable',
    'IN_DIFF',
    'AGENTS_WAITING_KEY',
    'CHANGES_LISTED_KEY',
    'COMMENTS_KEY',
    'NONE_WAITS',
    'STATUS_LISTED_KEY',
    'REVIEWS_WAITING_KEY'
];

/** Where a preference counts that is not for the user settings only, by its narrowest scope. */
const SCOPES = {
    Workspace: 'user and workspace settings',
    Folder: 'user, workspace and folder settings'
};

const LISTS = {
    commands: () =>
        table(
            ['Command', 'Id', 'Keys'],
            [...companionCommands().values()].map(command => [...commandRow(command), keysOf(command)])
        ),
    'daemon-commands': () => table(['Command', 'Id'], daemonCommands().map(commandRow)),
    preferences: () => preferenceList('companion.'),
    'built-in-excludes': () =>
        builtInExcludes()
            .map(pattern => `\`${pattern}\``)
            .join(', '),
    'daemon-preferences': () => preferenceList('qwen-code.')
};

/** A document with its generated parts made from the source. One in Chinese has the labels in Chinese. */
export async function fillDocument(file) {
    const path = join(ROOT, file);
    const translated = translatedTexts();
    const filled = fill(readFileSync(path, 'utf8'), file.includes('zh-CN') ? translated : uiTexts(), translated);
    return format(filled, { ...(await resolveConfig(path)), filepath: path });
}

/**
 * `<!-- says KEY (argument; argument) + KEY -->` is before a quotation, which has the message in English and in Chinese.
 * `<!-- ui KEY -->` is before a label in bold. Code is that of the example, which is compiled and run: the file is named above it.
 *
 * @param texts the texts of the user interface by their keys
 * @param translated the same in Chinese
 */
export function fill(document, texts, translated) {
    if (document.match(/```ts/g)?.length !== document.match(CODE)?.length) {
        throw new Problem('A document has code that names no file of the example.');
    }
    return document
        .replace(CODE, (_all, begin, file) => begin + readFileSync(join(ROOT, file), 'utf8').replace(/^\/\/ SPDX[^\n]*\n\n/, ''))
        .replace(GENERATED, (_all, begin, name, end) => {
            if (!LISTS[name]) {
                throw new Problem(`The documents have no generated part "${name}".`);
            }
            return `${begin}\n${LISTS[name]()}\n\n${end}`;
        })
        .replace(LABEL, (_all, begin, message) => begin + say(message, texts, texts))
        .replace(SAYS, (_all, begin, messages) => {
            const inEnglish = sayAll(messages, texts, texts).join(' ');
            const inChinese = sayAll(messages, translated, texts).join('');
            return `${begin}\n> ${inEnglish}\n>\n> ${inChinese}\n`;
        });
}

function sayAll(messages, texts, english) {
    return messages.split(' + ').map(message => say(message, texts, english));
}

/**
 * @param message `key`, or `key (argument; argument)`; a key of the daemon's begins with `daemon:`, also as an argument
 * @param english has the order of the placeholders, if they have names
 */
function say(message, texts, english) {
    const [, key, args] = /^(\S+)(?: \((.*)\))?$/.exec(message.trim());
    const values = args?.split('; ').map(value => (value.startsWith('daemon:') ? textOf(value, texts) : value)) ?? [];
    const names = [...new Set(textOf(key, english).match(/\{[^}\d]\w*\}/g))];
    const valueOf = placeholder => values[names.includes(placeholder) ? names.indexOf(placeholder) : placeholder.slice(1, -1)];
    return escapeMarkdown(textOf(key, texts).replace(/\{\w+\}/g, placeholder => valueOf(placeholder) ?? '…'));
}

function textOf(key, texts) {
    const name = key.startsWith('daemon:') ? key.replace('daemon:', 'theia/qwen-daemon/') : `theia/cli-companion/${key}`;
    const text = texts.get(name);
    if (text === undefined) {
        throw new Problem(`No text of the user interface has the key ${name}, which the documents explain.`);
    }
    return text;
}

function table(head, rows) {
    const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
    return ['<!-- prettier-ignore -->', ...lines].join('\n');
}

function commandRow({ id, label }) {
    return [escapeMarkdown(label), `\`${id}\``];
}

function keysOf({ label }) {
    const unknown = keys().find(({ label: bound, when }) => !bound || !CONDITIONS.includes(when));
    if (unknown) {
        throw new Problem(`The documents do not know the command or the condition "${unknown.when}" of the keys ${unknown.keybinding}.`);
    }
    const names = keys()
        .filter(({ label: bound }) => bound === label)
        .map(({ keybinding }) =>
            keybinding
                .split(' ')
                .map(chord => chord.split('+').map(keyName).join('+'))
                .join(' ')
        );
    return [...new Set(names)].join(', ');
}

function keyName(key) {
    return key === 'ctrlcmd' ? 'Ctrl/Cmd' : key[0].toUpperCase() + key.slice(1);
}

function preferenceList(prefix) {
    return Object.entries(preferences())
        .filter(([name, { deprecationMessage }]) => name.startsWith(prefix) && !deprecationMessage)
        .map(([name, schema]) => {
            const where = SCOPES[schema.scope] ?? 'user settings only';
            const choices = (schema.enum ?? []).map((choice, index) => `\`${choice}\`: ${escapeMarkdown(schema.enumDescriptions[index])}`);
            const first = `- \`${name}\` (${defaultOf(schema)}; ${where}): ${escapeMarkdown(schema.description)}`;
            return [first, ...choices.map(line => `    - ${line}`)].join('\n');
        })
        .join('\n');
}

function defaultOf({ default: value }) {
    return value?.length === 0 ? 'empty by default' : `default \`${value}\``;
}
