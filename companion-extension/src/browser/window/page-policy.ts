// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceInspection, PreferenceSchemaService, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import {
    CompanionConfiguration,
    companionPreferenceSchema,
    CompanionPreferences,
    EXCLUDE,
    SHARE
} from '../../common/companion-preferences';
import { PolicyState, PolicySwitch } from '../../common/companion-protocol';
import { ScopedValue } from '../../common/scoped-value';
import { joinSentences } from '../../common/sentences';
import { ScopedPreferences } from './scoped-preferences';

type Name = keyof CompanionConfiguration;

/** What the owner of the platform has decided, as the backend tells it with the window's state. Whoever acts on a preference asks it first. */
@injectable()
export class PagePolicy {
    @inject(PreferenceService)
    protected readonly preferences: Pick<PreferenceService, 'inspect'>;
    @inject(PreferenceSchemaService)
    protected readonly schemas: Pick<PreferenceSchemaService, 'getSchemaProperty' | 'updateSchemaProperty'>;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    state: PolicyState = { preferences: {}, clis: [], off: [] };

    /** It stays the same while the backend runs. */
    receive(state: PolicyState | undefined): void {
        const { state: before } = this;
        const now = state ?? { preferences: {}, clis: [], off: [] };
        if (JSON.stringify(now) !== JSON.stringify(before)) {
            this.state = now;
            Object.keys({ ...before.preferences, ...now.preferences }).forEach(name => this.describe(name as Name));
            this.onDidChangeEmitter.fire();
        }
    }

    allows(what: PolicySwitch): boolean {
        return !this.state.off.includes(what);
    }

    /** Whether the user has no say. The user's `companion.context.exclude` counts, too. */
    isLocked(name: string): boolean {
        return name !== EXCLUDE && name in this.state.preferences;
    }

    /** As that of Theia's service; a value that is set counts as the user's, and nothing else. */
    inspect<T>(name: string): PreferenceInspection<T> | undefined {
        const found = this.preferences.inspect(name);
        const globalValue = this.state.preferences[name as Name];
        const inspection = found && this.isLocked(name) ? { ...NO_VALUES, preferenceName: name, globalValue, value: globalValue } : found;
        return inspection as PreferenceInspection<T> | undefined;
    }

    /** The values of a preference about sharing, as they count. */
    narrow(name: typeof SHARE | typeof EXCLUDE, scoped: Pick<ScopedPreferences, 'valuesOf'>): ScopedValue[] {
        const value = this.state.preferences[name];
        if (value === undefined) {
            return scoped.valuesOf(name);
        }
        // As those of a workspace, patterns add up, and nobody takes them back.
        return name === SHARE
            ? [{ scope: PreferenceScope.User, value }]
            : [...scoped.valuesOf(name), { scope: PreferenceScope.Workspace, value }];
    }

    /** The preferences as they count. Not over Theia's own proxy, of which JavaScript takes no other one (1.74). */
    over(preferences: CompanionPreferences): CompanionPreferences {
        return new Proxy({} as CompanionPreferences, {
            get: (_, name) => (this.isLocked(String(name)) ? this.state.preferences[name as Name] : Reflect.get(preferences, name))
        });
    }

    /** Theia's settings view has no place for it (1.74). */
    protected describe(name: Name): void {
        const property = this.schemas.getSchemaProperty(name);
        const { description } = companionPreferenceSchema.properties[name];
        if (property) {
            const said = this.isLocked(name) ? lockedText() : name in this.state.preferences ? addedText() : undefined;
            this.schemas.updateSchemaProperty(name, { ...property, description: joinSentences([said, description]) });
        }
    }
}

const NO_VALUES = {
    defaultValue: undefined,
    sessionValue: undefined,
    workspaceValue: undefined,
    workspaceFolderValue: undefined
};

export function lockedText(): string {
    return nls.localize('theia/cli-companion/policy/locked', 'Set by your administrator: what you set here does not count.');
}

function addedText(): string {
    return nls.localize('theia/cli-companion/policy/added', 'Set by your administrator: some patterns. Yours are added to them.');
}
