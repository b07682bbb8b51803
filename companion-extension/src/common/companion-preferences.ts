// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { PreferenceProxy, PreferenceSchema, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';

/** A command that is an agent, and its name for people. */
export type NamedAgent = string | { readonly command: string; readonly name?: string | undefined };

export interface CompanionConfiguration {
    'companion.enabled': boolean;
    'companion.context.share': boolean;
    'companion.context.exclude': string[];
    'companion.review.open': 'reveal' | 'background' | 'never';
    'companion.review.onTabClose': 'reject' | 'keep';
    'companion.review.afterAccept': 'show' | 'stay';
    'companion.review.outsideWorkspace': 'notice' | 'refuse';
    'companion.agentStatus': boolean;
    'companion.agents': NamedAgent[];
    'companion.notifications': 'off' | 'waiting' | 'waitingOrDone';
    'companion.changes.track': 'agents' | 'off';
    'companion.changes.inEditor': boolean;
    'companion.qwen.askBeforeEdits': boolean;
    'companion.claude.askBeforeEdits': boolean;
    'companion.container.loopback': 'auto' | 'always' | 'never';
    'companion.run.useLoginShell': boolean;
}

const BACKEND_PREFERENCES = [
    'companion.review.outsideWorkspace',
    'companion.qwen.askBeforeEdits',
    'companion.claude.askBeforeEdits',
    'companion.container.loopback',
    'companion.agentStatus',
    'companion.agents',
    'companion.changes.track',
    'companion.run.useLoginShell'
] as const;

/** What decides which files are shared with CLIs. */
export const SHARE = 'companion.context.share';
export const EXCLUDE = 'companion.context.exclude';

export const BackendPreferences = Symbol('BackendPreferences');
/**
 * What the backend acts on. The page says it with each hello: a backend does not know the defaults of the application
 * (`theia.frontend.config.preferences`, Theia 1.74). What a workspace says does not count, so they are the same in every window.
 *
 * @since 0.1
 */
export type BackendPreferences = Pick<CompanionConfiguration, (typeof BACKEND_PREFERENCES)[number]>;

/** Files that are never shared with a CLI, unless the user takes them back. Upper and lower case count as the same. */
export const builtInExcludes: readonly string[] = [
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
    '**/{secret,secrets,credentials}.{json,yml,yaml,toml}',
    '**/*.{pem,key,p12,pfx}{.bak,.old,.orig,~}',
    '**/*.{tfstate,tfvars}*',
    '**/{.vault-token,*kubeconfig*,.yarnrc.yml,wp-config.php,service-account*.json,.git-credentials*}',
    '**/{.config/{gcloud,gh},.m2,.gradle,.cargo}/{credentials*,*.db,hosts.yml,settings*.xml,gradle.properties,*.json}',
    // What CLIs log in with, and the files by which they find an IDE, with its token.
    '**/{.claude.json*,oauth_creds*.json,mcp-oauth-tokens*.json,.credentials.json}',
    '**/{.codex,.copilot,opencode}/{auth,mcp-auth,config}.json',
    '**/{*-ide-server-*,ide/*.lock}',
    '**/.theia*/theia-cli-companion/**'
];

/** The settings view has the first sentences in its list, and the whole text of the chosen one below. */
function choices(
    texts: Record<string, string>
): Pick<PreferenceSchema['properties'][string], 'enum' | 'enumDescriptions' | 'enumItemLabels'> {
    const enumDescriptions = Object.values(texts);
    return { enum: Object.keys(texts), enumDescriptions, enumItemLabels: enumDescriptions.map(text => text.split(/[.。]/)[0]) };
}

const AGENT_COMMAND = { type: 'string', pattern: '^[^\\s/]+$' } as const;

