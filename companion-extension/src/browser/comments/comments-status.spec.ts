// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Event } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { Comment } from '../../common/comments-protocol';
import { statusRow, statusServices } from '../test/status';
import { StatusSection } from '../window/status-section-contribution';
import { CommentsStatus } from './comments-status';
import { PageComments } from './page-comments';

function comment(id: string, more: Partial<Comment> = {}): Comment {
    return { id, uri: 'file:///ws/a.ts', first: 5, last: 6, quote: 'x', text: 'why\nso', isSent: false, daysLeft: 14, ...more };
}

function statusOf(drafts: Comment[], sent: Comment[] = []): CommentsStatus {
    const services = statusServices({});
    services.bind(PageComments, { drafts, sent, onDidChange: Event.None });
    return services.create(CommentsStatus);
}

function sections(drafts: Comment[], sent: Comment[] = []): StatusSection[] {
    return statusOf(drafts, sent).sections(0);
}

describe('The comments in the status', () => {
    it('take no room if there are none', () => {
        expect(sections([])).to.deep.equal([]);
    });

    it('are counted until they are sent, and a row opens each', () => {
        const draft = comment('a');
        const found = sections([draft], [comment('b', { isSent: true })]);
        expect(found[0].briefs?.map(({ text }) => text)).to.deep.equal(['1 comment']);
        const row = statusRow('comment a', found);
        expect(row).to.deep.include({ label: 'why', description: 'a.ts:5', command: 'companion.comments.open', args: [draft] });
        expect(row.buttons?.[0]).to.deep.include({ command: 'companion.comments.discard', args: [draft] });
        expect(statusRow('comment b', found).description).to.equal('a.ts:5 · sent');
        expect(statusRow('comments send', found).label).to.equal('Add Comments to CLI Prompt');
    });

    it('that were sent are not counted, and can be sent again', () => {
        const found = sections([], [comment('b', { isSent: true })]);
        expect(found[0].briefs).to.deep.equal([]);
        expect(statusRow('comments send', found).label).to.equal('Add the Same Comments to CLI Prompt Again');
    });

    it('that go soon say so, three days before', () => {
        expect(statusRow('comment a', sections([comment('a', { daysLeft: 4 })])).description).to.equal('a.ts:5');
        expect(statusRow('comment a', sections([comment('a', { daysLeft: 3 })])).description).to.equal('a.ts:5 · kept until Jan 4, 1970');
    });

    it('are a group of the changes, with their files, that opens, discards and sends them', () => {
        const draft = comment('a');
        expect(statusOf([]).groups()).to.deep.equal([]);
        const [group] = statusOf([draft], [comment('b', { isSent: true })]).groups();
        expect(group.buttons?.map(({ command }) => command)).to.deep.equal(['companion.comments.send']);
        expect(group.rows.map(({ description }) => description)).to.deep.equal(['why · a.ts:5', 'why · a.ts:5 · sent']);
        expect(group.rows[0]).to.deep.include({ uri: draft.uri, command: 'companion.comments.open', args: [draft] });
        expect(group.rows[0].buttons?.map(({ command }) => command)).to.deep.equal(['companion.comments.discard']);
    });
});
