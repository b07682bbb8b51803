// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { StatusBar } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { Event } from '@theia/core/lib/common/event';
import { Container } from '@theia/core/shared/inversify';
import { expect } from 'chai';
import { ContributionGuard } from '../../common/contribution-guard';
import { PageAgents } from '../agents/page-agents';
import { ContextFilter } from '../context/context-filter';
import { ContextTracker } from '../context/context-tracker';
import { KeptEdits } from '../review/kept-edits';
import { PageReviews } from '../review/page-reviews';
import { ReviewEditors } from '../review/review-editors';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { CompanionStatusContribution } from './companion-status';
import { DiagnosedFixes } from './diagnosed-fixes';
import { StatusActions } from './status-actions';
import { StatusPick } from './status-pick';

describe('The element in the status bar', () => {
    let known: Array<{ id: string; isWaiting: boolean }>;

    function text(): string {
        let shown = '';
        const container = new Container();
        const bind = (service: unknown, value: object): void => void container.bind<unknown>(service as symbol).toConstantValue(value);
        bind(StatusBar, { setElement: async (_: string, entry: { text: string }) => void (shown = entry.text) });
        bind(CompanionConnection, {
            onDidChangeState: Event.None,
            connected: true,
            reloadNeeded: false,
            state: {
                reviews: [{ id: 'review', path: '/ws/a', openedAt: 0 }],
                status: { state: 'ready', problems: [], connections: [], clis: [] },
                changes: { version: 0, count: 0 }
            }
        });
        bind(ContextFilter, { onDidChange: Event.None, sharing: true });
        bind(ContextTracker, { onDidChange: Event.None, shared: {}, withheld: [] });
        bind(PageReviews, { get: (id: string) => known.find(review => review.id === id) });
        bind(KeptEdits, { all: [] });
        bind(ReviewEditors, { onDidCompare: Event.None, editorsOf: () => [] });
        bind(PageAgents, { all: [], onDidChange: Event.None });
        bind(WorkspacePaths, { display: (path: string) => path, name: (path: string) => path });
        bind(StatusActions, { labelOf: () => undefined });
        bind(ContributionGuard, { failures: [] });
        bind(DiagnosedFixes, new DiagnosedFixes());
        bind(StatusPick, { refresh: () => undefined });
        container.bind(CompanionStatusContribution).toSelf();
        container.get(CompanionStatusContribution).onStart();
        return shown;
    }

    it('counts a review that the page has not received yet, because its layout is being restored', () => {
        known = [];
        expect(text()).to.equal('$(git-compare) Companion, 1 proposal waiting');
    });

    it('no longer counts one that the user has answered here', () => {
        known = [{ id: 'review', isWaiting: false }];
        expect(text()).to.equal('$(plug) Companion');
    });
});
