// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { codicon } from '@theia/core/lib/browser/widgets/widget';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { QuickInputService } from '@theia/core/lib/common/quick-pick-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { MIN_VISIBLE_MS } from '../../common/companion-limits';
import { ReviewInfo } from '../../common/companion-protocol';
import { AnswerGuard } from '../window/answer-guard';
import { FakeServices } from '../test/fake-services';
import { StatusPick } from './status-pick';
import { StatusRow, StatusSection } from '../window/status-section-contribution';

interface Item {
    readonly id?: string;
    readonly label: string;
    readonly type?: string;
}

describe('The list that opens from the status bar', () => {
    let list: StatusPick;
    let clock: sinon.SinonFakeTimers;
    let isListed: unknown;
    let ran: string[];
    const hidden = new Emitter<void>();
    const accepted = new Emitter<void>();
    const triggered = new Emitter<{ item: Item; button: { iconClass: string } }>();
    let pick: { items: Item[]; activeItems: Item[]; isShown: boolean };

    beforeEach(() => {
        ran = [];
        const services = new FakeServices();
        services.bindReal(AnswerGuard);
        services.bind(CommandRegistry, { executeCommand: async (...command: string[]) => void ran.push(command.join(' ')) });
        services.bind(ContextKeyService, { createKey: () => ({ set: (value: unknown) => (isListed = value) }) });
        services.bind(QuickInputService, {
            createQuickPick: () => {
                const created = {
                    items: [] as Item[],
                    activeItems: [] as Item[],
                    isShown: false,
                    onDidHide: hidden.event,
                    onDidAccept: accepted.event,
                    onDidTriggerItemButton: triggered.event,
                    show: () => (created.isShown = true),
                    hide: () => {
                        created.isShown = false;
                        hidden.fire();
                    },
                    dispose: () => undefined
                };
                pick = created;
                return created;
            }
        });
        list = services.create(StatusPick);
        clock = sinon.useFakeTimers({ toFake: ['performance'], now: MIN_VISIBLE_MS });
        clock.tick(MIN_VISIBLE_MS);
    });

    afterEach(() => clock.restore());

    function row(id: string): StatusRow {
        return {
            id,
            icon: 'git-compare',
            label: `$(flame) ${id}`,
            buttons: [{ icon: 'check', tooltip: 'Accept', command: 'accept', args: [id] }],
            review: { id } as ReviewInfo,
            command: 'open',
            args: [id]
        };
    }

    function sections(...ids: string[]): StatusSection[] {
        return [{ id: 'waiting', order: 10, title: 'Waiting for you', rows: ids.map(row) }];
    }

    it('shows a title and the rows below it, their texts as text', () => {
        list.show(sections('a', 'b'));
        expect(pick.isShown).to.equal(true);
        expect(pick.items.map(({ type, id }) => type ?? id)).to.deep.equal(['separator', 'a', 'b']);
        expect(pick.items[1].label).to.equal('$\u200b(flame) a');
    });

    it('Enter closes it and runs the highlighted row', () => {
        list.show(sections('a', 'b'));
        pick.activeItems = [pick.items[2]];
        expect([list.isOpen, isListed, list.activeReview?.id]).to.deep.equal([true, true, 'b']);
        accepted.fire();
        expect(ran).to.deep.equal(['open b']);
        expect([list.isOpen, isListed]).to.deep.equal([false, false]);
    });

    it('a button runs its own row', () => {
        list.show(sections('a', 'b'));
        triggered.fire({ item: pick.items[2], button: { iconClass: codicon('check') } });
        expect(ran).to.deep.equal(['accept b']);
    });

    it('a click on a button that has just moved answers nothing', () => {
        list.show(sections('a', 'b'));
        list.refresh(sections('b'));
        triggered.fire({ item: pick.items[1], button: { iconClass: codicon('check') } });
        expect(ran).to.deep.equal([]);
        clock.tick(MIN_VISIBLE_MS);
        triggered.fire({ item: pick.items[1], button: { iconClass: codicon('check') } });
        expect(ran).to.deep.equal(['accept b']);
    });

    it('keeps the highlighted row when others come, and highlights none when it has ended', () => {
        list.show(sections('a', 'b'));
        pick.activeItems = [pick.items[2]];
        list.refresh(sections('new', 'a', 'b'));
        expect(pick.activeItems.map(({ id }) => id)).to.deep.equal(['b']);
        list.refresh(sections('new', 'a'));
        expect(pick.activeItems).to.deep.equal([]);
    });

    it('is not filled while it is closed', () => {
        list.refresh(sections('a'));
        expect(list.isOpen).to.equal(false);
    });
});
