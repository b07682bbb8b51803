// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { ChangeSetElement } from '@theia/ai-chat/lib/common/change-set';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { sampleTool } from '../test/sample-permission';
import { ChangedFileElement } from './change-list';

const { shown } = ChatFixture;

describe('The list of files that Qwen changed', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    let edits = 0;
    const edit = (turnId: string, file: string, changes: Parameters<typeof sampleTool>[0] = {}): SessionEvent => ({
        kind: 'tool',
        turnId,
        tool: sampleTool({
            id: `call-${++edits}`,
            status: 'completed',
            diff: { path: `/work/project/${file}`, isNew: file.startsWith('new') },
            ...changes
        })
    });
    const end = (turnId: string): SessionEvent => ({ kind: 'end', turnId, outcome: 'completed' });
    /** Theia gathers changes for 100 ms. */
    const listed = async (chat: MutableChatModel = fixture.chat): Promise<ChangedFileElement[]> => {
        await new Promise<void>(resolve => {
            const listener = chat.changeSet.onDidChange(() => {
                listener.dispose();
                resolve();
            });
        });
        return chat.changeSet.getElements() as ChangedFileElement[];
    };
    const listedNow = async (chat: MutableChatModel): Promise<ChangedFileElement[]> => chat.changeSet.getElements() as ChangedFileElement[];
    const names = (elements: ChangedFileElement[]): string[] =>
        elements.map(({ name, additionalInfo, type }) => `${type} ${additionalInfo}/${name}`);
    const next = async (turnId: string): Promise<void> => {
        await fixture.ask(turnId);
        fixture.backend.say({ kind: 'turn', turnId, origin: 'own', prompt: turnId });
    };

    it('names each file of the turn once, without what failed, and opens it against its first earlier text', async () => {
        await fixture.begin();
        edits = 0;
        fixture.backend.say(
            edit('turn-1', 'src/a.ts'),
            edit('turn-1', 'new.ts'),
            edit('turn-1', 'src/a.ts'),
            edit('turn-1', 'refused.ts', { status: 'failed' }),
            edit('turn-1', 'running.ts', { status: 'running' })
        );
        const elements = await listed();
        expect(names(elements)).to.deep.equal(['modify src/a.ts', 'add /new.ts']);
        await elements[0].openChange();
        await elements[0].open();
        expect(fixture.diffs).to.deep.equal(['since turn-1 call-1', 'file /work/project/src/a.ts']);
    });

    it('reverts one file to its text before the turn, which the chat says and the list no longer has, also after a reload', async () => {
        const request = await fixture.begin();
        edits = 0;
        fixture.backend.say(edit('turn-1', 'one.ts'), edit('turn-1', 'two.ts'), edit('turn-1', 'one.ts'), end('turn-1'));
        const [one] = await listed();
        fixture.isReverted = false;
        await one.revert();
        expect(fixture.diffs).to.deep.equal(['revert call-1 call-3']);
        expect(shown(request).filter(text => text.startsWith('notice'))).to.be.empty;
        fixture.isReverted = true;
        await Promise.all([one.revert(), listed()]);
        expect(shown(request).at(-1)).to.equal('notice Reverted: one.ts');
        expect(names(await listedNow(fixture.chat))).to.deep.equal(['modify /two.ts']);
        expect(fixture.conversations.of(fixture.chat).changes.newest.map(({ diff }) => diff.path)).to.deep.equal(['/work/project/two.ts']);
    });

    it('keeps the files of a message that was edited since: they stayed as they were', async () => {
        const request = await fixture.begin();
        fixture.backend.say(edit('turn-1', 'one.ts'), end('turn-1'));
        await listed();
        const { message } = request;
        const edited = { ...message, request: { ...message.request, referencedRequestId: request.id } };
        await fixture.agent.invoke(fixture.chat.addRequest(edited, 'Qwen'));
        expect(fixture.chat.getRequests()).to.have.length(1);
        expect(fixture.conversations.of(fixture.chat).changes.newest.map(({ diff }) => diff.path)).to.deep.equal(['/work/project/one.ts']);
    });

    it('[F6] leaves what another agent proposes, of the same file as well', async () => {
        await fixture.begin();
        const theirs = (file: string): ChangeSetElement => ({
            uri: FileUri.create(`/work/project/${file}`),
            name: `theirs ${file}`,
            state: 'pending'
        });
        fixture.chat.changeSet.addElements(theirs('coder.ts'), theirs('both.ts'));
        fixture.backend.say(edit('turn-1', 'out.ts'), edit('turn-1', 'both.ts'));
        expect((await listed()).map(({ name }) => name)).to.deep.equal(['theirs coder.ts', 'theirs both.ts', 'out.ts']);
    });

    it('shows the newest turn with changes', async () => {
        await fixture.begin();
        fixture.backend.say(edit('turn-1', 'one.ts'), end('turn-1'));
        await next('turn-2');
        fixture.backend.say(edit('turn-2', 'two.ts'), end('turn-2'));
        await next('turn-3');
        fixture.backend.say({ kind: 'text', turnId: 'turn-3', text: 'Nothing to do.' }, end('turn-3'));
        expect(names(await listed())).to.deep.equal(['modify /two.ts']);
    });

    it('the list of files that Qwen changed is the same after a reload of the page', async () => {
        const request = await fixture.begin();
        fixture.backend.say(edit('turn-1', 'one.ts'), end('turn-1'));
        const restored = new MutableChatModel(JSON.parse(JSON.stringify(fixture.chat.toSerializable())));
        restored.getRequests()[0].response.response.addContents(request.response.response.content);
        const page = new ChatFixture();
        page.conversations.of(restored);
        expect(names(await listed(restored)).map(name => name.split('/').at(-1))).to.deep.equal(['one.ts']);
        page.connection.disable();
    });

    it('the list of files that Qwen changed stays where a turn that runs goes on in a message that is made again', async () => {
        const request = await fixture.begin();
        fixture.backend.say(edit('turn-1', 'one.ts'));
        const restored = new MutableChatModel(JSON.parse(JSON.stringify(fixture.chat.toSerializable())));
        restored.getRequests()[0].response.response.addContents(request.response.response.content);
        const page = new ChatFixture();
        page.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' }, edit('turn-1', 'one.ts')];
        const opened = page.conversations.of(restored).open();
        const elements = await listed(restored);
        await opened;
        expect(names(elements)).to.deep.equal(['modify /one.ts']);
        page.connection.disable();
    });
});
