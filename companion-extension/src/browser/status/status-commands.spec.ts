// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { expect } from 'chai';
import { STATUS_COMMANDS } from './status-command-ids';
import { PageReload } from '../window/page-reload';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { StatusCommands } from './status-commands';
import { testPolicy } from '../test/page-policy';
import { PagePolicy } from '../window/page-policy';

const { CHECK_CONNECTION, COPY, TELL_PROBLEM } = SHARED_COMMANDS;
const { RELOAD, TURN_ON } = STATUS_COMMANDS;

describe('A row of the companion', () => {
    let commands: StatusCommands;
    let registered: FakeRegistries;
    /** What happened, in order. */
    let happened: string[];
    let said: string[];
    let buttons: unknown[];
    let pressed: string | undefined;
    let missing: string[];
    let policy: PagePolicy;
    /** `companion.enabled`, by scopes. */
    let enabled: { user?: boolean; workspace?: boolean; session?: boolean };

    beforeEach(() => {
        [happened, said, buttons, missing, enabled, pressed] = [[], [], [], [], {}, undefined];
        const services = new FakeServices();
        services.bind(CommandRegistry, {
            executeCommand: async (id: string) => void happened.push(id),
            getCommand: (id: string) => (missing.includes(id) ? undefined : { id, label: `label of ${id}` })
        });
        const preferences = {
            inspect: () => ({
                sessionValue: enabled.session,
                globalValue: enabled.user,
                workspaceValue: enabled.workspace,
                defaultValue: true
            }),
            set: async (_: string, value: boolean, scope: PreferenceScope) => {
                enabled[scope === PreferenceScope.User ? 'user' : 'workspace'] = value;
                happened.push(`set ${PreferenceScope[scope]}`);
            }
        };
        services.bind(PreferenceService, preferences);
        services.bind(PagePolicy, (policy = testPolicy(preferences as unknown as PreferenceService)));
        services.bind(PageReload, { start: () => happened.push('reload') });
        services.bind(ClipboardService, { writeText: async (text: string) => void happened.push(`copied ${text}`) });
        services.bind(MessageService, {
            info: async (text: string) => void said.push(text),
            warn: async (text: string, _: object, ...labels: unknown[]) => {
                said.push(text);
                buttons = labels;
                return pressed;
            }
        });
        commands = services.create(StatusCommands);
        registered = new FakeRegistries();
        commands.registerCommands(registered.commands);
    });

    it('reloads the page, and copies', async () => {
        await registered.execute(RELOAD.id);
        await registered.execute(COPY.id, 'qwen --ide');
        expect(happened).to.deep.equal(['reload', 'copied qwen --ide']);
    });

    it('offers to reload the page that a restarted backend refuses', async () => {
        await commands.offerReload();
        expect(happened).to.deep.equal([]);
        pressed = 'Reload This Page';
        await commands.offerReload();
        expect(said[1]).to.include('then reload this page to reconnect');
        expect(happened).to.deep.equal(['reload']);
    });

    it('turns the companion on where it was turned off, and nowhere else', async () => {
        enabled = { workspace: false };
        await registered.execute(TURN_ON.id);
        expect(happened).to.deep.equal(['set Workspace']);
        enabled = { user: false };
        await registered.execute(TURN_ON.id);
        expect(happened).to.deep.equal(['set Workspace', 'set User']);
        enabled = { user: false, workspace: false };
        await registered.execute(TURN_ON.id);
        expect(happened.slice(2)).to.deep.equal(['set Workspace', 'set User']);
        expect(new Set(said)).to.deep.equal(
            new Set(['The companion is on. To connect a CLI that is already running, type /ide enable in it.'])
        );
    });

    it('says so if the companion stays off, because the IDE was started without it', async () => {
        enabled = { session: false };
        await registered.execute(TURN_ON.id);
        expect(said).to.deep.equal(['The companion is still off: the IDE was started with companion.enabled set to false.']);
    });

    it('changes no setting if a policy has turned the companion off', async () => {
        policy.receive({ preferences: { 'companion.enabled': false }, clis: [], off: [] });
        await registered.execute(TURN_ON.id);
        expect(said).to.deep.equal(['Set by your administrator: what you set here does not count.']);
        expect(happened).to.deep.equal([]);
    });

    it('of a problem offers what mends it: a command to copy, and the diagnosis', async () => {
        const diagnose = `label of ${CHECK_CONNECTION.id}`;
        pressed = 'Copy Command';
        await registered.execute(TELL_PROBLEM.id, 'IDE mode is off', 'qwen --ide');
        expect(buttons).to.deep.equal(['Copy Command', diagnose]);
        pressed = diagnose;
        await registered.execute(TELL_PROBLEM.id, 'IDE mode is off', 'qwen --ide');
        expect(happened).to.deep.equal(['copied qwen --ide', CHECK_CONNECTION.id]);
    });

    it('of a problem that is closed, or has nothing to copy, copies nothing', async () => {
        await registered.execute(TELL_PROBLEM.id, 'IDE mode is off', 'qwen --ide');
        missing = [CHECK_CONNECTION.id];
        await registered.execute(TELL_PROBLEM.id, 'Nothing helps', undefined);
        expect(buttons).to.deep.equal([]);
        expect(happened).to.deep.equal([]);
    });
});
