// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { ChangeOutcomes } from './change-outcomes';
import { ChangeOutcome } from './change-undo';

const uriOf = (name: string): string => `file:///ws/${name}`;

describe('What is said of changes that were not answered', () => {
    let outcomes: ChangeOutcomes;
    let said: string[];

    beforeEach(() => {
        said = [];
        const services = new FakeServices();
        services.bind(MessageService, {
            info: (text: string) => void said.push(text),
            error: (text: string) => void said.push(`error: ${text}`)
        });
        outcomes = services.create(ChangeOutcomes);
    });

    it('each reason is said once, with its files, and what is done is not', async () => {
        const done = await outcomes.doneOf(async () => ({
            done: [uriOf('e.ts')],
            left: [
                { uri: uriOf('a.ts'), reason: 'changed' },
                { uri: uriOf('b.ts'), reason: 'edited' },
                { uri: uriOf('c.ts'), reason: 'changed' },
                { uri: uriOf('d.ts'), reason: 'failed', cause: 'EACCES' },
                { uri: uriOf('folder/'), reason: 'no-room' }
            ]
        }));
        expect(done).to.deep.equal([uriOf('e.ts')]);
        expect(said).to.deep.equal([
            'a.ts, c.ts have changed since this was shown. Look at them, then try again.',
            'Save or undo your own edits of b.ts first.',
            'Could not be written, and stays listed: d.ts: EACCES',
            'Not undone, because there is no room to store what Undo would take away: folder'
        ]);
    });

    it('the same of files that are answered one by one', async () => {
        const files = Array.from({ length: 25 }, (_, index) => ({ uri: uriOf(`${index}.ts`) }));
        const answer = async ({ uri }: { uri: string }): Promise<ChangeOutcome> => (/\/1?7/.test(uri) ? 'changed' : 'done');
        const done = await outcomes.decide(files, answer);
        expect(done).to.deep.equal(files.filter((_, index) => index !== 7 && index !== 17));
        expect(said).to.deep.equal(['7.ts, 17.ts have changed since this was shown. Look at them, then try again.']);
    });

    it('what was done before an error counts', async () => {
        const fail = async (): Promise<never> => {
            throw new Error('The backend is gone.');
        };
        expect(await outcomes.doneOf(fail)).to.deep.equal([]);
        const files = Array.from({ length: 11 }, (_, index) => ({ uri: uriOf(`${index}.ts`) }));
        const done = await outcomes.decide(files, async ({ uri }) => (uri === uriOf('10.ts') ? fail() : 'done'));
        expect(done).to.deep.equal(files.slice(0, 10));
        expect(said).to.deep.equal(['error: The backend is gone.', 'error: The backend is gone.']);
    });
});
