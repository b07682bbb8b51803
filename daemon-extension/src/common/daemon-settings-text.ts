// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { Sentences, ProblemOf } from './daemon-problem';

export function badUrl({ flaw, source }: ProblemOf<'bad-url'>): string {
    switch (flaw) {
        case 'no-url':
            return nls.localize('theia/qwen-daemon/problem/noUrl', 'The address in {0} is not a URL.', source);
        case 'no-http':
            return nls.localize('theia/qwen-daemon/problem/noHttpUrl', 'The address in {0} is not an http or https URL.', source);
        case 'credentials':
            return nls.localize(
                'theia/qwen-daemon/problem/urlCredentials',
                'The address in {0} contains credentials. Preferences and URLs are no place for them.',
                source
            );
        case 'query':
            return nls.localize('theia/qwen-daemon/problem/urlQuery', 'The address in {0} has a query or a fragment.', source);
    }
}

export function badTokenFile(problem: ProblemOf<'bad-token-file'>): Sentences {
    const setting = 'qwen-code.experimentalDaemon.tokenFile';
    switch (problem.flaw) {
        case 'relative':
            return [
                nls.localize('theia/qwen-daemon/problem/tokenFileRelative', 'The file in {0} is not an absolute path.', setting),
                nls.localize('theia/qwen-daemon/problem/tokenFileRelativeNext', 'Write the full path.')
            ];
        case 'unreadable':
            return [
                nls.localize(
                    'theia/qwen-daemon/problem/tokenFileUnreadable',
                    'The file in {0} cannot be read ({1}).',
                    setting,
                    problem.cause ?? nls.localize('theia/qwen-daemon/problem/unknownError', 'unknown error')
                ),
                nls.localize('theia/qwen-daemon/problem/tokenFileUnreadableNext', 'Check the path.')
            ];
        case 'no-token-file':
            return [
                nls.localize('theia/qwen-daemon/problem/noTokenFile', 'The file in {0} is not a token file.', setting),
                nls.localize('theia/qwen-daemon/problem/noTokenFileNext', 'It must be a small text file.')
            ];
        case 'open-to-others':
            return [
                nls.localize('theia/qwen-daemon/problem/tokenFileOpen', 'The file in {0} can be read or written by others.', setting),
                nls.localize('theia/qwen-daemon/problem/tokenFileOpenNext', 'Run: {0}, as its owner.', `chmod 600 "${problem.file}"`)
            ];
        case 'no-token':
            return [
                nls.localize('theia/qwen-daemon/problem/tokenFileEmpty', 'The file in {0} contains no token.', setting),
                nls.localize('theia/qwen-daemon/problem/tokenFileEmptyNext', 'It must contain the token and nothing else.')
            ];
    }
}

export function notAllowed(code: 'untrusted' | 'ai-off'): Sentences {
    return code === 'untrusted'
        ? [
              nls.localize(
                  'theia/qwen-daemon/problem/untrusted',
                  'Qwen does not run here, because this workspace is not trusted: a folder can make Qwen run its code before Qwen asks anything.'
              ),
              nls.localize(
                  'theia/qwen-daemon/problem/untrustedNext',
                  'If you trust who wrote the files, say so with the command "Manage Workspace Trust".'
              )
          ]
        : [
              nls.localize('theia/qwen-daemon/problem/aiOff', 'Qwen does not run here, because AI features are turned off.'),
              nls.localize('theia/qwen-daemon/problem/aiOffNext', 'Turn them on in the settings.')
          ];
}
