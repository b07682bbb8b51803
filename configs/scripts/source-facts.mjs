// SPDX-License-Identifier: Apache-2.0
// What the documents repeat of the source: texts of the user interface, commands, keys, preferences, environment variables.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { Problem, ROOT } from './script.mjs';

const SOURCES = '{companion,daemon}-extension/src/**/*.{ts,tsx}';
const TESTS = /\.(spec|integration-spec|fuzz-spec)\.tsx?$|\/test\//;
const VARIABLE = /^(QWEN|GEMINI|REMOTE|SSH|THEIA|VSCODE)(_[A-Z0-9]+)+$/;

/** All nodes of each source that is no test, in the order in which they stand there. */
const files = new Map(
    globSync(SOURCES, { cwd: ROOT })
        .map(file => file.replaceAll('\\', '/'))
        .filter(file => !TESTS.test(file))
        .sort()
        .map(file => [file, parse(file)])
);

function parse(file) {
    const nodes = [];
    const visit = node => {
        nodes.push(node);
        ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true));
    return nodes;
}

function nodesOf(file) {
    const nodes = files.get(file);
    if (!nodes) {
        throw new Problem(`The documents need ${file}, which is not there.`);
    }
    return nodes;
}

/** The value of a constant expression. What cannot be known without running the program is undefined. */
function valueOf(node, known = {}) {
    const value = part => valueOf(part, known);
    if (ts.isStringLiteralLike(node)) {
        return node.text;
    }
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
        return value(node.expression);
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
        return value(node.left) + value(node.right);
    }
    if (ts.isArrayLiteralExpression(node)) {
        return node.elements.map(value);
    }
    if (ts.isObjectLiteralExpression(node)) {
        const entries = node.properties.filter(ts.isPropertyAssignment).map(({ name, initializer }) => [name.text, value(initializer)]);
        return Object.fromEntries(entries);
    }
    if (ts.isCallExpression(node)) {
        return valueOfCall(node, value);
    }
    if (ts.isPropertyAccessExpression(node)) {
        return node.expression.getText() === 'PreferenceScope' ? node.name.text : value(node.expression)?.[node.name.text];
    }
    if (ts.isIdentifier(node)) {
        return known[node.text] ?? constantsOf(node.getSourceFile().fileName, known).get(node.text)?.();
    }
    return { [ts.SyntaxKind.TrueKeyword]: true, [ts.SyntaxKind.FalseKeyword]: false }[node.kind];
}

/** Of calls the documents need texts and commands. */
function valueOfCall({ expression, arguments: args }, value) {
    switch (expression.getText()) {
        case 'nls.localize':
            return value(args[1]);
        case 'nls.localizeByDefault':
        case 'Command.toLocalizedCommand':
            return value(args[0]);
        case 'define':
            return { id: value(args[0]), label: defined(args).text };
        default:
            return undefined;
    }
}

/** The constants of a file, each evaluated when it is asked for. */
function constantsOf(file, known = {}) {
    const declarations = nodesOf(file).filter(node => ts.isVariableDeclaration(node) && node.initializer);
    return new Map(declarations.map(({ name, initializer }) => [name.getText(), () => valueOf(initializer, known)]));
}

function constant(file, name) {
    const value = constantsOf(file).get(name)?.();
    if (value === undefined) {
        throw new Problem(`${file} has no constant ${name} that the documents can repeat.`);
    }
    return value;
}

/** The English texts of the user interface by their keys. */
export function uiTexts() {
    const texts = new Map();
    for (const node of [...files.values()].flat().filter(ts.isCallExpression)) {
        const [key, text] = textOf(node);
        if (typeof key === 'string' && typeof text === 'string') {
            texts.set(key, text);
        }
    }
    return texts;
}

