// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutNpm } from './user-environment.mjs';

const APP = fileURLToPath(new URL('..', import.meta.url));
const CLIS = { qwen: '@qwen-code/qwen-code', gemini: '@google/gemini-cli' };
/** In the form of a real one, which Claude Code checks. */
const CLAUDE_KEY = `sk-ant-api03-${'scripted-model-'.repeat(6)}`;
/** All that the sample takes over from the user: no accounts, no settings, no proxy between the CLIs and the loopback. */
const TAKEN_OVER = /^(PATH|SHELL|USER|LOGNAME|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|SYSTEMROOT|NIX_\w+|DISPLAY)$/i;

/**
 * Makes a folder in which Theia and both CLIs run without a dialog, without an account and without the user's settings.
 * Synchronous; documented in `prepare-sample.d.mts`.
 */
export function prepareSample({ directory, modelPort, environment = process.env, gettingStarted = false }) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const root = realpathSync(directory);
    const home = join(root, 'home');
    const bin = join(root, 'bin');
    const tmpdir = join(root, 'tmp');
    const workspace = join(root, 'sample-workspace');
    for (const folder of [home, bin, tmpdir]) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    cpSync(join(APP, 'sample-workspace'), workspace, { recursive: true });
    writeJson(join(home, '.qwen', 'settings.json'), qwenSettings());
    writeQwenExtensionState(join(home, '.qwen'));
    writeJson(join(home, '.gemini', 'settings.json'), geminiSettings());
    writeJson(join(home, '.claude.json'), claudeState(workspace));
    writeJson(join(home, '.config', 'opencode', 'opencode.json'), openCodeSettings(modelPort));
    writeJson(join(home, '.config', 'kilo', 'kilo.json'), openCodeSettings(modelPort));
    writeJson(join(home, '.theia', 'settings.json'), theiaSettings(gettingStarted));
    const userEnvironment = withoutNpm(environment, resolve(APP, '..'));
    writeShellSettings(home, bin, userEnvironment.PATH ?? '');
    for (const [command, packageName] of Object.entries(CLIS)) {
        writeCommand(bin, command, packageName);
    }

    const env = Object.fromEntries(Object.entries(userEnvironment).filter(([name]) => TAKEN_OVER.test(name)));
    const model = `http://127.0.0.1:${modelPort}`;
    Object.assign(env, {
        LANG: env.LANG ?? 'C.UTF-8',
        SHELL: env.SHELL || shellOfUser(),
        PATH: bin + delimiter + (env.PATH ?? ''),
        HOME: home,
        TMPDIR: tmpdir,
        // Theia's terminal can, and Gemini complains if nothing says so.
        COLORTERM: 'truecolor',
        THEIA_CONFIG_DIR: join(home, '.theia'),
        // Qwen's is the folder of the settings themselves, Gemini's is the one that holds `.gemini`.
        QWEN_HOME: join(home, '.qwen'),
        GEMINI_CLI_HOME: home,
        // Those of the machine, with the defaults beside them, could ask for another account or a dialog. There are none here.
        QWEN_CODE_SYSTEM_SETTINGS_PATH: join(home, 'system', 'qwen-code', 'settings.json'),
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(home, 'system', 'gemini-cli', 'settings.json'),
        OPENAI_BASE_URL: `${model}/v1`,
        OPENAI_API_KEY: 'scripted-model',
        OPENAI_MODEL: 'scripted-model',
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_API_KEY: 'scripted-model',
        GEMINI_MODEL: 'scripted-model',
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: CLAUDE_KEY,
        COPILOT_HOME: join(home, '.copilot'),
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_API_KEY: 'scripted-model',
        COPILOT_MODEL: 'scripted-model',
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1'
    });
    return { workspace, home, tmpdir, env };
}

function qwenSettings() {
    return {
        $version: 4,
        ide: { enabled: true, hasSeenNudge: true },
        security: { auth: { selectedType: 'openai' } },
        // No theme: then both CLIs ask the terminal for its background, and choose colours that can be read on it.
        ui: { hideTips: true, enableFollowupSuggestions: false },
        general: { enableAutoUpdate: false, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // Qwen's own default decides for itself what it may write, and shows no diff.
        // Its ripgrep comes without the right to be executed (0.24.4), which it reports at each start.
        tools: { approvalMode: 'default', useRipgrep: false }
    };
}

/** Nothing to ask about a folder that we made. */
function theiaSettings(gettingStarted) {
    return {
        'security.workspace.trust.enabled': false,
        'workbench.colorTheme': 'dark',
        'sample.gettingStarted': gettingStarted ? 'sample' : 'none'
    };
}

function geminiSettings() {
    return {
        ide: { enabled: true, hasSeenNudge: true },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        ui: { hideTips: true, hideBanner: true },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false }
    };
}

