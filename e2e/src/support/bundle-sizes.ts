// SPDX-License-Identifier: Apache-2.0

import { createRequire } from 'module';
import * as path from 'path';
import { APP_FOLDER } from './project-paths';

const OUR_FOLDERS = { 'theia-cli-companion': 'companion-extension', 'theia-qwen-daemon': 'daemon-extension' };
type OurPackage = keyof typeof OUR_FOLDERS;

/** What esbuild tells of a bundle, as far as it is read here. */
interface Metafile {
    inputs: Record<string, { imports: Array<{ path: string }> }>;
    outputs: Record<string, { entryPoint?: string; inputs: Record<string, { bytesInOutput: number }> }>;
}

interface Options {
    entryPoints: Record<string, string>;
    plugins: Array<{ name: string }>;
}

/** Loaded where the application loads it. */
const load = createRequire(path.join(APP_FOLDER, 'package.json'));

/** The IDE's own bundles, made once more with the settings that Theia generated, for a list of what is in them. */
export class BundleSizes {
    private constructor(private readonly metafile: Metafile) {}

    static async frontEnd(): Promise<BundleSizes> {
        const { browserOptions } = load('./gen-esbuild.browser.mjs') as { browserOptions: Options };
        return this.bundle(browserOptions, 'bundle');
    }

    static async backEnd(): Promise<BundleSizes> {
        const { nodeOptions } = load('./gen-esbuild.node.mjs') as { nodeOptions: Options };
        return this.bundle(nodeOptions, 'main');
    }

    private static async bundle(options: Options, entry: string): Promise<BundleSizes> {
        const { build } = load('esbuild') as { build(options: object): Promise<{ metafile: Metafile }> };
        const { metafile } = await build({
            ...options,
            absWorkingDir: APP_FOLDER,
            entryPoints: { [entry]: options.entryPoints[entry] },
            // These copy files, some of them after the bundle is done, or talk.
            plugins: options.plugins.filter(({ name }) => !/copy|problem-matcher|@theia\/esbuild-plugin/.test(name)),
            metafile: true,
            write: false,
            logLevel: 'silent'
        });
        return new BundleSizes(metafile);
    }

    /** Bytes that this package would bring alone: its own, and those of what Theia's packages do not import. */
    addedBy(name: OurPackage): number {
        const alone = this.reached(Object.values(OUR_FOLDERS).filter(folder => folder !== OUR_FOLDERS[name]));
        const without = this.reached(Object.values(OUR_FOLDERS));
        return Object.values(this.metafile.outputs)
            .flatMap(({ inputs }) => Object.entries(inputs))
            .filter(([file]) => alone.has(file) && !without.has(file))
            .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    }

    /** @param leftOut folders of packages */
    private reached(leftOut: string[]): Set<string> {
        const { inputs, outputs } = this.metafile;
        const found = new Set<string>();
        const waiting = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
        for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
            if (!found.has(file) && file in inputs && !leftOut.some(folder => file.includes(`${folder}/`))) {
                found.add(file);
                waiting.push(...inputs[file].imports.map(imported => imported.path));
            }
        }
        return found;
    }
}
