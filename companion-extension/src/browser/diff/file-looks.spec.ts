// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { URI } from '@theia/core/lib/common/uri';
import { MessageService } from '@theia/core/lib/common/message-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { CompanionBackend, FileState } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { FileLooks } from './file-looks';

const FILE = new URI('file:///ws/a.txt');

describe('A file that the user wants to change', () => {
    let looks: FileLooks;
    let state: FileState;
    let said: string[];
    let clock: sinon.SinonFakeTimers;

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['performance'] });
        [state, said] = ['same', []];
        const services = new FakeServices();
        services.bind(CompanionBackend, { lookAtFile: async () => ({ state }) });
        services.bind(CompanionConnection, { ask: (call: () => Promise<unknown>) => call() });
        services.bind(WorkspacePaths, { display: (path: string) => path });
        services.bind(MessageService, { warn: async (text: string) => void said.push(text) });
        looks = services.create(FileLooks);
    });
    afterEach(() => clock.restore());

    it('is looked at first, without a word', async () => {
        expect(await looks.isReadable(FILE, 'text')).to.equal(true);
        expect(said).to.deep.equal([]);
    });

    it('is left alone if it does not answer, which is said; the same again within 30 s is done, which is said, too', async () => {
        state = 'silent';
        expect(await looks.isReadable(FILE, 'text')).to.equal(false);
        expect(said.join()).to.include('cannot be read now: /ws/a.txt');
        clock.tick(30_000);
        expect(await looks.isReadable(FILE, 'text')).to.equal(true);
        expect(said[1]).to.include('without a look at /ws/a.txt');
        expect(await looks.isReadable(FILE, 'text'), 'only the second time').to.equal(false);
        clock.tick(30_001);
        expect(await looks.isReadable(FILE, 'text'), 'too late').to.equal(false);
        clock.tick(1);
        expect(await looks.isReadable(FILE, 'another text'), 'not the same again').to.equal(false);
    });
});