/** Nothing of Claude Code comes with the sample: this is for users who have installed it. */
function claudeState(workspace) {
    return {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [CLAUDE_KEY.slice(-20)], rejected: [] },
        projects: { [workspace]: { hasTrustDialogAccepted: true } }
    };
}

/** As above. */
function openCodeSettings(modelPort) {
    const models = { 'scripted-model': { name: 'Scripted model' } };
    return {
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted-model',
        provider: {
            scripted: {
                npm: '@ai-sdk/openai-compatible',
                name: 'Scripted',
                options: { baseURL: `http://127.0.0.1:${modelPort}/v1`, apiKey: 'scripted-model' },
                models
            }
        }
    };
}

/** Where these are missing, Qwen (0.24.4) makes them at its first start, notices that, and tells the user to reload its extensions. */
function writeQwenExtensionState(qwenHome) {
    const none = {};
    const legacyProjectionHash = createHash('sha256').update(JSON.stringify(none)).digest('hex');
    writeJson(join(qwenHome, 'extensions', 'extension-enablement.json'), none);
    writeJson(join(qwenHome, 'extension-store', 'state.json'), { version: 2, generation: 0, legacyProjectionHash, extensions: none });
}

/**
 * What a login sets and a service or a container leaves out: Theia runs a bare `sh` then, which has neither history nor completion.
 * A user who may not log in has a shell that ends at once, and one that nobody listed has none.
 */
function shellOfUser() {
    try {
        const { shell } = userInfo();
        return shell && existsSync(shell) && !['nologin', 'false'].includes(basename(shell)) ? shell : '/bin/sh';
    } catch {
        return '/bin/sh';
    }
}

/**
 * System-wide shell settings may change PATH, and do in a login shell, which Theia's terminals start: a CLI that Run finds is to be found there,
 * too. And zsh greets a user without settings with a questionnaire.
 */
function writeShellSettings(home, bin, pathOfUser) {
    const path = `case "$PATH" in ${quote(bin)}:*) ;; *) PATH=${quote(bin)}:"$PATH":${quote(pathOfUser)} ;; esac\n`;
    writeFileSync(join(home, '.bashrc'), `${path}PS1='\\W $ '\n`);
    writeFileSync(join(home, '.bash_profile'), '. ~/.bashrc\n');
    writeFileSync(join(home, '.profile'), `${path}PS1='$ '\n`);
    writeFileSync(join(home, '.zshrc'), `${path}PS1='%1~ $ '\n`);
}

/**
 * The CLIs start with `env node`, which may be too old for them: they get the Node that came as a dependency. As npm does, the command is a
 * link into a package, so its version can be read. To ask a CLI for it takes seconds.
 */
function writeCommand(bin, command, packageName) {
    const packageFolder = installed(packageName);
    const { name, version, bin: scripts } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
    const script = join(packageFolder, typeof scripts === 'string' ? scripts : scripts[command]);
    const folder = join(dirname(bin), 'packages', command);
    writeJson(join(folder, 'package.json'), { name, version, bin: { [command]: command } });
    writeFileSync(join(folder, command), `#!/bin/sh\nexec ${quote(nodeForClis())} ${quote(script)} "$@"\n`, { mode: 0o755 });
    rmSync(join(bin, command), { force: true });
    symlinkSync(join(folder, command), join(bin, command));
}

/** @returns {string} the Node 24 that runs the backend, the CLIs and the scripted model */
export function nodeForClis() {
    return join(installed('node'), 'bin', 'node');
}

function installed(packageName) {
    for (let folder = resolve(APP); ; folder = dirname(folder)) {
        const candidate = join(folder, 'node_modules', packageName);
        if (existsSync(candidate)) {
            return candidate;
        }
        if (folder === dirname(folder)) {
            throw new Error(`${packageName} is not installed: run npm ci in ${resolve(APP, '..')}`);
        }
    }
}

function writeJson(file, value) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify(value, undefined, 4)}\n`, { mode: 0o600 });
}

function quote(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}
