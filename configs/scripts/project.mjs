// SPDX-License-Identifier: Apache-2.0

import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
export const APP = join(ROOT, 'browser-app');
/** The Node 24 of the dev dependency `node`, once it is installed. */
export const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node');
const SET_UP = join(ROOT, '.setup');

/** A file of the set-up's own, such as a log. */
export function setUpFile(name) {
    mkdirSync(SET_UP, { recursive: true });
    return join(SET_UP, name);
}

/** The folders of the packages, relative to the root. */
export function packageFolders() {
    return readJson(join(ROOT, 'package.json')).workspaces;
}

export function readJson(file) {
    return JSON.parse(readFileSync(file, 'utf8'));
}

/** For the project's own tools: Node 24 and their commands come first. */
export function toolEnvironment() {
    return { ...process.env, PATH: join(ROOT, 'node_modules', '.bin') + delimiter + (process.env.PATH ?? '') };
}

/** npm as it was called, with the Node that it was called with: the one in node_modules may vanish while npm works. */
export function npmCommand(...args) {
    const { npm_execpath: npm, npm_node_execpath: node } = process.env;
    return npm?.endsWith('.js') && node ? [node, npm, ...args] : ['npm', ...args];
}
