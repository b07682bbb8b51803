// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Event } from '@theia/core/lib/common/event';
import { timeout } from '@theia/core/lib/common/promise-util';
import { Container } from '@theia/core/shared/inversify';
import { expect } from 'chai';
import { CompanionFolder } from '../discovery/companion-folder';
import { WindowFeature } from './window-feature';
import { WindowStates } from './window-states';
import { Windows } from './windows';

describe('WindowStates', () => {
    it('end when every feature has ended: one that fails cuts no other one short', async () => {
        let isStored = false;
        const failing = { onDidChange: Event.None, stateOf: () => ({}), stop: () => Promise.reject(new Error('It fails')) };
        const storing = { ...failing, stop: () => timeout(20).then(() => void (isStored = true)) };
        const container = new Container();
        container.bind<unknown>(Windows).toConstantValue({});
        container.bind<unknown>(CompanionFolder).toConstantValue({});
        const features: ContributionProvider<WindowFeature> = { getContributions: () => [failing, storing] };
        container.bind(ContributionProvider).toConstantValue(features).whenTargetNamed(WindowFeature);
        container.bind(WindowStates).toSelf();
        const refused = await container
            .get(WindowStates)
            .stop()
            .catch((error: Error) => error.message);
        expect(refused).to.equal('It fails');
        expect(isStored).to.equal(true);
    });
});
