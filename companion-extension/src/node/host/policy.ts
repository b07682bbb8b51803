// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { BackendPreferences, CompanionConfiguration, companionPreferenceSchema, EXCLUDE } from '../../common/companion-preferences';
import { IdeContext, PolicySwitch, WindowSnapshot } from '../../common/companion-protocol';
import { ExcludeGlob } from '../../common/patterns/exclude-glob';
import { PathNames } from '../../common/patterns/path-names';
import { describeCause, FaultError } from './fault-error';
import { HostEnvironment } from './host-environment';
import { isInside } from './paths';
import { PolicyFile } from './policy-file';
import { Problems } from './problems';

export const POLICY_VARIABLE = 'THEIA_CLI_COMPANION_POLICY';

const SWITCHES: readonly PolicySwitch[] = ['chat', 'uploads', 'undoWholeFiles'];

/** What the file says. */
type PolicyRules = { readonly [name in PolicySwitch]?: boolean } & {
    readonly preferences?: Partial<CompanionConfiguration>;
    /** The ids of the only CLIs that are served; all if it is left out. */
    readonly clis?: readonly string[];
};

/** A file that cannot be trusted, or understood, might have said no to anything. */
const NOTHING_SERVED: PolicyRules = { clis: [], chat: false };

/**
 * What the owner of the platform has decided for its users. Read once; without a file all is as users and products want it.
 *
 * Promised: `allows`, `serves` and `preferences`.
 * @since 0.1
 */
@injectable()
export class Policy {
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;
    @inject(Problems)
    protected readonly problems: Problems;

    /** What the user cannot set; with `companion.context.exclude` what the user cannot take back. */
    preferences: Partial<CompanionConfiguration> = {};
    protected rules: PolicyRules = {};
    protected globs: readonly ExcludeGlob[] = [];

    @postConstruct()
    protected init(): void {
        const file = this.find();
        if (file) {
            try {
                this.rules = parseRules(file.read());
            } catch (error) {
                this.rules = NOTHING_SERVED;
                this.problems.report('policy', [{ code: 'policy', file: file.path, fault: FaultError.faultOf(error) }]);
            }
        }
        this.preferences = this.rules.preferences ?? {};
        this.globs = (this.preferences[EXCLUDE] ?? []).flatMap(text => ExcludeGlob.parse(text, 'folders') ?? []);
    }

    /** Whether the platform has decided anything, in a file that counts. */
    get isSet(): boolean {
        return this.rules !== NOTHING_SERVED && Object.keys(this.rules).length > 0;
    }

    /** Only the system's own one may be missing. */
    protected find(): PolicyFile | undefined {
        const [system, named] = [this.host.policyFile, this.host.variables[POLICY_VARIABLE] ?? ''].map(
            file => new PolicyFile(file, this.host)
        );
        return system.isMissing ? (named.path === '' ? undefined : named) : system;
    }

    serves(cliId: string): boolean {
        return this.rules.clis?.includes(cliId) ?? true;
    }

    allows(what: PolicySwitch): boolean {
        return this.rules[what] ?? true;
    }

    /** What users cannot do. */
    get off(): PolicySwitch[] {
        return SWITCHES.filter(what => !this.allows(what));
    }

    /** What a page says of its window, but for what it has no say in. */
    override(window: WindowSnapshot): WindowSnapshot {
        const exclude = this.preferences[EXCLUDE];
        return {
            ...window,
            enabled: this.preferences['companion.enabled'] ?? window.enabled,
            reviewOpen: this.preferences['companion.review.open'] ?? window.reviewOpen,
            preferences: this.overridePreferences(window.preferences),
            // As those of a workspace they add up, and nobody takes them back.
            excludes: [...window.excludes, ...(exclude ? [{ scope: PreferenceScope.Workspace, value: exclude }] : [])]
        };
    }

    overridePreferences(preferences: BackendPreferences): BackendPreferences {
        const names = Object.keys(preferences) as Array<keyof BackendPreferences>;
        return Object.fromEntries(names.map(name => [name, this.preferences[name] ?? preferences[name]])) as BackendPreferences;
    }

    /** What CLIs may know of the editors, whatever a page sends. @param folders of the window, by all their names */
    overrideContext(context: IdeContext, folders: readonly string[]): IdeContext {
        const { openFiles = [], ...state } = context.workspaceState ?? {};
        const shared = openFiles.filter(file => !this.withholds(file.path, folders));
        return shared.length === openFiles.length ? context : { ...context, workspaceState: { ...state, openFiles: shared } };
    }

    /** By its name: only pages follow links. @param file absolute. @param folders of the window, by all their names */
    withholds(file: string, folders: readonly string[]): boolean {
        const namesIn = (folder: string): PathNames[] => (isInside(folder, file) ? [new PathNames(path.relative(folder, file))] : []);
        const names = { absolute: new PathNames(file), inRoots: folders.flatMap(namesIn), inHome: namesIn(this.host.homeFolder)[0] };
        return this.preferences['companion.context.share'] === false || this.globs.some(glob => glob.matches(names));
    }
}

function parseRules(text: string): PolicyRules {
    const rules = parseObject(text);
    const { preferences = {} } = rules;
    for (const [key, value] of Object.entries(rules)) {
        check(key === 'preferences' ? isObject(value) : key === 'clis' ? isListOf(value, isText) : isSwitch(key, value), key);
    }
    for (const [key, value] of Object.entries(preferences as object)) {
        check(isPreference(key, value), key);
    }
    return rules;
}

function parseObject(text: string): Record<string, unknown> {
    try {
        const parsed: unknown = JSON.parse(text);
        if (isObject(parsed)) {
            return parsed;
        }
    } catch (error) {
        throw new FaultError({ code: 'policy-not-json', cause: describeCause(error) });
    }
    throw new FaultError({ code: 'policy-not-json', cause: '{}' });
}

function check(isRight: boolean, key: string): void {
    if (!isRight) {
        throw new FaultError({ code: 'policy-wrong', key });
    }
}

function isPreference(name: string, value: unknown): boolean {
    const known = Object.hasOwn(companionPreferenceSchema.properties, name) ? companionPreferenceSchema.properties[name] : undefined;
    switch (name) {
        case EXCLUDE:
            return isListOf(
                value,
                each => isText(each) && !each.trim().startsWith('!') && ExcludeGlob.parse(each, 'folders') !== undefined
            );
        case 'companion.agents':
            return isListOf(value, isAgent);
        default:
            return known?.enum ? known.enum.some(choice => choice === value) : known !== undefined && typeof value === known.type;
    }
}

function isSwitch(name: string, value: unknown): boolean {
    return SWITCHES.some(what => what === name) && typeof value === 'boolean';
}

function isAgent(value: unknown): boolean {
    const { command, name = '' } = isObject(value) ? value : { command: value };
    return isText(command) && /^[^\s/]+$/.test(command) && isText(name);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
    return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
    return typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
