// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { DiffUris } from '@theia/core/lib/browser/diff-uris';
import { OpenerService } from '@theia/core/lib/browser/opener-service';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ChangesBackend, UndoneTexts } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { toWire } from '../../common/diff/raw-text';
import { ReviewBackend } from '../../common/review-protocol';
import { FileEncodings } from '../diff/file-encodings';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { PastDiffs } from './past-diffs';

const FILE = 'file:///ws/a%20b.ts';
const AT = new Date(2026, 10, 28, 9, 31).getTime();

describe('What was undone or accepted', () => {
    let kept: UndoneTexts | undefined;
    let asked: string[];
    let opened: URI[];
    let past: PastDiffs;

    beforeEach(() => {
        [kept, asked, opened] = [{ before: toWire('old\n'), after: toWire('new\n') }, [], []];
        const read = async (...of: string[]): Promise<UndoneTexts | undefined> => {
            asked.push(of.join(' '));
            return kept;
        };
        const services = new FakeServices();
        services.bind(ChangesBackend, { readUndone: (id: string, uri: string) => read('undone', id, uri) });
        services.bind(ReviewBackend, { readAccepted: (id: string) => read('accepted', id) });
        services.bind(CompanionConnection, { ready: Promise.resolve(), ask: (call: () => Promise<unknown>) => call() });
        services.bind(FileEncodings, { textOf: async (_: URI, raw: string) => raw });
        const opener = { open: async (uri: URI) => void opened.push(uri) };
        services.bind(OpenerService, { getOpener: async () => opener });
        past = services.create(PastDiffs);
    });

    async function sides(): Promise<string[]> {
        const [left, right] = DiffUris.decode(opened[0]);
        return Promise.all([left, right].map(uri => past.resolve(uri).readContents()));
    }

    const label = (): string => new URI(opened[0].toString()).path.toString();

    it('is shown with both texts of then, whose it was and when', async () => {
        await past.show({ id: 'undo-1', uri: FILE, at: AT, authors: ['Qwen Code'] });
        expect(await sides()).to.deep.equal(['old\n', 'new\n']);
        expect([...new Set(asked)]).to.deep.equal([`undone undo-1 ${FILE}`]);
        expect(label()).to.match(/a b\.ts \(undone, 9:31.AM · Qwen Code\)/);
    });

    it('is the same for what was accepted', async () => {
        await past.show({ id: 'review-1', uri: FILE, cliName: 'Claude Code', verdict: 'written', acceptedAt: AT } as AcceptedProposal);
        expect(await sides()).to.deep.equal(['old\n', 'new\n']);
        expect([...new Set(asked)]).to.deep.equal(['accepted review-1']);
        expect(label()).to.match(/a b\.ts \(accepted, 9:31.AM · Claude Code\)/);
    });

    it('has an empty side where there was no file; without texts it is the file itself', async () => {
        kept = { after: toWire('made\n') };
        await past.show({ id: 'undo-1', uri: FILE, at: AT });
        expect(await sides()).to.deep.equal(['', 'made\n']);
        [kept, opened] = [undefined, []];
        await past.show({ id: 'undo-1', uri: FILE, at: AT });
        expect(opened.map(String)).to.deep.equal([FILE]);
    });

    it('leaves other schemes to others', () => {
        expect(() => past.resolve(new URI(FILE))).to.throw('Not a text of then');
    });
});
