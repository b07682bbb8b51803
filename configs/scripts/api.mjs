// SPDX-License-Identifier: Apache-2.0
// npm run api: writes what `theia-cli-companion` exports into configs/conformance/api.txt, which a test compares.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { ROOT, runScript, say } from './script.mjs';

const PACKAGE = join(ROOT, 'companion-extension');
export const SIDES = ['common', 'node', 'browser'];
const OF_TESTS = /(^|\/)(test|fuzz)\/|[.-]spec\./;
export const API_FILE = join(ROOT, 'configs', 'conformance', 'api.txt');

/** @returns of each side the names of the contract, each with its kind, what its docstring says, and its declarations */
export function readContract() {
    const files = SIDES.map(side => join(PACKAGE, 'lib', side, 'index.d.ts'));
    const program = ts.createProgram(files, { target: ts.ScriptTarget.ES2023, types: [], experimentalDecorators: true });
    const checker = program.getTypeChecker();
    return SIDES.map((side, index) => {
        const module = checker.getSymbolAtLocation(program.getSourceFile(files[index]));
        return {
            side,
            exported: checker
                .getExportsOfModule(module)
                .map(symbol => describe(symbol, checker))
                .sort(byName)
        };
    });
}

function describe(alias, checker) {
    const symbol = alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias;
    return {
        name: alias.name,
        isValue: Boolean(symbol.flags & ts.SymbolFlags.Value) && !alias.declarations.some(ts.isTypeOnlyImportOrExportDeclaration),
        text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        since: symbol.getJsDocTags(checker).find(({ name }) => name === 'since')?.text?.[0].text,
        declarations: symbol.declarations ?? []
    };
}

/** Each injectable class and each symbol of a side, and whatever else its modules bind, with the module that it is in. */
export function readInternals(side) {
    const files = globSync(`${side}/**/*.{ts,tsx}`, { cwd: join(PACKAGE, 'src') }).filter(file => !OF_TESTS.test(file));
    const texts = new Map(files.sort().map(file => [file, readFileSync(join(PACKAGE, 'src', file), 'utf8')]));
    const modules = files.filter(file => file.endsWith('-module.ts')).map(file => texts.get(file));
    const bindings = modules.flatMap(text => [...text.matchAll(/\bbind(?:Made|Services)?(?:<[^(]*>)?\(([^()]*)/g)]);
    const bound = new Set(bindings.flatMap(([, names]) => names.match(/\b[A-Z]\w+/g) ?? []));
    return [...texts].flatMap(([file, text]) => {
        const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
        const services = source.statements.flatMap(statement => servicesOf(statement, source, bound));
        return services.map(service => ({ ...service, module: file.replace(/\.tsx?$/, '') }));
    });
}

/** A class that can be injected or is bound, and symbols for something that can. */
function servicesOf(statement, source, bound) {
    const { modifiers = [] } = statement;
    const isExported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (ts.isClassDeclaration(statement)) {
        const name = statement.name.text;
        const isService = bound.has(name) || modifiers.some(modifier => modifier.getText(source) === '@injectable()');
        return isService ? [{ name, isExported }] : [];
    }
    const variables = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
    const symbols = variables.filter(({ initializer }) => initializer?.getText(source).startsWith('Symbol('));
    return symbols.map(({ name }) => ({ name: name.text, isExported }));
}

function byName(one, other) {
    return one.name < other.name ? -1 : 1;
}

/** Of an interface all members: who implements one must have them. Of all else the name, and whether it is there at run time. */
function linesOf({ name, isValue, declarations }) {
    const members = declarations.filter(ts.isInterfaceDeclaration).flatMap(({ members: all }) => all.map(member => member.getText()));
    return [
        `${isValue ? '' : 'type '}${name}`,
        ...members.map(member => `    ${member.replace(/\/\*.*?\*\/|\s+/gs, ' ').replace(/ +/g, ' ')}`)
    ];
}

/** The text of the list. */
export function describeApi() {
    const contract = readContract().flatMap(({ side, exported }) => ['', `lib/${side}`, '', ...exported.flatMap(linesOf)]);
    const internals = SIDES.flatMap(side => [
        '',
        `lib/${side}/internal/…`,
        '',
        ...readInternals(side).map(({ module, name }) => `${module.slice(side.length + 1)}: ${name}`)
    ]);
    return [`Made by npm run api. The contract first, then what has no promise.`, ...contract, ...internals, ''].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
    await runScript(async () => {
        writeFileSync(API_FILE, describeApi());
        say(`${basename(API_FILE)} is written. A change of the contract needs a line in CHANGELOG.md.`);
    });
}
