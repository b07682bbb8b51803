// SPDX-License-Identifier: Apache-2.0

import { delimiter, dirname, join, resolve, sep } from 'node:path';

/** What npm sets for the scripts that it runs, in addition to `npm_*`; `_` is set again by every shell. */
const SET_BY_NPM = ['INIT_CWD', 'NODE', 'COLOR', '_'];
/** npm's default if the user has set no editor: then it is npm's choice, not the user's. */
const EDITOR_OF_NPM = 'vi';
const NODE_GYP_OF_NPM = join('@npmcli', 'run-script', 'lib', 'node-gyp-bin');

/**
 * The environment as it was before npm ran us.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} projectFolder the folder whose npm script runs
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutNpm(environment, projectFolder) {
    if (environment.npm_lifecycle_event === undefined) {
        return { ...environment };
    }
    const result = {};
    for (const [name, value] of Object.entries(environment)) {
        const ofNpm = /^npm_/i.test(name) || SET_BY_NPM.includes(name) || (name === 'EDITOR' && value === EDITOR_OF_NPM);
        if (!ofNpm) {
            result[name] = /^path$/i.test(name) ? pathWithoutNpm(value ?? '', projectFolder) : value;
        }
    }
    return result;
}

/** npm puts its folders first, once per nested `npm run`; an equal entry further back is the user's own. */
function pathWithoutNpm(path, projectFolder) {
    const ofNpm = new Set();
    for (let folder = resolve(projectFolder); ; folder = dirname(folder)) {
        ofNpm.add(join(folder, 'node_modules', '.bin'));
        if (folder === dirname(folder)) {
            break;
        }
    }
    const entries = path.split(delimiter);
    const isNpms = entry => {
        const inProject = entry.startsWith(resolve(projectFolder) + sep) && entry.endsWith(join('node_modules', '.bin'));
        return inProject || ofNpm.has(entry) || entry.endsWith(NODE_GYP_OF_NPM);
    };
    const first = entries.findIndex(entry => !isNpms(entry));
    return first < 0 ? '' : entries.slice(first).join(delimiter);
}
