// SPDX-License-Identifier: Apache-2.0
// The parts of the documents that are made from the source: reference lists, and the messages that docs/troubleshooting.md explains.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { escapeMarkdown } from './markdown.mjs';
import { Problem, readJson, ROOT } from './script.mjs';
import { builtInExcludes, companionCommands, daemonCommands, keys, preferences, translatedTexts, uiTexts } from './source-facts.mjs';

const GENERATED = /(<!-- generated: ([a-z-]+) -->\n)[^]*?(<!-- \/generated -->)/g;
const LABEL = /(<!-- ui ([^\n>]+) -->)[^*\n]*(?=\*\*)/g;
const SAYS = /(<!-- says ([^\n]+) -->\n)(?:\n?>[^\n]*\n)*/g;

/** For conditions of key bindings, by how the source names them. */
const PLACES = {
    focused: 'in the diff',
    REVIEWS_LISTED_KEY: "in the status bar's list",
    REVIEWS_WAITING_KEY: 'anywhere, also in the terminal, while a proposal waits'
};

/** Where a preference counts that is not for the user settings only, by its narrowest scope. */
const SCOPES = {
    Workspace: 'user and workspace settings',
    Folder: 'user, workspace and folder settings'
};

const LISTS = {
    commands: () => commandTable([...companionCommands().values()]),
    'daemon-commands': () => commandTable(daemonCommands()),
    keys: () => table(['Keys', 'Command', 'Where'], keys().map(keyRow)),
    preferences: () => preferenceList('companion.'),
    'built-in-excludes': () =>
        builtInExcludes()
            .map(pattern => `\`${pattern}\``)
            .join(', '),
    'daemon-preferences': () => preferenceList('qwen-code.'),
    specification: () =>
        requirements()
            .specification.map(([id, level, text]) => `- **${id}** ${level}: ${escapeMarkdown(text)}`)
            .join('\n'),
    'claude-family': () => checklist(requirements().claude),
    'security-checklist': () => checklist(requirements().security)
};

function requirements() {
    return readJson('configs/conformance/requirements.json');
}

function checklist(items) {
    return items.map(([id, text]) => `- **${id}**: ${escapeMarkdown(text)}`).join('\n');
}

/** A document with its generated parts made from the source. One in Chinese has the labels in Chinese. */
export async function fillDocument(file) {
    const path = join(ROOT, file);
    const translated = translatedTexts();
    const filled = fill(readFileSync(path, 'utf8'), file.includes('zh-CN') ? translated : uiTexts(), translated);
    return format(filled, { ...(await resolveConfig(path)), filepath: path });
}

/**
 * `<!-- says KEY (argument; argument) + KEY -->` is before a quotation, which has the message in English and in Chinese.
 * `<!-- ui KEY -->` is before a label in bold.
 *
 * @param texts the texts of the user interface by their keys
 * @param translated the same in Chinese
 */
export function fill(document, texts, translated) {
    return document
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
 * @param english has the order of what the arguments stand for, where that has names
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
    return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function commandTable(commands) {
    return table(
        ['Command', 'Id'],
        commands.map(({ id, label }) => [escapeMarkdown(label), `\`${id}\``])
    );
}

function keyRow({ label, keybinding, when }) {
    if (!label || !PLACES[when]) {
        throw new Problem(`The documents do not know the command or the condition "${when}" of the keys ${keybinding}.`);
    }
    return [keybinding.split('+').map(keyName).join('+'), escapeMarkdown(label), PLACES[when]];
}

function keyName(key) {
    const name = key === 'ctrlcmd' ? 'Ctrl/Cmd' : key[0].toUpperCase() + key.slice(1);
    return `<kbd>${name}</kbd>`;
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
