// SPDX-License-Identifier: Apache-2.0

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runLogged } from './processes.mjs';
import { NODE, npmCommand, readJson, ROOT, setUpFile } from './project.mjs';
import { runs } from './runs.mjs';
import { Problem, say } from './script.mjs';

const LOCK = join(ROOT, 'package-lock.json');
const RECORD = join(ROOT, 'node_modules', '.package-lock.json');
const NO_NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

/**
 * The user's npm may be told to leave things out (`ignore-scripts`, `omit`, NODE_ENV=production), which suits an application that is
 * installed to run: here all of it is needed, and Node 24 itself is made by the install script of its package. That one runs what is
 * too new for the user's own Node (`engine-strict`).
 */
const ALL_OF_IT = ['--include=dev', '--include=optional', '--include=peer', '--ignore-scripts=false', '--engine-strict=false'];

/** Runs `npm ci` where what is installed is not what the lock file says, and makes sure that it can be used. */
export async function installDependencies() {
    if (!isInstalled()) {
        await install();
    }
    const problem = whyUnusable(NODE);
    if (problem) {
        throw new Problem(problem);
    }
}

async function install() {
    runs.demandAlone('the dependencies have changed');
    say('Installing the dependencies with npm ci (the first time takes some minutes) …');
    const logFile = setUpFile('install.log');
    // npm's own patience without a network is more than a minute.
    const patience = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=10000'];
    const command = npmCommand('ci', ...ALL_OF_IT, '--no-audit', '--no-fund', '--loglevel=warn', ...patience);
    const { code, output } = await runLogged(command, logFile, { cwd: ROOT });
    if (code !== 0) {
        throw new Problem(`${whyFailed(output, code, ROOT)} (All that npm said is in ${relative(ROOT, logFile)}.)`);
    }
    const [first, ...more] = leftOut(packagesOf(LOCK), packagesOf(RECORD));
    if (first !== undefined) {
        const names = more.length > 0 ? `${first} and ${more.length} more` : first;
        throw new Problem(
            `npm ci has left out ${names}, although it says that it succeeded: look for "omit" in what npm config ls prints.`
        );
    }
}

/** One line out of all that npm says when it fails. */
export function whyFailed(output, code, root) {
    if (output.includes('gyp ERR!')) {
        if (/\s/.test(root)) {
            return `A native module cannot be compiled below a folder with a space in its name (${root}): move this clone elsewhere.`;
        }
        const [, reason] = /^npm \S+ (.*\berror: .*)$/im.exec(output) ?? /^npm \S+ (gyp ERR! (?:stack|find) .*)$/m.exec(output) ?? [];
        return `A native module could not be compiled: ${reason ?? 'node-gyp failed'}.`;
    }
    const network = NO_NETWORK.exec(output);
    if (network) {
        return `npm cannot reach its registry (${network[1]}): check the network, or npm's proxy settings, and run this again.`;
    }
    const errors = output.split('\n').filter(line => /^npm (error|ERR!) (?!code|errno|syscall|path)\S/.test(line));
    return `npm ci failed: ${errors[0]?.replace(/^npm \S+ /, '') ?? `exit code ${code}`}.`;
}

/** npm writes down what it has installed when it has succeeded, so that is compared, and an install by hand counts. */
function isInstalled() {
    if (!existsSync(RECORD) || !existsSync(NODE)) {
        return false;
    }
    const wanted = packagesOf(LOCK);
    const installed = packagesOf(RECORD);
    const isAsWanted = ([folder, entry]) => {
        const actual = installed[folder];
        return !actual || (actual.version === entry.version && actual.integrity === entry.integrity);
    };
    return leftOut(wanted, installed).length === 0 && Object.entries(wanted).every(isAsWanted);
}

function packagesOf(lockFile) {
    const packages = existsSync(lockFile) ? readJson(lockFile).packages : {};
    delete packages[''];
    return packages;
}

/** Folders of packages that are wanted and not there. Optional packages of other platforms never are. */
export function leftOut(wanted, installed) {
    return Object.entries(wanted).flatMap(([folder, { optional }]) => (optional || installed[folder] ? [] : [folder]));
}

/** What is wrong with the Node of the dependencies and what to do; nothing where it runs. */
export function whyUnusable(node) {
    const { error, status, stdout, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (status === 0 && /^v\d+\./.test(stdout)) {
        return undefined;
    }
    if (!existsSync(node)) {
        return `npm did not run the install script of the package "node", so there is no ${relative(ROOT, node)}: remove the folder node_modules, look for "ignore-scripts" in what npm config ls prints, and run this again.`;
    }
    if (error?.code === 'ENOENT') {
        // The file is there, so what is missing is the loader that it names.
        return 'The Node.js of the dependency "node" needs glibc, which this system does not have (Alpine Linux has musl): use a system with glibc, such as Debian.';
    }
    const reason = error?.message ?? (stderr.trim().split('\n')[0] || `it ended with ${status}`);
    return `The Node.js of the dependency "node" does not start here (${reason}): if node_modules was copied from another machine, remove it and run this again.`;
}
