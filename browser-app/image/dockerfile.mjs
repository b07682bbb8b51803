// SPDX-License-Identifier: Apache-2.0

/**
 * What a Dockerfile contains, as far as ours needs it: no variables, no `ARG`, no heredocs.
 *
 * @returns {{ name: string, from: string, instructions: { keyword: string, text: string }[] }[]} stages
 */
export function parseDockerfile(text) {
    const stages = [];
    const lines = text
        .replace(/^#.*\n/gm, '')
        .replace(/\\\n\s*/g, '')
        .split('\n');
    for (const line of lines.filter(one => one.trim() !== '')) {
        const [, keyword, rest] = /^([A-Z]+)\s+(.*)$/.exec(line);
        if (keyword === 'FROM') {
            const [from, , name = String(stages.length)] = rest.split(/\s+/);
            stages.push({ name, from, instructions: [] });
        } else {
            stages.at(-1).instructions.push({ keyword, text: rest });
        }
    }
    return stages;
}

/** Of an instruction: a JSON list, or words. */
export function readArguments(text) {
    return text.startsWith('[') ? JSON.parse(text) : text.split(/\s+/).filter(Boolean);
}
