// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { expect } from 'chai';
import { CliTerminal } from '../../common/companion-protocol';
import { AgentsBackend } from '../../common/agents-protocol';
import { FakeServices } from '../test/fake-services';
import { CliTerminals } from './cli-terminals';
import { CompanionConnection } from './companion-connection';

describe('The terminals that CLIs run in', () => {
    let terminals: CliTerminals;
    let widgets: Array<{ processId: Promise<number> }>;
    let asked: number[];
    let found: CliTerminal[];
    let failure: Error | undefined;
    let opened: unknown[];

    beforeEach(() => {
        [widgets, asked, found, opened, failure] = [[], [], [], [], undefined];
        const services = new FakeServices();
        services.bind(TerminalService, {
            get all() {
                return widgets;
            },
            open: async (widget: unknown) => void opened.push(widget)
        });
        services.bind(AgentsBackend, {
            findCliTerminals: async (shells: number[]) => {
                asked = shells;
                return found;
            }
        });
        services.bind(CompanionConnection, { ask: async (call: () => Promise<unknown>) => (failure ? Promise.reject(failure) : call()) });
        terminals = services.create(CliTerminals);
    });

    function terminal(processId: Promise<number>): { processId: Promise<number> } {
        const widget = { processId };
        widgets.push(widget);
        return widget;
    }

    it('are those whose shell the backend knows', async () => {
        terminal(Promise.resolve(1));
        const widget = terminal(Promise.resolve(2));
        found = [
            { shell: 2, cliId: 'qwen-code', displayName: 'Qwen Code', mentionStyle: { form: 'escaped', unread: '' } },
            { shell: 3, cliId: 'qwen-code', displayName: 'of another page', mentionStyle: { form: 'escaped', unread: '' } }
        ];
        const clis = await terminals.find();
        expect(asked).to.deep.equal([1, 2]);
        expect(clis.map(({ displayName }) => displayName)).to.deep.equal(['Qwen Code']);
        await terminals.reveal(clis[0]);
        expect(opened).to.deep.equal([widget]);
    });

    it('are not asked for by a terminal that has no process', async () => {
        terminal(Promise.reject(new Error('not started')));
        terminal(Promise.resolve(-1));
        terminal(Promise.resolve(5));
        await terminals.find();
        expect(asked).to.deep.equal([5]);
    });

    it('get a line for their shell, while nothing else runs there', async () => {
        let isBusy = false;
        const typed: string[] = [];
        terminal(Promise.reject(new Error('not started')));
        const widget = terminal(Promise.resolve(5));
        Object.assign(widget, { hasChildProcesses: async () => isBusy, sendText: (text: string) => typed.push(text) });
        expect(await terminals.typeIntoShell(5, "cd '/ws'")).to.equal(true);
        expect([typed, opened]).to.deep.equal([["cd '/ws'"], [widget]]);
        isBusy = true;
        expect(await terminals.typeIntoShell(5, "cd '/ws'")).to.equal(false);
        expect(await terminals.typeIntoShell(6, "cd '/ws'")).to.equal(false);
        expect(typed).to.have.length(1);
    });

    it('are none if the backend does not answer', async () => {
        terminal(Promise.resolve(1));
        failure = new Error('no answer');
        expect(await terminals.find()).to.deep.equal([]);
    });
});
