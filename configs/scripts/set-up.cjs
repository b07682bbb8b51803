// SPDX-License-Identifier: Apache-2.0
// What npm start, npm test and npm run build do first: install what is missing, then build what has changed.
// No package is there yet, and this Node may be an old one: only built-in modules in here, and no syntax newer than Node 10.

'use strict';

const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const { constants } = require('os');
const { delimiter, join, relative } = require('path');

const ROOT = join(__dirname, '..', '..');
/** The Node 24 of the dev dependency `node`, which runs everything that comes after the installation. */
const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node');
/** Logs, and the files of {@link joinRuns}. */
const SET_UP = join(ROOT, '.setup');
const RUNS = join(SET_UP, 'runs');

const COMPILERS = { python3: ['python3'], make: ['make'], 'g++': ['g++', 'c++', 'clang++'] };
/** The same engine without the browser around it takes a tenth less of the tests' processor time (Debian's Chromium 156). */
const SHELL = 'chromium-headless-shell';
const BROWSERS = [SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MAC_BROWSERS = ['Chromium', 'Google Chrome'].map(name => `/Applications/${name}.app/Contents/MacOS/${name}`);

/**
 * The user's npm may be configured to skip things (`ignore-scripts`, `omit`, NODE_ENV=production). Here everything is needed: Node 24 comes from
 * the install script of its package, and runs what is too new for the user's own Node (`engine-strict`). Without a network, npm alone would
 * wait for more than a minute.
 */
const NPM_CI = [
    ...['ci', '--include=dev', '--include=optional', '--include=peer', '--ignore-scripts=false', '--engine-strict=false'],
    ...[
        '--no-audit',
        '--no-fund',
        '--loglevel=warn',
        '--fetch-retries=2',
        '--fetch-retry-mintimeout=1000',
        '--fetch-retry-maxtimeout=10000'
    ]
];
const NO_NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

/** In milliseconds: after so much silence a long step says that it is still at work. */
const PROGRESS = 15000;
/** In milliseconds: a run touches its file so often, and counts as killed if it did not do so for that long. */
const TOUCH = 1000;
const DEAD = 30000;

/** Something that the user has to put right; the message is one line that says what to do. */
class Problem extends Error {}

async function main() {
    const [major, minor] = process.versions.node.split('.').map(Number);
    if (major < 20 || (major === 20 && minor < 19)) {
        throw new Problem(`Node.js 20.19 or newer is needed, this is ${process.versions.node}. Install one from nodejs.org.`);
    }
    demandCompilers();
    joinRuns({ settingUp: true });
    await waitForEarlierSetUps();
    if (!isInstalled()) {
        await install();
    }
    if (process.argv.includes('--browser')) {
        await provideBrowser();
    }
    const options = process.argv.filter(argument => argument === '--compile-only');
    const { code } = await run([NODE, join(__dirname, 'build.mjs')].concat(options));
    process.exit(code);
}

// ---- system packages and the browser

/** Says what is missing. Installing it is up to the owner of the machine. */
function demandCompilers() {
    if (process.platform === 'win32') {
        throw new Problem('On Windows, run this inside WSL (wsl --install): the sample needs a POSIX shell.');
    }
    // On macOS the commands exist even if the tools behind them do not.
    const isMac = process.platform === 'darwin';
    const missing = Object.keys(COMPILERS).filter(name =>
        isMac ? spawnSync('xcode-select', ['-p']).status !== 0 : !findCommand(COMPILERS[name])
    );
    if (missing.length > 0) {
        const how = isMac ? 'xcode-select --install' : `sudo apt-get install -y ${missing.join(' ')} (on Debian and Ubuntu)`;
        throw new Problem(`Missing: ${missing.join(', ')}. Run: ${how}. Every Theia application needs them for two native modules.`);
    }
}

/** Makes sure that the tests find a Chromium: the chosen one, one of the system, or Playwright's. */
async function provideBrowser() {
    const browser = findBrowser();
    if (browser && !fs.existsSync(browser)) {
        throw new Problem(`CHROME_PATH names ${browser}, which does not exist: correct it, or unset it to have a browser looked for.`);
    }
    if (browser) {
        return;
    }
    // Playwright's download may be out of reach; Debian has a package. Ubuntu's package only points to a snap.
    const install = isDebian() && process.getuid() === 0 ? 'apt-get update; apt-get install --yes --no-install-recommends ' + SHELL : '';
    say('The end-to-end tests need a browser: installing one …');
    const { code } = install
        ? await run(['sh', '-c', install], {
              log: 'browser.log',
              env: Object.assign({}, process.env, { DEBIAN_FRONTEND: 'noninteractive' })
          })
        : await run([NODE, join(ROOT, 'node_modules', '@playwright', 'test', 'cli.js'), 'install', 'chromium'], { log: 'browser.log' });
    if (code !== 0) {
        throw new Problem(
            'No Chromium was found or could be installed: install Chromium or Chrome, or set CHROME_PATH to one. (See .setup/browser.log.)'
        );
    }
}

/** The Chromium or Chrome that was chosen or is installed; without one, Playwright takes its own. */
function findBrowser() {
    return process.env.CHROME_PATH || findCommand(BROWSERS) || MAC_BROWSERS.find(file => fs.existsSync(file));
}

/** The first of the commands that is on the PATH, with its folder. */
function findCommand(names) {
    const folders = (process.env.PATH || '').split(delimiter).filter(Boolean);
    const files = names.map(name => folders.map(folder => join(folder, name)));
    return [].concat(...files).find(file => fs.existsSync(file));
}

function isDebian() {
    return fs.existsSync('/etc/os-release') && /^ID="?debian/m.test(fs.readFileSync('/etc/os-release', 'utf8'));
}

// ---- npm ci

async function install() {
    demandAlone('the dependencies have changed');
    say('Installing the dependencies with npm ci (the first time takes some minutes) …');
    // npm as it was called, with the Node that it was called with: the one in node_modules vanishes while npm works.
    const { npm_execpath: npm, npm_node_execpath: node } = process.env;
    const command = npm && npm.endsWith('.js') && node ? [node, npm] : ['npm'];
    const { code, output } = await run([...command, ...NPM_CI], { log: 'install.log' });
    if (code !== 0) {
        throw new Problem(`${whyFailed(output, code, ROOT)} (All that npm said is in .setup/install.log.)`);
    }
    const problem = whyUnusable(NODE);
    if (problem) {
        throw new Problem(problem);
    }
    if (!isInstalled()) {
        throw new Problem('npm ci has left something out, although it succeeded: look for "omit" in what npm config ls prints.');
    }
}

/**
 * npm writes down what it has installed when it has succeeded, so that is compared, and an install by hand counts. Optional packages of
 * other platforms are never there.
 */
function isInstalled() {
    const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(name => {
        const file = join(ROOT, name);
        return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).packages : {};
    });
    const isAsWanted = folder => {
        const { optional, version, integrity } = wanted[folder];
        const actual = installed[folder];
        return actual ? actual.version === version && actual.integrity === integrity : optional || folder === '';
    };
    return whyUnusable(NODE) === undefined && Object.keys(wanted).every(isAsWanted);
}

