// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { expect } from 'chai';
import { restore, SinonFakeTimers, useFakeTimers } from 'sinon';
import { AgentState, AgentStatus } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { PageChanges } from './page-changes';
import { UndoMoment, UndoTime } from './undo-time';

const LATER = 'Undo When It Stops';
const NOW = 'Undo Now';

describe('When a change is undone', () => {
    const onDidChangeState = new Emitter<void>();
    let agents: AgentStatus[];
    let answers: Array<string | undefined>;
    let happened: string[];
    let cancel: () => void;
    let time: UndoTime;
    let clock: SinonFakeTimers;

    beforeEach(() => {
        clock = useFakeTimers();
        [agents, answers, happened, cancel] = [[], [], [], () => undefined];
        const services = new FakeServices();
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get state() {
                return { agents };
            }
        });
        services.bind(PageChanges, { look: async () => void happened.push('looked') });
        services.bind(QuickPickService, {
            show: async (items: ReadonlyArray<{ label: string; detail?: string }>, { placeholder }: { placeholder: string }) => {
                happened.push(
                    `${placeholder.split('.')[0]}: ${items.map(({ label, detail }) => (detail ? `${label} (${detail})` : label)).join(' · ')}`
                );
                const answer = answers.shift();
                return items.find(({ label }) => label === answer);
            }
        });
        services.bind(MessageService, {
            info: (text: string) => void happened.push(text),
            showProgress: async ({ text }: { text: string }, canceled: () => void) => {
                happened.push(text);
                cancel = canceled;
                return { cancel: () => void happened.push('no longer shown') };
            }
        });
        time = services.create(UndoTime);
    });
    afterEach(() => restore());

    function become(state: AgentState, name = 'Claude Code', shell = 7): void {
        agents = [...agents.filter(agent => agent.shell !== shell), { shell, name, state, since: 0 }];
        onDidChangeState.fire();
    }

    const comes = (...authors: string[]): Promise<UndoMoment | undefined> => time.comes([{ authors }]);
    const settle = async (): Promise<void> => void (await Promise.all(Array.from({ length: 20 }, () => Promise.resolve())));
    const ASKED = `Claude Code is working: ${LATER} · ${NOW} (It does not notice, and may write the file again.)`;
    const WAITS = 'Your undo waits until Claude Code stops or asks.';

    it('is at once unless its agent says that it works', async () => {
        become('working', 'Qwen Code', 8);
        for (const state of ['idle', 'blocked', 'done'] as const) {
            become(state);
            expect(await comes('Claude Code')).to.equal('now');
        }
        expect(await comes()).to.equal('now');
        expect(happened).to.deep.equal([]);
    });

    it('is asked once while the agent works, and again when it works the next time', async () => {
        become('working');
        answers = [NOW, NOW];
        expect(await comes('Claude Code')).to.equal('now');
        expect(await comes('Claude Code')).to.equal('now');
        expect(happened).to.deep.equal([ASKED]);
        become('done');
        become('working');
        await settle();
        await comes('Claude Code');
        expect(happened).to.deep.equal([ASKED, ASKED]);
    });

    it('nothing is undone if the user does not choose, who is asked again then', async () => {
        become('working');
        expect(await comes('Claude Code')).to.equal(undefined);
        answers = [NOW];
        expect(await comes('Claude Code')).to.equal('now');
    });

    it('is when the agent waits for its user; the list is read before', async () => {
        become('working');
        answers = [LATER];
        const all = [comes('Claude Code'), comes('Claude Code')];
        await settle();
        expect(happened).to.deep.equal([ASKED, WAITS]);
        become('working');
        become('blocked');
        expect(await Promise.all(all)).to.deep.equal(['later', 'later']);
        expect(happened).to.deep.equal([ASKED, WAITS, 'no longer shown', 'looked']);
    });

    it('is never if the user gives it up, or if the agent works on for too long', async () => {
        become('working');
        answers = [LATER, LATER];
        const givenUp = comes('Claude Code');
        await settle();
        cancel();
        expect(await givenUp).to.equal(undefined);
        const inVain = comes('Claude Code');
        await settle();
        await clock.tickAsync(10 * 60_000);
        expect(await inVain).to.equal(undefined);
        expect(happened.slice(-2)).to.deep.equal([
            'Claude Code is still working. Nothing was undone: try again when it stops.',
            'no longer shown'
        ]);
    });
});
