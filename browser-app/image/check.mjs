// SPDX-License-Identifier: Apache-2.0
// npm run image-check: lints the Dockerfile, and builds and runs it without a container engine. Needs root on Linux, and debootstrap.
//
// Each stage gets a fresh Debian from debootstrap, and what the Dockerfile says is done in it under chroot and namespaces of its own.
// What else an engine does (layers, cgroups, seccomp, user namespaces) is not tried.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseDockerfile, readArguments } from './dockerfile.mjs';
import { tryOut } from './try-out.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCKERFILE = join(ROOT, 'browser-app/Dockerfile');
const WORK = join(ROOT, '.setup/image');
const LINTER = 'dockerfile-utils@0.16.3';

const run = (command, args, options) => execFileSync(command, args, { stdio: 'inherit', ...options });
const say = line => process.stdout.write(`${line}\n`);

run('npm', ['exec', '--yes', `--package=${LINTER}`, '--', 'dockerfile-utils', 'lint', DOCKERFILE]);
say('The Dockerfile is clean.');
if (process.argv.includes('--lint')) {
    process.exit();
}
if (process.getuid() !== 0 || spawnSync('debootstrap', ['--version']).error) {
    say('To build and run it: as root on Linux, with debootstrap.');
    process.exit(1);
}
const HEADERS = join(dirname(dirname(realpathSync(process.env.npm_node_execpath ?? process.execPath))), 'include/node');
if (!existsSync(HEADERS)) {
    say(`The image compiles native modules, and this Node has no headers (${HEADERS}): use a Node from nodejs.org or of the system.`);
    process.exit(1);
}
const stages = parseDockerfile(readFileSync(DOCKERFILE, 'utf8'));
const image = process.argv.includes('--built') ? describe(stages.at(-1)) : build();
for (const user of [image.user, '1000770000:0']) {
    say(await tryOut(image, user));
}

/** Builds stage by stage. Returns the last one. */
function build() {
    rmSync(WORK, { recursive: true, force: true });
    let last;
    for (const stage of stages) {
        last = describe(stage);
        say(`Stage ${stage.name} …`);
        mkdirSync(dirname(last.root), { recursive: true });
        run('cp', ['--archive', base(stage.from), last.root]);
        // As an engine does.
        cpSync('/etc/resolv.conf', join(last.root, 'etc/resolv.conf'));
        for (const { keyword, text } of stage.instructions) {
            if (keyword === 'COPY') {
                copy(last, text);
            } else if (keyword === 'RUN') {
                inRoot(last.root, ['/bin/sh', '-c', `cd ${last.folder} && ${text}`]);
            }
        }
    }
    renameSync(last.root, join(WORK, 'root'));
    rmSync(join(WORK, 'stage'), { recursive: true, force: true });
    return { ...last, root: join(WORK, 'root') };
}

function describe(stage) {
    const of = keyword => stage.instructions.filter(one => one.keyword === keyword).map(({ text }) => text);
    const variables = of('ENV').flatMap(text => readArguments(text));
    return {
        root: process.argv.includes('--built') ? join(WORK, 'root') : join(WORK, 'stage', stage.name),
        folder: of('WORKDIR').at(-1) ?? '/',
        user: of('USER').at(-1) ?? '0:0',
        env: Object.fromEntries(variables.map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)])),
        command: [...readArguments(of('ENTRYPOINT').at(-1) ?? '[]'), ...readArguments(of('CMD').at(-1) ?? '[]')],
        health: readArguments((of('HEALTHCHECK').at(-1) ?? '').replace(/^.*?CMD /, ''))
    };
}

/** A fresh Debian, kept for the next time; for an image of Node's with this machine's Node and npm in it. */
function base(name) {
    const [repository, tag] = name.split(':');
    const folder = join(tmpdir(), `companion-base-${repository}-${tag}`);
    if (!existsSync(folder)) {
        const part = mkdtempSync(`${folder}-`);
        // It is the root folder of other users, too.
        chmodSync(part, 0o755);
        const release = /([a-z]+)-slim$/.exec(tag)[1];
        try {
            if (repository === 'node') {
                run('cp', ['--archive', '--no-target-directory', base(`debian:${release}-slim`), part]);
                installNode(join(part, 'usr/local'));
            } else {
                run('debootstrap', ['--variant=minbase', release, part], { stdio: ['ignore', 'ignore', 'inherit'] });
            }
            renameSync(part, folder);
        } finally {
            rmSync(part, { recursive: true, force: true });
        }
    }
    return folder;
}

function installNode(target) {
    const npm = resolve(realpathSync(process.env.npm_execpath), '../..');
    const node = realpathSync(process.env.npm_node_execpath);
    run('cp', ['--archive', node, join(target, 'bin/node')]);
    run('cp', ['--archive', npm, join(target, 'lib/npm')]);
    run('cp', ['--archive', HEADERS, join(target, 'include/node')]);
    run('ln', ['--symbolic', '../lib/npm/bin/npm-cli.js', join(target, 'bin/npm')]);
}

/** `COPY . .`, which is what git would commit, or `COPY --from=STAGE FROM TO`. */
function copy(stage, text) {
    const [, from, source, target] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(text);
    const to = join(stage.root, resolve(stage.folder, target));
    if (from) {
        cpSync(join(WORK, 'stage', from, source), to, { recursive: true, verbatimSymlinks: true });
        return;
    }
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
    for (const file of files.split('\0').filter(name => name !== '' && existsSync(join(ROOT, name)))) {
        mkdirSync(dirname(join(to, file)), { recursive: true });
        cpSync(join(ROOT, file), join(to, file));
    }
}

function inRoot(root, command) {
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...npmOfHost(root) };
    run('unshare', [...['--mount', '--pid', '--fork', '--kill-child'], `--mount-proc=${join(root, 'proc')}`, 'chroot', root, ...command], {
        env
    });
}

/** How npm reaches its registry on this machine, and that it downloads no headers. */
function npmOfHost(root) {
    const proxies = Object.entries(process.env).filter(([name]) => /^(https?_proxy|no_proxy|npm_config_registry)$/i.test(name));
    const certificates = execFileSync('npm', ['config', 'get', 'cafile'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const env = { ...Object.fromEntries(proxies), npm_config_nodedir: '/usr/local' };
    if (!existsSync(certificates)) {
        return env;
    }
    cpSync(certificates, join(root, 'tmp/certificates.pem'));
    return { ...env, npm_config_cafile: '/tmp/certificates.pem' };
}
