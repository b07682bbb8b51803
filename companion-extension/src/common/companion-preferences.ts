// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import {
    createPreferenceProxy,
    PreferenceContribution,
    PreferenceProxy,
    PreferenceSchema,
    PreferenceScope,
    PreferenceService
} from '@theia/core/lib/common/preferences';
import { interfaces } from '@theia/core/shared/inversify';

export interface CompanionConfiguration {
    'companion.enabled': boolean;
    'companion.context.share': boolean;
    'companion.context.exclude': string[];
    'companion.review.open': 'reveal' | 'background' | 'never';
    'companion.review.onTabClose': 'reject' | 'keep';
    'companion.review.outsideWorkspace': 'notice' | 'refuse';
    'companion.qwen.askBeforeEdits': boolean;
    'companion.container.loopback': 'auto' | 'always' | 'never';
}

/** Files that are never shared with a CLI, unless the user changes the list. Upper and lower case count as the same. */
export const defaultContextExcludes: string[] = [
    '**/.env*',
    '**/*.env',
    '**/*.pem',
    '**/*.key',
    '**/*.p12',
    '**/*.pfx',
    '**/*.jks',
    '**/*.keystore',
    '**/*.kdbx',
    '**/id_{rsa,dsa,ecdsa,ed25519}*',
    '**/.{ssh,gnupg,aws,azure,kube}/**',
    '**/.docker/config.json',
    '**/.{netrc,npmrc,pypirc,pgpass,git-credentials,htpasswd}',
    '**/{secret,secrets,credentials}.{json,yml,yaml,toml}'
];

/**
 * `scope` is the narrowest scope in which a value counts (Theia's `PreferenceSchemaService.isValidInScope`). Preferences that
 * protect the user count only in the user's own settings: a cloned repository brings its workspace settings with it.
 */
export const companionPreferenceSchema: PreferenceSchema = {
    properties: {
        'companion.enabled': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.Workspace,
            description: nls.localize(
                'companion/preferences/enabled',
                'Let terminal coding CLIs (Qwen Code, Gemini CLI) connect to this window.'
            )
        },
        'companion.context.share': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.Workspace,
            description: nls.localize(
                'companion/preferences/share',
                'Tell connected CLIs which files are open, where the cursor is and what is selected. ' +
                    'A workspace can turn it off, not on: where the user settings say no, nothing is told.'
            )
        },
        'companion.context.exclude': {
            type: 'array',
            items: { type: 'string' },
            default: defaultContextExcludes,
            scope: PreferenceScope.Workspace,
            description: nls.localize(
                'companion/preferences/exclude',
                'Glob patterns of files that are never told to a CLI: neither their path nor a selection in them. ' +
                    'A pattern is matched with the absolute path and with the path in the workspace. ' +
                    "A workspace's patterns are added to those of the user settings, they do not replace them."
            )
        },
        'companion.review.open': {
            type: 'string',
            enum: ['reveal', 'background', 'never'],
            enumDescriptions: [
                nls.localize('companion/preferences/open/reveal', 'Open it in front, without taking the keyboard.'),
                nls.localize('companion/preferences/open/background', 'Open it as a tab behind the current one.'),
                nls.localize('companion/preferences/open/never', 'Open nothing: CLIs that connect from then on ask in the terminal.')
            ],
            default: 'reveal',
            scope: PreferenceScope.Workspace,
            description: nls.localize('companion/preferences/open', 'How the diff of a proposal opens.')
        },
        'companion.review.onTabClose': {
            type: 'string',
            enum: ['reject', 'keep'],
            enumDescriptions: [
                nls.localize('companion/preferences/onTabClose/reject', 'The proposal is rejected.'),
                nls.localize('companion/preferences/onTabClose/keep', 'The proposal keeps waiting; it opens again from the status bar.')
            ],
            default: 'reject',
            scope: PreferenceScope.Workspace,
            description: nls.localize('companion/preferences/onTabClose', "What closing a proposal's tab means.")
        },
        'companion.review.outsideWorkspace': {
            type: 'string',
            enum: ['notice', 'refuse'],
            enumDescriptions: [
                nls.localize('companion/preferences/outsideWorkspace/notice', 'Open the diff, with a notice.'),
                nls.localize('companion/preferences/outsideWorkspace/refuse', 'Refuse to open the diff; the CLI asks in the terminal.')
            ],
            default: 'notice',
            scope: PreferenceScope.User,
            description: nls.localize(
                'companion/preferences/outsideWorkspace',
                'What happens when a CLI proposes changes to a file outside the workspace.'
            )
        },
        'companion.qwen.askBeforeEdits': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.User,
            description: nls.localize(
                'companion/preferences/askBeforeEdits',
                'Have Qwen Code ask before it edits files, in new terminals. ' +
                    "A system administrator's own defaults for Qwen Code take precedence."
            )
        },
        'companion.container.loopback': {
            type: 'string',
            enum: ['auto', 'always', 'never'],
            enumDescriptions: [
                nls.localize('companion/preferences/loopback/auto', 'In containers, where nothing else tells the CLI.'),
                nls.localize('companion/preferences/loopback/always', 'In every new terminal.'),
                nls.localize('companion/preferences/loopback/never', 'Never.')
            ],
            default: 'auto',
            scope: PreferenceScope.User,
            description: nls.localize(
                'companion/preferences/loopback',
                'Whether new terminals tell Gemini CLI to reach this IDE by the loopback address instead of the name of a Docker host.'
            )
        }
    }
};

export const CompanionPreferenceContribution = Symbol('CompanionPreferenceContribution');
export const CompanionPreferences = Symbol('CompanionPreferences');
export type CompanionPreferences = PreferenceProxy<CompanionConfiguration>;

/** Used by the page's module and by the backend's. The backend sees only the default and the user scope. */
export function bindCompanionPreferences(bind: interfaces.Bind): void {
    bind(CompanionPreferences)
        .toDynamicValue(({ container }) => {
            const { schema } = container.get<PreferenceContribution>(CompanionPreferenceContribution);
            return createPreferenceProxy<CompanionConfiguration>(
                container.get<PreferenceService>(PreferenceService),
                schema ?? companionPreferenceSchema
            );
        })
        .inSingletonScope();
    bind(CompanionPreferenceContribution).toConstantValue({ schema: companionPreferenceSchema });
    bind(PreferenceContribution).toDynamicValue(({ container }) => container.get(CompanionPreferenceContribution));
}