function textOf({ expression, arguments: args }) {
    switch (expression.getText()) {
        case 'nls.localize':
        case 'sentence':
            return [valueOf(args[0]), valueOf(args[1])];
        case 'define':
            return [defined(args).key, defined(args).text];
        case 'Command.toLocalizedCommand':
            return args[1] ? [valueOf(args[1]), valueOf(args[0])?.label] : [];
        default:
            return [];
    }
}

/** Of a `define(id, …)` in companion-commands.ts: its label and the key of it, in either order. */
function defined(args) {
    const values = args.slice(1, 3).map(arg => valueOf(arg));
    return { key: values.find(value => value?.startsWith('theia/')), text: values.find(value => !value?.startsWith('theia/')) };
}

const COMPANION = 'companion-extension/src';
const DAEMON = 'daemon-extension/src';

function clis() {
    return [...files.keys()]
        .filter(file => /\/discovery\/[a-z]+(-code)?-cli\.ts$/.test(file) && !/(supported|specified)-cli\.ts$/.test(file))
        .map(file => {
            const members = nodesOf(file).filter(node => ts.isPropertyDeclaration(node) && node.initializer);
            return Object.fromEntries(members.map(({ name, initializer }) => [name.getText(), valueOf(initializer)]));
        })
        .sort((one, other) => other.displayName.localeCompare(one.displayName));
}

/** Those that a user can find, by the name of their constant. */
export function companionCommands() {
    const commands = constant(`${COMPANION}/browser/companion-commands.ts`, 'CompanionCommands');
    const run = clis().map(({ id, displayName }) => [`RUN_${id}`, { id: `companion.run.${id}`, label: `Run ${displayName}` }]);
    return new Map([...run, ...Object.entries(commands).filter(([, command]) => command?.label)]);
}

export function daemonCommands() {
    const constants = [...constantsOf(`${DAEMON}/browser/qwen-daemon-command-ids.ts`).values()].map(read => read());
    return constants.filter(command => command?.id && command.label);
}

/** In the order in which they are bound. `when` is the condition as the source has it. */
export function keys() {
    const commands = Object.fromEntries(companionCommands());
    const bound = [...files.values()]
        .flat()
        .filter(node => ts.isCallExpression(node) && /\.registerKeybindings?$/.test(node.expression.getText()))
        .flatMap(({ arguments: args }) => args.filter(ts.isObjectLiteralExpression))
        // Lets a key through, and runs no command; or is made of another binding.
        .filter(binding => !binding.getText().includes('PASSTHROUGH_PSEUDO_COMMAND') && binding.properties.every(ts.isPropertyAssignment));
    return bound.map(binding => {
        const { command, keybinding } = valueOf(binding, { CompanionCommands: commands });
        const when = binding.properties.find(({ name }) => name?.getText() === 'when')?.initializer.getText();
        return { label: Object.values(commands).find(({ id }) => id === command)?.label, keybinding, when };
    });
}

/** By their names, with `default`, `scope`, `description`, and for choices `enum` and `enumDescriptions`. */
export function preferences() {
    return {
        ...constant(`${COMPANION}/common/companion-preferences.ts`, 'companionPreferenceSchema').properties,
        ...constant(`${DAEMON}/common/daemon-preferences.ts`, 'daemonPreferencesSchema').properties
    };
}

/** The patterns of files that are withheld whatever the preferences say. */
export function builtInExcludes() {
    return constant(`${COMPANION}/common/companion-preferences.ts`, 'builtInExcludes');
}

/** The names of environment variables that a backend reads or sets: what stands as one in its sources, as a text or a property's name. */
export function environmentVariables() {
    const nodes = [...files].filter(([file]) => /\/src\/(node|common)\//.test(file)).flatMap(([, all]) => all);
    const names = nodes
        .map(node => (ts.isPropertyAssignment(node) ? node.name : node))
        .filter(node => ts.isStringLiteralLike(node) || (ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent)))
        .map(({ text }) => text);
    return [...new Set(names.filter(name => VARIABLE.test(name)))].sort();
}
