// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PassThrough } from 'stream';
import { Emitter } from '@theia/core/lib/common/event';
import { Container } from '@theia/core/shared/inversify';
import { IProcessExitEvent } from '@theia/process/lib/node/process';
import { BackendPreferences, backendPreferences } from '../../common/companion-preferences';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { ProcessScans } from '../host/process-scans';
import { ForegroundProgram, ProcessTable } from '../host/process-table';
import { eventually } from '../test/test-cli';
import { TerminalShell } from '../terminal/shell-observer';
import { AgentChange, Agents } from './agents';

const SHELL = 100;

describe('The programs in the terminals of a backend', () => {
    let agents: Agents;
    let changes: AgentChange[][];
    let output: PassThrough;
    let written: string[];
    let closed: Emitter<IProcessExitEvent>;
    let inFront: ForegroundProgram | undefined;
    let beforeAnswer: () => Promise<void> | undefined;
    let preferences: BackendPreferences;
    /** The processes whose shell was looked for. */
    let looks: number[];

    beforeEach(() => {
        changes = [];
        looks = [];
        written = [];
        output = new PassThrough({ encoding: 'utf8' });
        closed = new Emitter();
        inFront = { pid: 200, command: ['program'] };
        beforeAnswer = () => undefined;
        preferences = backendPreferences();
        const container = new Container();
        container.bind<Pick<SupportedClis, 'agentOf'>>(SupportedClis).toConstantValue({ agentOf: () => undefined });
        container.bind<unknown>(HostEnvironment).toConstantValue({ uid: undefined });
        container.bind<Pick<ProcessTable, 'foregroundOf' | 'foregroundPid' | 'shellOf' | 'scan'>>(ProcessTable).toConstantValue({
            foregroundPid: () => inFront?.pid,
            foregroundOf: async () => {
                const asked = inFront;
                await beforeAnswer();
                return asked;
            },
            scan: async () => [],
            shellOf: async pid => {
                looks.push(pid);
                return pid === 200 ? SHELL : undefined;
            }
        });
        container.bind(ProcessScans).toSelf();
        container.bind(Agents).toSelf();
        agents = container.get(Agents);
        agents.onDidChange(all => changes.push([...all]));
        const shell: TerminalShell = {
            pid: SHELL,
            write: text => void written.push(text),
            createOutputStream: () => Object.assign(output, { dispose: () => output.destroy() }) as never,
            onClose: closed.event,
            onError: new Emitter<never>().event
        };
        agents.follow(shell, () => preferences);
    });

    afterEach(() => closed.fire({}));

    function states(shell = SHELL): string[] {
        return agents.of(new Set([shell])).map(({ state }) => state);
    }

    async function until(...expected: string[]): Promise<void> {
        await eventually(`the state ${expected.join()}`, () => states().join() === expected.join());
    }

    it('take pastes if they say so, whether pages show what they do or not', async () => {
        Object.assign(preferences, { 'companion.agentStatus': false });
        output.write('\u001b[?2004h');
        await eventually('the mode', () => agents.takesPastes(SHELL));
        expect(agents.takesPastes(SHELL + 1)).to.equal(false);
        closed.fire({});
        expect(agents.takesPastes(SHELL)).to.equal(false);
    });

    it('are told to whoever has their terminals, and end with them', async () => {
        output.write('\u001b]7501;state=working\u0007');
        await until('working');
        expect(states(101)).to.deep.equal([]);
        closed.fire({});
        expect(states()).to.deep.equal([]);
        expect(changes.at(-1)).to.deep.equal([{ shell: SHELL, status: undefined }]);
    });

    it('end when their shell has the keyboard again, also if they say nothing', async () => {
        output.write('\u001b]7501;state=blocked\u0007');
        await until('blocked');
        inFront = { pid: SHELL, command: ['bash'] };
        await until();
    });

    it('are not ended by a look that began before they reported', async () => {
        inFront = { pid: SHELL, command: ['bash'] };
        const report = new Promise<void>(resolve => {
            beforeAnswer = async () => {
                beforeAnswer = () => undefined;
                inFront = { pid: 200, command: ['program'] };
                output.write('\u001b]7501;state=working\u0007');
                await new Promise(done => setTimeout(done, 20));
                resolve();
            };
        });
        output.write('$ program');
        await report;
        await until('working');
        await new Promise(resolve => setTimeout(resolve, 300));
        expect(states()).to.deep.equal(['working']);
    });

    it('wait with a proposal of a CLI that runs there', async () => {
        await agents.connect([
            { pid: 200, name: 'Qwen Code', reviewId: 'r1' },
            { pid: 200, name: 'Qwen Code', reviewId: undefined },
            { pid: 201, name: 'Elsewhere', reviewId: 'r2' }
        ]);
        await until('blocked');
        expect(agents.of(new Set([SHELL]))[0]).to.include({ name: 'Qwen Code', reviewId: 'r1' });
        await agents.connect([]);
        await until();
    });

    it('are looked for no more once other connections are told of', async () => {
        const connections = [1, 2, 3, 200].map(pid => ({ pid, name: 'Qwen Code', reviewId: 'r1' }));
        await Promise.all([agents.connect(connections), agents.connect(connections.slice(-1))]);
        expect(looks).to.deep.equal([1, 200]);
        await until('blocked');
    });

    it('are told of at most ten times in a second', async () => {
        const begin = performance.now();
        for (let count = 0; performance.now() - begin < 500; count++) {
            output.write(`\u001b]7501;state=${count % 2 ? 'working' : 'blocked'}\u0007`.repeat(25));
            await new Promise(resolve => setTimeout(resolve, 5));
        }
        output.write('\u001b]7501;state=done\u0007');
        await until('done');
        const seconds = (performance.now() - begin) / 1000;
        expect(changes.length).to.be.lessThanOrEqual(Math.ceil(seconds * 10) + 1);
    });

    it('are answered at once when they ask whether they are read, however long a look takes', async () => {
        beforeAnswer = () => new Promise<never>(() => undefined);
        output.write('\u001b]7501;?\u0007');
        await eventually('the answer', () => written.length > 0);
        expect(written).to.deep.equal(['\u001b]7501;?\u0007']);
    });

    it('are asked nothing and told nothing if the user does not want that', async () => {
        preferences['companion.agentStatus'] = false;
        await agents.connect([{ pid: 200, name: 'Qwen Code', reviewId: 'r1' }]);
        output.write('\u001b]7501;?\u0007\u001b]7501;state=working\u0007');
        await new Promise(resolve => setTimeout(resolve, 300));
        expect(written).to.deep.equal([]);
        expect(states()).to.deep.equal([]);
    });
});