/** One line out of all that npm says when it fails. */
function whyFailed(output, code, root) {
    if (output.includes('gyp ERR!')) {
        if (/\s/.test(root)) {
            return `A native module cannot be compiled below a folder with a space in its name (${root}): move this clone elsewhere.`;
        }
        const [, compiler] = /^npm \S+ ((?!gyp ERR!).*\berror: .*)$/im.exec(output) || [];
        // node-gyp breaks a sentence over several lines, with the cause in the last one.
        const said = output.match(/^npm \S+ gyp ERR! stack (?! *at ).*$/gm) || output.match(/^npm \S+ gyp ERR! find .*$/m) || [];
        const sentence = said.map(line => line.replace(/^npm \S+ gyp ERR! \S+ /, '').trim()).join(' ');
        return `A native module could not be compiled: ${(compiler || sentence || 'node-gyp failed').replace(/\.?$/, '.')}`;
    }
    const network = NO_NETWORK.exec(output);
    if (network) {
        return `npm cannot reach its registry (${network[1]}): check the network, or npm's proxy settings, and run this again.`;
    }
    const error = output.split('\n').find(line => /^npm (error|ERR!) (?!code|errno|syscall|path)\S/.test(line));
    return `npm ci failed: ${error ? error.replace(/^npm \S+ /, '') : `exit code ${code}`}.`;
}

