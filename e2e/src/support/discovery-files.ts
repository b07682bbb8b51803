// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from './eventually';
import { IdeFixture } from './ide-fixture';

export interface DiscoveryFile {
    /** Absolute. */
    readonly file: string;
    /** Of the three places and forms in which a CLI may look. */
    readonly kind: 'gemini' | 'qwen-specified' | 'qwen-lock';
    /** From the name; the lock file's has none. */
    readonly pid: number | undefined;
    readonly port: number;
    readonly content: Record<string, unknown> & { authToken: string; workspacePath: string };
}

/** The discovery files as a CLI in one of the IDE's terminals would find them. */
export class DiscoveryFiles {
    constructor(private readonly ide: IdeFixture) {}

    /** Folders that hold discovery files. */
    get folders(): Record<DiscoveryFile['kind'], string> {
        return {
            gemini: path.join(this.ide.tmpdir, 'gemini', 'ide'),
            'qwen-specified': path.join(this.ide.tmpdir, 'qwen', 'ide'),
            'qwen-lock': path.join(this.ide.home, '.qwen', 'ide')
        };
    }

    async all(): Promise<DiscoveryFile[]> {
        const kinds = Object.keys(this.folders) as Array<DiscoveryFile['kind']>;
        return (await Promise.all(kinds.map(kind => this.ofKind(kind)))).flat();
    }

    /** Names of everything in the folders: a half-written file would be a leftover, too. */
    async names(): Promise<string[]> {
        const lists = await Promise.all(Object.values(this.folders).map(folder => fs.readdir(folder).catch(() => [])));
        return lists.flat();
    }

    /** Waits until a window's server has published all its files. */
    async published(): Promise<DiscoveryFile[]> {
        return eventually(
            'discovery files of all three kinds',
            async () => {
                const files = await this.all();
                return Object.keys(this.folders).every(kind => files.some(file => file.kind === kind)) ? files : undefined;
            },
            { state: async () => `There: ${(await this.names()).join(', ')}\n${this.ide.log}` }
        );
    }

    /** Waits for all three files of one window's server, and answers the one that Gemini CLI reads. */
    async serverWith(what: string, isWanted: (file: DiscoveryFile) => boolean): Promise<DiscoveryFile> {
        return eventually(
            `the discovery files of ${what}`,
            async () => {
                const files = (await this.all()).filter(isWanted);
                const gemini = files.find(({ kind }) => kind === 'gemini');
                return new Set(files.filter(({ port }) => port === gemini?.port).map(({ kind }) => kind)).size === 3 ? gemini : undefined;
            },
            { state: async () => (await this.all()).map(({ file, content }) => `${file} ${content.workspacePath}`).join('\n') }
        );
    }

    async ports(): Promise<Set<number>> {
        return new Set((await this.all()).map(({ port }) => port));
    }

    private async ofKind(kind: DiscoveryFile['kind']): Promise<DiscoveryFile[]> {
        const folder = this.folders[kind];
        const names = await fs.readdir(folder).catch(() => []);
        return Promise.all(
            names.flatMap(name => {
                const match = PATTERNS[kind].exec(name);
                return match ? readDiscoveryFile(path.join(folder, name), kind, match.groups ?? {}) : [];
            })
        );
    }
}

const PATTERNS: Record<DiscoveryFile['kind'], RegExp> = {
    gemini: /^gemini-ide-server-(?<pid>\d+)-(?<port>\d+)\.json$/,
    'qwen-specified': /^qwen-code-ide-server-(?<pid>\d+)-(?<port>\d+)\.json$/,
    'qwen-lock': /^(?<port>\d+)\.lock$/
};

async function readDiscoveryFile(file: string, kind: DiscoveryFile['kind'], name: Record<string, string>): Promise<DiscoveryFile> {
    const content = JSON.parse(await fs.readFile(file, 'utf8')) as DiscoveryFile['content'];
    return { file, kind, pid: name.pid === undefined ? undefined : Number(name.pid), port: Number(name.port), content };
}
