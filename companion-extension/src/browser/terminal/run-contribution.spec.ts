// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import '@theia/core/lib/browser';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { expect } from 'chai';
import { StartableCli } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { CompanionConnection } from '../window/companion-connection';
import { CliStarter } from './cli-starter';
import { RunContribution } from './run-contribution';

describe('The command that runs a CLI', () => {
    let registered: FakeRegistries;
    let menu: string[];
    let started: string[];
    let state: { status: { clis: StartableCli[] } } | undefined;
    const onDidChangeState = new Emitter<void>();

    beforeEach(() => {
        [registered, menu, started, state] = [new FakeRegistries(), [], [], undefined];
        const services = new FakeServices();
        const getCommand = (id: string): unknown => registered.handlers.get(id);
        services.bind(CommandRegistry, { ...registered.commands, getCommand });
        services.bind(MenuModelRegistry, {
            registerMenuAction: (_: unknown, { commandId }: { commandId: string }) => menu.push(commandId)
        });
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get state() {
                return state;
            }
        });
        services.bind(CliStarter, { run: async ({ command }: StartableCli) => void started.push(command) });
        services.create(RunContribution).onStart();
    });

    function receive(command: string): void {
        state = { status: { clis: [{ id: 'claude-code', displayName: 'Claude Code', command }] } };
        onDidChangeState.fire();
    }

    it('starts it as the preferences say now', async () => {
        receive('claude');
        receive('claude --permission-mode manual');
        await registered.execute('companion.run.claude-code');
        expect(started).to.deep.equal(['claude --permission-mode manual']);
        expect(menu).to.deep.equal(['companion.run.claude-code']);
    });
});
