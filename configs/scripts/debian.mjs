// SPDX-License-Identifier: Apache-2.0

import { existsSync, readFileSync } from 'node:fs';
import { lastLines, findCommand, runLogged } from './processes.mjs';
import { setUpFile } from './project.mjs';
import { Problem, say } from './script.mjs';

/** `debian`, `ubuntu` and so on; empty where there is no apt-get. */
export function debianFlavour() {
    if (!findCommand('apt-get') || !existsSync('/etc/os-release')) {
        return '';
    }
    return /^ID="?(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
}

export function mayInstall() {
    return debianFlavour() !== '' && process.getuid?.() === 0;
}

/** Installs packages as root, saying so. */
export async function installPackages(packages, why) {
    const command = `apt-get install --yes --no-install-recommends ${packages.join(' ')}`;
    say(`Installing ${packages.join(', ')} with apt-get: ${why}`);
    const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    // An update that fails is no harm where the lists are there already.
    await runLogged(['apt-get', 'update'], setUpFile('apt-update.log'), options);
    const { code, output } = await runLogged(command.split(' '), setUpFile('apt-install.log'), options);
    if (code !== 0) {
        throw new Problem(
            `apt-get could not install ${packages.join(', ')}: ${lastLines(output, 1)} Check the network, then try: ${command}`
        );
    }
}
