// SPDX-License-Identifier: Apache-2.0

import { spawnSync } from 'node:child_process';
import { debianFlavour, installPackages, mayInstall } from './debian.mjs';
import { findCommand } from './processes.mjs';
import { Problem } from './script.mjs';

const WHY = 'every Theia application needs Python 3, make and a C++ compiler for two native modules.';
const INSTALLERS = [
    { manager: 'dnf', command: 'sudo dnf install -y python3 make gcc-c++' },
    { manager: 'zypper', command: 'sudo zypper install -y python3 make gcc-c++' },
    { manager: 'pacman', command: 'sudo pacman -S --needed python make gcc' },
    { manager: 'apk', command: 'sudo apk add python3 make g++' }
];

/** Makes sure that native modules can be compiled. */
export async function checkPreconditions() {
    if (process.platform === 'win32') {
        throw new Problem('On Windows, run this inside WSL (wsl --install): the sample needs a POSIX shell.');
    }
    if (process.platform === 'darwin') {
        // The commands exist even where the tools behind them do not.
        if (spawnSync('xcode-select', ['-p']).status !== 0) {
            throw new Problem(`Python 3, make or a C++ compiler is missing. Run: xcode-select --install (${WHY})`);
        }
        return;
    }
    const missing = [
        { packageName: 'python3', commands: ['python3'] },
        { packageName: 'make', commands: ['make'] },
        { packageName: 'g++', commands: ['g++', 'c++', 'clang++'] }
    ].filter(({ commands }) => !findCommand(...commands));
    if (missing.length === 0) {
        return;
    }
    const packages = missing.map(({ packageName }) => packageName);
    if (mayInstall()) {
        await installPackages(packages, WHY);
        return;
    }
    throw new Problem(`Missing: ${packages.join(', ')}. ${installCommand(packages)} (${WHY})`);
}

function installCommand(packages) {
    if (debianFlavour()) {
        return `Run: sudo apt-get install -y ${packages.join(' ')}`;
    }
    const known = INSTALLERS.find(({ manager }) => findCommand(manager));
    return known ? `Run: ${known.command}` : 'Install them with the package manager of this system.';
}
