// SPDX-License-Identifier: Apache-2.0
// What the documents repeat of the source: texts of the user interface, commands, keys, preferences, environment variables. Values come from
// the compiled code, where it can be loaded without a browser, and else from the lines of the source.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './script.mjs';
import { readPackage, textsIn } from './translations.mjs';

const COMPANION = 'companion-extension';
const DAEMON = 'daemon-extension';
const COMMAND =
    /(\w+): (?:defineCommand\(|\{ ?)\s*(?:id: )?'([^']+)',\s*(?:'theia\/[^']+',\s*'([^']+)'|label: nls\.localizeByDefault\('([^']+)'\))/g;
/** The condition may have a second part: `${CONDITION} && …`. */
const KEY = /\{\s*command: [A-Z]+_COMMANDS\.(\w+)\.id,\s*keybinding: '([^']+)',\s*when: (?:`\$\{)?(\w+)/g;
/** As a text, or as the name of a property. */
const VARIABLE = /(?:'|^ *|\{ )((?:CLAUDE|ENABLE|QWEN|GEMINI|REMOTE|SSH|THEIA|VSCODE)(?:_[A-Z0-9]+)+)(?:'|: )/gm;

const load = createRequire(import.meta.url);

function compiled(file) {
    load('reflect-metadata');
    return load(join(ROOT, file));
}

function sourcesOf(folder) {
    return readPackage(folder).sources;
}

/** The English texts of the user interface by their keys. */
export function uiTexts() {
    const all = [COMPANION, DAEMON].flatMap(folder => Object.entries(sourcesOf(folder)));
    return new Map(all.flatMap(([file, source]) => textsIn(file, source).map(({ key, text }) => [key, text])));
}

/** The Chinese ones. */
export function translatedTexts() {
    return new Map([COMPANION, DAEMON].flatMap(folder => Object.entries(JSON.parse(readPackage(folder).translations['zh-cn']))));
}

/** Those that a user can find, by the name of their constant, in the order of their ids. */
export function companionCommands() {
    const ofCli = file => compiled(`${COMPANION}/lib/node/discovery/${file}.js`);
    const classes = [ofCli('qwen-code-cli').QwenCodeCli, ofCli('gemini-cli').GeminiCli, ofCli('claude-code-cli').ClaudeCodeCli];
    const run = [...classes, ofCli('copilot-cli').CopilotCli, ofCli('opencode-cli').OpenCodeCli, ofCli('kilo-cli').KiloCli]
        .map(Cli => new Cli())
        .map(({ id, displayName }) => [`RUN_${id}`, { id: `companion.run.${id}`, label: `Run ${displayName}` }]);
    const sources = Object.entries(sourcesOf(COMPANION)).filter(([file]) => file.endsWith('-command-ids.ts'));
    const others = sources
        .flatMap(([, source]) => [...source.matchAll(COMMAND)])
        .map(([, name, id, text, ofVsCode]) => [name, { id, label: text ?? ofVsCode }])
        .sort(([, one], [, other]) => (one.id < other.id ? -1 : 1));
    return new Map([...run, ...others]);
}

export function daemonCommands() {
    const { QwenDaemonCommands } = compiled(`${DAEMON}/lib/browser/qwen-daemon-command-ids.js`);
    return Object.values(QwenDaemonCommands).filter(command => command?.id && command.label);
}

/** In the order in which they are bound. `when` is the condition as the source has it. */
export function keys() {
    const commands = companionCommands();
    const bound = Object.values(sourcesOf(COMPANION)).flatMap(source => [...source.matchAll(KEY)]);
    return bound.map(([, name, keybinding, when]) => ({ label: commands.get(name)?.label, keybinding, when }));
}

/** By their names, with `default`, `scope`, `description`, and for choices `enum` and `enumDescriptions`. */
export function preferences() {
    const { PreferenceScope } = load('@theia/core/lib/common/preferences');
    const { companionPreferenceSchema } = compiled(`${COMPANION}/lib/common/companion-preferences.js`);
    const { daemonPreferencesSchema } = compiled(`${DAEMON}/lib/common/daemon-preferences.js`);
    const all = { ...companionPreferenceSchema.properties, ...daemonPreferencesSchema.properties };
    return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, { ...schema, scope: PreferenceScope[schema.scope] }]));
}

/** The patterns of files that are withheld whatever the preferences say. */
export function builtInExcludes() {
    return compiled(`${COMPANION}/lib/common/companion-preferences.js`).builtInExcludes;
}

/** The names of environment variables that a backend reads or sets. */
export function environmentVariables() {
    const sources = [COMPANION, DAEMON].flatMap(folder => Object.entries(sourcesOf(folder)));
    const ofBackends = sources.filter(([file]) => /[\\/]src[\\/](node|common)[\\/]/.test(file));
    return [...new Set(ofBackends.flatMap(([, source]) => [...source.matchAll(VARIABLE)].map(([, name]) => name)))].sort();
}