/**
 * In the order in which they are documented: whether CLIs connect, what is shared, reviews, single CLIs, containers. Theia's settings view
 * (1.74) sorts by name.
 *
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
                'theia/cli-companion/preferences/enabled',
                'Let coding agents in the terminal (Claude Code, OpenCode, Kilo CLI, Copilot CLI, Qwen Code, Gemini CLI) connect to this window. ' +
                    'A workspace can turn this off, but not on again.'
            )
        },
        'companion.context.share': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.Folder,
            description: nls.localize(
                'theia/cli-companion/preferences/share',
                'Share the open files, the cursor and the selection with connected CLIs. A workspace can turn this off, and a folder can for its ' +
                    'own files, but neither can turn it on again.'
            )
        },
        'companion.context.exclude': {
            type: 'array',
            items: { type: 'string' },
            default: [],
            scope: PreferenceScope.Folder,
            description: nls.localize(
                'theia/cli-companion/preferences/exclude',
                'Glob patterns of files that are never shared with a CLI: neither their paths nor selections in them. Secrets such as .env and ' +
                    'keys are never shared anyway. A pattern matches the absolute path or the path in the workspace folder. The patterns of all settings ' +
                    'add up. Only in your user settings, "!" before a pattern shares its files again: "!**/.env.example".'
            )
        },
        'companion.review.open': {
            type: 'string',
            ...choices({
                reveal: nls.localize('theia/cli-companion/preferences/open/reveal', 'In front. The keyboard stays where it is.'),
                background: nls.localize('theia/cli-companion/preferences/open/background', 'As a tab behind the current one.'),
                never: nls.localize(
                    'theia/cli-companion/preferences/open/never',
                    'Not at all. CLIs that connect from then on ask in their terminal.'
                )
            }),
            default: 'reveal',
            scope: PreferenceScope.Workspace,
            description: nls.localize('theia/cli-companion/preferences/open', 'How the diff of a proposal opens.')
        },
        'companion.review.onTabClose': {
            type: 'string',
            ...choices({
                reject: nls.localize(
                    'theia/cli-companion/preferences/onTabClose/reject',
                    'The proposal is rejected, unless another window shows it.'
                ),
                keep: nls.localize(
                    'theia/cli-companion/preferences/onTabClose/keep',
                    'The proposal keeps waiting. Open it again from the list in the status bar.'
                )
            }),
            default: 'reject',
            scope: PreferenceScope.Workspace,
            description: nls.localize('theia/cli-companion/preferences/onTabClose', "What happens when you close a proposal's tab.")
        },
        'companion.review.afterAccept': {
            type: 'string',
            ...choices({
                show: nls.localize(
                    'theia/cli-companion/preferences/afterAccept/show',
                    'The file is shown at its first changed line. The keyboard stays where it is.'
                ),
                stay: nls.localize(
                    'theia/cli-companion/preferences/afterAccept/stay',
                    'Only the status bar says so, and offers to undo it.'
                )
            }),
            default: 'show',
            scope: PreferenceScope.Workspace,
            description: nls.localize(
                'theia/cli-companion/preferences/afterAccept',
                'What happens when a CLI has written what you accepted.'
            )
        },
        'companion.review.outsideWorkspace': {
            type: 'string',
            ...choices({
                notice: nls.localize('theia/cli-companion/preferences/outsideWorkspace/notice', 'The diff opens with a notice.'),
                refuse: nls.localize(
                    'theia/cli-companion/preferences/outsideWorkspace/refuse',
                    'No diff opens. The CLI asks in its terminal.'
                )
            }),
            default: 'notice',
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/outsideWorkspace',
                'What happens when a CLI proposes to change a file outside the workspace.'
            )
        },
        'companion.agentStatus': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/agentStatus',
                'Show which programs in terminals wait for you, work, or have finished.'
            )
        },
        'companion.agents': {
            type: 'array',
            items: {
                anyOf: [
                    AGENT_COMMAND,
                    {
                        type: 'object',
                        properties: { command: AGENT_COMMAND, name: { type: 'string' } },
                        required: ['command'],
                        additionalProperties: false
                    }
                ]
            },
            default: [],
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/agents',
                'More programs that count as agents: the IDE lists what they change in files. ' +
                    'Each entry is a command, such as "my-agent", or an object with a command and a name to show.'
            )
        },
        'companion.notifications': {
            type: 'string',
            ...choices({
                off: nls.localize('theia/cli-companion/preferences/notifications/off', 'Never.'),
                waiting: nls.localize(
                    'theia/cli-companion/preferences/notifications/waiting',
                    'When a program in a terminal waits for you.'
                ),
                waitingOrDone: nls.localize(
                    'theia/cli-companion/preferences/notifications/waitingOrDone',
                    'When a program in a terminal waits for you, or has finished.'
                )
            }),
            default: 'off',
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/notifications',
                'When the browser notifies you while you do not use this page. It asks you first whether it may. Chrome on Android cannot.'
            )
        },
        'companion.changes.track': {
            type: 'string',
            ...choices({
                agents: nls.localize('theia/cli-companion/preferences/track/agents', 'While an agent runs in a terminal.'),
                off: nls.localize('theia/cli-companion/preferences/track/off', 'Never. What was listed is forgotten.')
            }),
            default: 'agents',
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/track',
                'When files that are changed outside the editor are listed, so that you can keep or undo their changes.'
            )
        },
        'companion.changes.inEditor': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/inEditor',
                "Show what agents changed in the files' own editors: a bar beside each change that you have not kept, with the lines that it removed."
            )
        },
        'companion.run.useLoginShell': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/useLoginShell',
                'Ask your login shell once for its PATH if a CLI is not found on that of the IDE.'
            )
        },
        'companion.qwen.askBeforeEdits': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/askBeforeEdits',
                'Make Qwen Code ask before it edits files. Applies to new terminals. ' +
                    'Defaults of a system administrator take precedence.'
            )
        },
        'companion.claude.askBeforeEdits': {
            type: 'boolean',
            default: true,
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/claudeAskBeforeEdits',
                'Start Claude Code so that it asks before it edits files: "Run Claude Code" adds --permission-mode manual. ' +
                    'Without it, Claude Code decides by itself, and no diff opens.'
            )
        },
        'companion.container.loopback': {
            type: 'string',
            ...choices({
                auto: nls.localize(
                    'theia/cli-companion/preferences/loopback/auto',
                    'In containers, unless the environment already decides.'
                ),
                always: nls.localize('theia/cli-companion/preferences/loopback/always', 'Always, unless the environment already decides.'),
                never: nls.localize(
                    'theia/cli-companion/preferences/loopback/never',
                    'Never. An inherited REMOTE_CONTAINERS variable stays.'
                )
            }),
            default: 'auto',
            scope: PreferenceScope.User,
            description: nls.localize(
                'theia/cli-companion/preferences/loopback',
                'Whether Gemini CLI looks for this IDE in its own container instead of on the Docker host. Applies to new terminals.'
            )
        }
    }
};

