// SPDX-License-Identifier: Apache-2.0

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { contentHash } from './content-hash.mjs';
import { lastLines, runLogged, runVisibly } from './processes.mjs';
import { APP, NODE, packageFolders, readJson, ROOT, setUpFile, toolEnvironment } from './project.mjs';
import { runs } from './runs.mjs';
import { Problem, say } from './script.mjs';
import { removeStaleOutput } from './stale-output.mjs';

const TESTS = 'e2e';

/** Compiles the packages, with or without the browser tests, and bundles the IDE; what is up to date stays. */
export async function compile({ withTests }) {
    const projects = readJson(join(ROOT, 'tsconfig.json')).references.map(({ path }) => path);
    const wanted = projects.filter(path => withTests || path !== TESTS);
    // An IDE has loaded its bundle; tests load what is compiled one after the other.
    const tests = runs.others().filter(({ command }) => command === 'npm test');
    if (tests.length > 0 && (await wouldCompile(wanted))) {
        runs.demandAlone('the sources have changed', tests);
    }
    // The compiler knows by itself what is up to date, and looks in a second or two.
    await compileProjects(wanted);
    await bundle();
}

async function wouldCompile(projects) {
    const command = [NODE, bin('typescript/bin/tsc'), '--build', '--dry', ...projects];
    const { output } = await runLogged(command, setUpFile('compile.log'), { cwd: ROOT });
    return output.includes('would build');
}

/** Compiles one package, for a tool that needs no IDE. */
export async function compilePackage(folder) {
    await compileProjects([folder]);
}

async function compileProjects(projects) {
    projects.forEach(folder => removeStaleOutput(join(ROOT, folder)));
    const code = await runVisibly([NODE, bin('typescript/bin/tsc'), '--build', ...projects], { cwd: ROOT });
    if (code !== 0) {
        throw new Problem('The sources do not compile: see above.');
    }
}

async function bundle() {
    const stamp = setUpFile('bundled');
    const packages = packageFolders().filter(folder => folder !== TESTS);
    const inputs = packages.flatMap(folder => [join(ROOT, folder, 'package.json'), join(ROOT, folder, 'lib'), join(ROOT, folder, 'src')]);
    const output = [join(APP, 'lib', 'backend', 'main.js'), join(APP, 'lib', 'frontend', 'bundle.js')];
    const hash = contentHash([...inputs, join(ROOT, 'package-lock.json')], isBundled);
    if (output.every(existsSync) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) {
        return;
    }
    runs.demandAlone('the IDE has to be bundled again');
    say('Bundling the IDE …');
    rmSync(stamp, { force: true });
    const logFile = setUpFile('bundle.log');
    const command = [NODE, bin('@theia/cli/bin/theia.js'), 'build', '--mode', 'production'];
    const result = await runLogged(command, logFile, { cwd: APP, env: toolEnvironment() });
    if (result.code !== 0 || !output.every(existsSync)) {
        process.stderr.write(`${lastLines(result.output, 20)}\n`);
        throw new Problem(`The IDE could not be bundled: see above, or all of it in ${relative(ROOT, logFile)}.`);
    }
    writeFileSync(stamp, hash);
}

/** What may be in the bundle: not the bundle itself, and no tests. */
function isBundled(file) {
    const path = relative(ROOT, file);
    const isOutput = path.startsWith(join(relative(ROOT, APP), 'lib'));
    return !isOutput && /\.(js|json|css|svg)$/.test(path) && !/[.-]spec\.js$|[\\/]test[\\/]/.test(path);
}

function bin(path) {
    return join(ROOT, 'node_modules', ...path.split('/'));
}
