// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';

/** A program that runs another one. */
interface Starter {
    /** One of these comes first. */
    readonly verbs?: readonly string[];
    /** Options that take the next word for their value. */
    readonly values?: readonly string[];
    /** How many words come before the program: a container, a host, a time. */
    readonly skips?: number;
    /** `-c` has a whole command line. */
    readonly takesLine?: boolean;
}

function words(text: string): string[] {
    return text.split(' ');
}

const STARTERS: ReadonlyArray<readonly [names: string, Starter]> = [
    ['node nodejs', { values: words('-r --require --import --loader --env-file') }],
    ['python python3 pypy3 ruby perl exec command nohup setsid', {}],
    ['sh bash dash zsh fish ash', { values: words('-o -O --rcfile --init-file'), takesLine: true }],
    ['env', { values: words('-u --unset -C --chdir') }],
    ['sudo doas', { values: words('-u --user -g --group -h -p -C -T') }],
    ['nice', { values: words('-n --adjustment') }],
    ['stdbuf time', { values: words('-i -o -e -f') }],
    ['timeout', { values: words('-s --signal -k --kill-after'), skips: 1 }],
    ['npx bunx pnpx uvx', { values: words('-p --package --from --with --python') }],
    ['npm pnpm yarn bun deno uv pipx', { verbs: words('exec x dlx run tool'), values: words('-p --package --from --with --python') }],
    ['nix', { verbs: words('run develop shell'), takesLine: true }],
    ['op', { verbs: ['run'], values: words('--env-file --account --session') }],
    ['docker podman', { verbs: ['exec'], values: words('-e --env --env-file -u --user -w --workdir --detach-keys'), skips: 1 }],
    ['kubectl oc', { verbs: ['exec'], values: words('-n --namespace -c --container --context'), skips: 1 }],
    ['ssh', { values: words('-b -c -D -E -e -F -i -J -L -l -m -o -p -R -S -W'), skips: 1 }],
    ['script', { takesLine: true, skips: 1 }]
];
const STARTER_OF = new Map(STARTERS.flatMap(([names, starter]) => words(names).map(name => [name, starter] as const)));
/** `env nice -n 5 bash run.sh` has three. */
const MAX_STARTERS = 8;

/**
 * Finds the program that a command line is about: the program itself, or the one that it runs by its command line. What follows is what a
 * person typed for it.
 *
 * @returns its words; empty if there is none
 */
export function programOf(command: readonly string[]): readonly string[] {
    let rest = command;
    for (let count = 0; count < MAX_STARTERS; count++) {
        const starter = STARTER_OF.get(path.basename(rest[0] ?? '').replace(/^-/, ''));
        if (!starter) {
            return rest;
        }
        rest = startedBy(starter, rest.slice(1));
    }
    return rest;
}

function startedBy({ verbs, values = [], skips = 0, takesLine = false }: Starter, all: readonly string[]): readonly string[] {
    let isAfterVerb = verbs === undefined;
    let skipped = 0;
    for (let at = 0; at < all.length; at++) {
        const word = all[at];
        if (word === '--') {
            return isAfterVerb ? all.slice(at + 1) : [];
        }
        if (takesLine && /^(-\w*c|--command)$/.test(word)) {
            return lastOf(all[at + 1] ?? '');
        }
        if (word.startsWith('-')) {
            at += values.includes(word) ? 1 : 0;
        } else if (/^\w+=/.test(word)) {
            continue;
        } else if (!isAfterVerb) {
            isAfterVerb = true;
            if (!verbs?.includes(word)) {
                return [];
            }
        } else if (skipped++ === skips) {
            // A host gets its whole command line as one word.
            return /\s/.test(word) ? lastOf(word) : all.slice(at);
        }
    }
    return [];
}

/** The last command of a line: `cd project && agent`. */
function lastOf(line: string): readonly string[] {
    return (line.split(/&&|;/).at(-1) ?? '').trim().split(/\s+/);
}
