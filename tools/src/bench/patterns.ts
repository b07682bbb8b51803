// SPDX-License-Identifier: Apache-2.0

import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { ContextPrivacy } from '../../../companion-extension/lib/common/context-privacy';
import { IgnoreRules } from '../../../companion-extension/lib/common/patterns/ignore-rules';
import { Report } from './report';

const SECTION = 'patterns';
/** The longest path that is asked about, with as many names as fit. */
const LONG_PATH = `${'/a'.repeat(2_040)}/${'x'.repeat(15)}`;
const RELATIVE = LONG_PATH.slice('/a/'.length);
const IN_ROOT = new Map([['file:///a', [RELATIVE]]]);
const PATTERNS = Array.from(
    { length: 200 },
    (_, number) => ['**/*.key', '**/secret', 'src/**/*.pem', '**/{a,b}c*'][number % 4] + String(number)
);

/** What a question costs whether a file may be shared. It is asked in the page with each move of the cursor. */
export async function patterns(report: Report): Promise<void> {
    const exclude = report.line(SECTION, 'path of 4096 characters, built-in list and 200 patterns of companion.context.exclude');
    const again = report.line(SECTION, 'the same path again');
    const ignore = report.line(SECTION, 'path of 4096 characters, ignore file of 200 lines');
    const hostileExclude = report.line(SECTION, 'path of 60 folders "a", hostile patterns: **/a/**/a/**/zz');
    const hostileIgnore = report.line(SECTION, 'name of 255 characters, hostile ignore file: *a*a*a*a*a*a*b');
    const longest = report.line(SECTION, 'path of 4096 characters, ignore file of 64 KB, each line compared at each place');
    await report.rounds('Patterns', async () => {
        const privacy = new ContextPrivacy([], [{ scope: PreferenceScope.Workspace, value: PATTERNS }]);
        exclude.add(time(() => privacy.withheldBy(LONG_PATH, IN_ROOT)));
        again.add(time(() => privacy.withheldBy(LONG_PATH, IN_ROOT)));
        const lines = ignoreRules(PATTERNS.join('\n'));
        ignore.add(time(() => lines.withheldBy(RELATIVE)));
        const hostile = new ContextPrivacy([], [{ scope: PreferenceScope.Workspace, value: [`${'**/a/'.repeat(5)}**/zz`] }]);
        hostileExclude.add(time(() => hostile.withheldBy(`/${'a/'.repeat(60)}x.ts`, new Map())));
        const stars = ignoreRules(`${'*a'.repeat(6)}*b`);
        hostileIgnore.add(time(() => stars.withheldBy('a'.repeat(255))));
        const large = ignoreRules(`*${'a'.repeat(120)}b*\n`.repeat((64 * 1024) / 124));
        longest.add(time(() => large.withheldBy(`${'a'.repeat(255)}/`.repeat(15) + 'a'.repeat(255))));
    });
}

function ignoreRules(text: string): IgnoreRules {
    return new IgnoreRules({ '.geminiignore': { text }, '.qwenignore': 'missing' });
}

function time(ask: () => unknown): number {
    const since = performance.now();
    ask();
    return performance.now() - since;
}
