// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { FakeServices } from '../test/fake-services';
import { DiffEditors } from './diff-editors';
import { DiffRoom } from './diff-room';

describe('The room for a diff', () => {
    const onDidChangeVisibility = new Emitter<void>();
    let room: DiffRoom;
    let clock: sinon.SinonFakeTimers;
    let height: number;
    /** Theia makes the panel no lower. */
    let least: number;
    let missing: number;
    let shown: string[];
    let area: string;

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
        [height, least, missing, shown, area] = [400, 0, 0, [], 'main'];
        const services = new FakeServices();
        services.bind(DiffEditors, {
            onDidChangeVisibility: onDidChangeVisibility.event,
            get all() {
                return shown.map(() => ({ widget: { isVisible: true }, heightMissingFor: (lines: number) => missing * lines }));
            }
        });
        services.bind(ApplicationShell, {
            bottomPanel: { isVisible: true },
            getLayoutData: () => ({ bottomPanel: { size: height } }),
            getAreaFor: () => area,
            resize: (size: number) => (height = Math.max(size, least)),
            pendingUpdates: Promise.resolve()
        });
        room = services.create(DiffRoom);
        room.onStart();
    });

    afterEach(() => {
        room.onStop();
        clock.restore();
    });

    async function show(...ids: string[]): Promise<void> {
        shown = ids;
        onDidChangeVisibility.fire();
        await clock.tickAsync(1_000);
    }

    it('is taken from the panel while one is shown, and then given back', async () => {
        missing = 15;
        await show('a');
        expect(height).to.equal(250);
        await show('b');
        expect(height).to.equal(250);
        await show();
        expect(height).to.equal(400);
    });

    it('is not taken where there is enough, or for one in the panel itself', async () => {
        missing = -5;
        await show('a');
        [missing, area] = [15, 'bottom'];
        await show('b');
        expect(height).to.equal(400);
    });

    it('is given back also where Theia did not make the panel as low as it was asked to', async () => {
        [missing, least] = [100, 135];
        await show('a');
        expect(height).to.equal(135);
        await show();
        expect(height).to.equal(400);
    });

    it('leaves the panel a few lines, and is left to who moves the edge', async () => {
        missing = 100;
        await show('a');
        expect(height).to.equal(120);
        height = 180;
        await show();
        expect(height).to.equal(180);
    });
});
