// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { FakeServices } from '../test/fake-services';
import { PageReload } from './page-reload';

describe('A reload that the user has chosen', () => {
    afterEach(() => sinon.restore());

    it('is known while the page reloads, and no more if it goes on', () => {
        const clock = sinon.useFakeTimers({ now: 1_000_000, toFake: ['performance'] });
        const services = new FakeServices();
        const known: boolean[] = [];
        services.bind(WindowService, { reload: () => known.push(reload.isChosen) });
        const reload = services.create(PageReload);
        expect(reload.isChosen).to.equal(false);
        reload.start();
        clock.tick(60_000);
        expect([...known, reload.isChosen]).to.deep.equal([true, false]);
    });
});
