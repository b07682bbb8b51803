// SPDX-License-Identifier: Apache-2.0
// npm run pictures [-- NAME… --language LANGUAGE --theme THEME]

import { parseArgs } from 'util';
import { TestBrowser } from '../../../e2e/lib/support/test-browser';
import { agents } from './agents';
import { Album, Language, LANGUAGES, Theme, THEMES } from './album';
import { changes } from './changes';
import { chat } from './chat';
import { comments } from './comments';
import { connect } from './connect';
import { demo } from './demo';
import { details } from './details';
import { firstMinute } from './first-minute';
import { partial } from './partial';

type PictureMaker = (album: Album) => Promise<void>;
const MAKERS = new Map<string, PictureMaker>(
    Object.entries({ 'first-minute': firstMinute, comments, connect, partial, details, agents, changes, chat, demo })
);
/** README is there in every language and theme: the makers of its pictures. */
const OF_README = ['first-minute', 'demo'];

async function takePictures(): Promise<void> {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: { language: { type: 'string', multiple: true }, theme: { type: 'string', multiple: true } }
    });
    const names = chosen('picture', positionals, [...MAKERS.keys()]);
    const themes = chosen('theme', values.theme ?? [], Object.keys(THEMES) as Theme[]);
    for (const language of chosen('language', values.language ?? [], Object.keys(LANGUAGES) as Language[])) {
        for (const name of names.filter(candidate => language === 'en' || OF_README.includes(candidate))) {
            for (const theme of themes.filter(candidate => candidate === 'light' || OF_README.includes(name))) {
                await MAKERS.get(name)?.(new Album(language, theme, log));
            }
        }
    }
}

/** Those that are asked for, or else all. */
function chosen<T extends string>(kind: string, asked: readonly string[], known: readonly T[]): readonly T[] {
    const unknown = asked.filter(name => !known.some(candidate => candidate === name));
    if (unknown.length > 0) {
        throw new Error(`There is no ${kind} ${unknown.join(', ')}: ${known.join(', ')}`);
    }
    return asked.length > 0 ? known.filter(name => asked.includes(name)) : known;
}

function log(line: string): void {
    process.stderr.write(`${line}\n`);
}

takePictures()
    .catch((error: unknown) => {
        log(error instanceof Error ? (error.stack ?? error.message) : String(error));
        process.exitCode = 1;
    })
    .finally(() => TestBrowser.close());
