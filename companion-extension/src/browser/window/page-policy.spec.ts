// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { createPreferenceProxy, PreferenceSchemaService, PreferenceService } from '@theia/core/lib/common/preferences';
import { expect } from 'chai';
import {
    backendPreferences,
    companionPreferenceSchema,
    CompanionPreferences,
    isCompanionEnabled
} from '../../common/companion-preferences';
import { PolicyStatus } from '../status/policy-status';
import { FakeServices } from '../test/fake-services';
import { PagePolicy } from './page-policy';

const OPEN = 'companion.review.open';
const EXCLUDE = 'companion.context.exclude';
const NO_POLICY = { preferences: {}, clis: [], off: [] };

describe('The policy in a page', () => {
    let policy: PagePolicy;
    let status: PolicyStatus;
    let properties: Record<string, { description?: string; default?: unknown }>;

    beforeEach(() => {
        properties = { ...companionPreferenceSchema.properties };
        const services = new FakeServices();
        services.bind(PreferenceService, {
            inspect: (preferenceName: string) => ({ preferenceName, defaultValue: 'default', globalValue: 'user', workspaceValue: false })
        });
        services.bind(PreferenceSchemaService, {
            getSchemaProperty: (name: string) => properties[name],
            updateSchemaProperty: (name: string, property: object) => (properties[name] = property)
        });
        policy = services.create(PagePolicy);
        status = services.create(PolicyStatus);
    });

    it('counts before what user, workspace and application say, and leaves the others alone', () => {
        const values: Record<string, unknown> = { [OPEN]: 'background', 'companion.review.afterAccept': 'stay' };
        const service = { get: (name: string) => values[name] } as unknown as PreferenceService;
        const preferences: CompanionPreferences = policy.over(createPreferenceProxy(service, companionPreferenceSchema));
        // The container asks each service whether it is a promise.
        expect('then' in preferences).to.equal(false);
        expect(preferences[OPEN]).to.equal('background');
        policy.receive({ ...NO_POLICY, preferences: { [OPEN]: 'never', 'companion.enabled': true, 'companion.changes.track': 'off' } });
        expect([preferences[OPEN], preferences['companion.review.afterAccept']]).to.deep.equal(['never', 'stay']);
        expect(isCompanionEnabled(policy), 'off in the workspace').to.equal(true);
        expect(backendPreferences(policy)['companion.changes.track']).to.equal('off');
        expect(policy.inspect('companion.agentStatus')?.globalValue).to.equal('user');
    });

    it('is said in the description of a setting, and no longer when it has gone', () => {
        const before = properties[OPEN];
        policy.receive({ ...NO_POLICY, preferences: { [OPEN]: 'never', [EXCLUDE]: ['**/customers/**'] } });
        expect(properties[OPEN].description).to.equal(`Set by your administrator: what you set here does not count. ${before.description}`);
        expect(properties[OPEN].default, 'all else stays').to.equal('reveal');
        expect(properties[EXCLUDE].description).to.match(/^Set by your administrator: some patterns\. Yours are added to them\. /);
        policy.receive(undefined);
        expect(properties[OPEN]).to.deep.equal(before);
    });

    it('is in the status list, a row for each, and has none without a policy', () => {
        expect(status.sections()[0].rows).to.deep.equal([]);
        policy.receive({
            preferences: { [OPEN]: 'never', [EXCLUDE]: ['a', 'b'] },
            clis: ['Gemini CLI'],
            off: ['chat', 'uploads', 'undoWholeFiles']
        });
        const [{ title, rows }] = status.sections();
        expect(title).to.equal('Set by your administrator');
        expect(rows.map(({ label, description }) => `${label}: ${description}`)).to.deep.equal([
            'companion.review.open: never',
            'companion.context.exclude: a, b',
            'Gemini CLI: switched off',
            'Qwen in the chat: switched off',
            'Uploads for CLIs: switched off',
            'Undo of whole files: switched off'
        ]);
        expect(rows[0].args).to.deep.equal([OPEN]);
        expect(rows[0].sentences).to.deep.equal(['Set by your administrator: companion.review.open (never)']);
    });
});