/** What is wrong with the Node of the dependencies and what to do; nothing where it runs. */
function whyUnusable(node) {
    const { error, status, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (status === 0) {
        return undefined;
    }
    if (!fs.existsSync(node)) {
        return `npm did not run the install script of the package "node", so there is no ${relative(ROOT, node)}: look for "ignore-scripts" in what npm config ls prints, and run this again.`;
    }
    // Of a file that is there, ENOENT means the loader that it names.
    const reason = error && error.code === 'ENOENT' ? 'it needs glibc, and Alpine Linux has musl' : error ? error.message : stderr.trim();
    return `The Node.js of the dependency "node" does not start on this system (${reason.split('\n')[0]}): use one with glibc, such as Debian.`;
}

// ---- runs side by side

/**
 * Several scripts may use this clone at the same time, as long as none of them changes what another one has loaded or is testing. Each has
 * a file that it touches while it lives: a process id alone is given to another process some day.
 */
function joinRuns(more) {
    fs.mkdirSync(RUNS, { recursive: true });
    const file = join(RUNS, `${process.pid}.json`);
    const script = process.env.npm_lifecycle_event || 'build';
    const name = `npm ${['start', 'test'].includes(script) ? '' : 'run '}${script}`;
    // Others read it at any time, so it is there as a whole or not at all.
    fs.writeFileSync(`${file}.part`, JSON.stringify(Object.assign({ pid: process.pid, name, since: Date.now() }, more)));
    fs.renameSync(`${file}.part`, file);
    setInterval(() => fs.utimesSync(file, new Date(), new Date()), TOUCH).unref();
    process.on('exit', () => fs.unlinkSync(file));
}

/** The other scripts at work in this clone. What those have left that were killed is removed. */
function otherRuns() {
    const names = fs.existsSync(RUNS) ? fs.readdirSync(RUNS).filter(name => name.endsWith('.json')) : [];
    return names.map(readRun).filter(run => {
        if (run === undefined || run.pid === process.pid) {
            return false;
        }
        if (processExists(run.pid)) {
            return Date.now() - run.touched < DEAD;
        }
        if (/[\\/]companion-sample-\w+$/.test(run.sample || '')) {
            fs.rmSync(run.sample, { recursive: true, force: true, maxRetries: 5 });
        }
        fs.rmSync(run.file, { force: true });
        return false;
    });
}

function readRun(name) {
    const file = join(RUNS, name);
    try {
        return Object.assign(JSON.parse(fs.readFileSync(file, 'utf8')), { file, touched: fs.statSync(file).mtimeMs });
    } catch (error) {
        if (error.code !== 'ENOENT') {
            throw error;
        }
        // It has just ended.
        return undefined;
    }
}

function processExists(pid) {
    try {
        return process.kill(pid, 0);
    } catch (error) {
        return error.code === 'EPERM';
    }
}

/** Two set-ups at the same time would break each other. The later one finds everything done. */
async function waitForEarlierSetUps() {
    const own = readRun(`${process.pid}.json`);
    const isEarlier = other => other.settingUp && (other.since < own.since || (other.since === own.since && other.pid < own.pid));
    for (let told = false, earlier; (earlier = otherRuns().find(isEarlier)); told = true) {
        if (!told) {
            say(`${earlier.name} (process ${earlier.pid}) is installing or building in this clone: waiting for it …`);
        }
        await new Promise(resolve => setTimeout(resolve, 500));
    }
}

/** @param change why it cannot stay as it is, such as `the IDE has to be bundled again` */
function demandAlone(change, isDisturbed = () => true) {
    const other = otherRuns().find(run => !run.settingUp && isDisturbed(run));
    if (other) {
        throw new Problem(
            `${other.name} (process ${other.pid}) is at work in this clone, and ${change}: wait for it or stop it, then run this again.`
        );
    }
}

// ---- processes

/** Runs a command; the user sees what it prints, or it goes to a log in `.setup`. Resolves to the exit code and what the log has. */
function run([command, ...args], { log, env = process.env } = {}) {
    fs.mkdirSync(SET_UP, { recursive: true });
    const file = log && join(SET_UP, log);
    const output = file ? fs.openSync(file, 'w') : 'inherit';
    const since = Date.now();
    const progress = setInterval(() => file && say(`  … ${Math.round((Date.now() - since) / 1000)} s`), PROGRESS);
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', output, output] });
    const kill = () => child.kill();
    process.on('exit', kill);
    return new Promise(resolve => {
        const end = (code, message) => {
            clearInterval(progress);
            process.removeListener('exit', kill);
            resolve({ code, output: (file ? fs.readFileSync(file, 'utf8') : '') + message });
        };
        child.on('error', error => end(1, error.message));
        child.on('exit', code => end(code === null ? 1 : code, ''));
    });
}

/** Ends this process, and so what it started, with a signal and with npm. */
function endWithOthers() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
        process.on(signal, () => process.exit(128 + constants.signals[signal]));
    }
    // A shell between npm and us may keep a signal for itself, and npm may be killed.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && process.exit(1), 1000).unref();
}

function say(line) {
    process.stdout.write(`${line}\n`);
}

module.exports = { demandAlone, findBrowser, isInstalled, joinRuns, Problem, waitForEarlierSetUps, whyFailed, whyUnusable };

if (require.main === module) {
    endWithOthers();
    main().catch(error => {
        process.stderr.write(`\n${error instanceof Problem ? error.message : error.stack}\n`);
        process.exit(1);
    });
}
