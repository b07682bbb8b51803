// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { APP_FOLDER } from './project-paths';

const OUR_FOLDERS = { 'theia-cli-companion': 'companion-extension', 'theia-qwen-daemon': 'daemon-extension' };
type OurPackage = keyof typeof OUR_FOLDERS;

/** What esbuild tells of a bundle, as far as it is read here. */
interface Metafile {
    inputs: Record<string, { imports: Array<{ path: string }> }>;
    outputs: Record<string, { entryPoint?: string; inputs: Record<string, { bytesInOutput: number }> }>;
}

/** What is in one of the IDE's bundles, as `browser-app/esbuild.mjs` wrote it down. */
export class BundleSizes {
    private readonly inputs: Metafile['inputs'];
    /** A script, and a style sheet where it has one. */
    private readonly bundle: Array<Metafile['outputs'][string]>;

    constructor(end: 'frontend' | 'backend', name: 'bundle' | 'main') {
        const { inputs, outputs } = JSON.parse(fs.readFileSync(path.join(APP_FOLDER, 'lib', `${end}.meta.json`), 'utf8')) as Metafile;
        this.inputs = inputs;
        this.bundle = Object.keys(outputs).flatMap(file => (file.startsWith(`lib/${end}/${name}.`) ? outputs[file] : []));
    }

    /** Bytes that this package would bring alone: its own, and those of what Theia's packages do not import. */
    addedBy(name: OurPackage): number {
        const alone = this.reached(Object.values(OUR_FOLDERS).filter(folder => folder !== OUR_FOLDERS[name]));
        const without = this.reached(Object.values(OUR_FOLDERS));
        return this.bundle
            .flatMap(({ inputs }) => Object.entries(inputs))
            .filter(([file]) => alone.has(file) && !without.has(file))
            .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    }

    /** @param leftOut folders of packages */
    private reached(leftOut: string[]): Set<string> {
        const found = new Set<string>();
        const waiting = this.bundle.flatMap(({ entryPoint }) => entryPoint ?? []);
        for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
            if (!found.has(file) && file in this.inputs && !leftOut.some(folder => file.includes(`${folder}/`))) {
                found.add(file);
                waiting.push(...this.inputs[file].imports.map(imported => imported.path));
            }
        }
        return found;
    }
}