export const CompanionPreferences = Symbol('CompanionPreferences');
export type CompanionPreferences = PreferenceProxy<CompanionConfiguration>;

/**
 * `companion.enabled`. A cloned repository brings its workspace settings: they can switch the companion off, and not on. A value of another type means off,
 * as for `companion.context.share`.
 */
export function isCompanionEnabled(preferences: Pick<PreferenceService, 'inspect'>): boolean {
    const { sessionValue, globalValue, defaultValue, workspaceValue } = preferences.inspect('companion.enabled') ?? {};
    const own = [sessionValue, globalValue, defaultValue].find(value => value !== undefined);
    return [own, workspaceValue].every(value => value === undefined || value === true);
}

/**
 * Those of the backend, with what the user set, or else the application's or our default. Theia (1.74) lets a workspace set any preference,
 * whatever its `scope` says, so the effective value would be that of a cloned repository.
 *
 * @param preferences without them: as they are until a page says more
 */
export function backendPreferences(preferences?: Pick<PreferenceService, 'inspect'>): BackendPreferences {
    const valueOf = (name: string): unknown => {
        const { globalValue, defaultValue = companionPreferenceSchema.properties[name].default } = preferences?.inspect(name) ?? {};
        return globalValue ?? defaultValue;
    };
    return Object.fromEntries(BACKEND_PREFERENCES.map(name => [name, valueOf(name)])) as BackendPreferences;
}
