// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { IShellTerminalServerOptions, ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { TerminalWindowId } from './terminal-window-id';

describe('TerminalWindowId', () => {
    let clock: SinonFakeTimers;
    let greeted: Deferred<void>;
    let created: IShellTerminalServerOptions[];
    let connection: { ready: Promise<void>; greeted: boolean; failure: string | undefined };
    let windowId: () => string;
    let server: ShellTerminalServerProxy;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        greeted = new Deferred();
        created = [];
        windowId = () => 'w1';
        const theia: Partial<ShellTerminalServerProxy> = {
            create: async options => {
                created.push(options);
                return 7;
            },
            getProcessId: async () => 42
        };
        connection = { ready: greeted.promise, greeted: false, failure: undefined };
        const terminalWindowId = new TerminalWindowId(connection, {
            get windowId(): string {
                return windowId();
            }
        });
        server = terminalWindowId.decorate(theia as ShellTerminalServerProxy);
    });
    afterEach(() => clock.restore());

    /** Lets everything that is already decided happen. */
    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('adds the window’s id to the variables of a new shell, and passes all other calls on', async () => {
        greeted.resolve();
        expect(await server.create({ env: { A: 'b' } })).to.equal(7);
        expect(created).to.deep.equal([{ env: { A: 'b', THEIA_COMPANION_WINDOW: 'w1' } }]);
        expect(await server.getProcessId(7)).to.equal(42);
    });

    it('waits 2 s at most for the hello; then the shell starts without the id', async () => {
        const shell = server.create({ env: { A: 'b' } });
        clock.tick(1_999);
        await settle();
        expect(created).to.deep.equal([]);
        clock.tick(1);
        expect(await shell).to.equal(7);
        expect(created).to.deep.equal([{ env: { A: 'b' } }]);
        expect(clock.countTimers()).to.equal(0);
    });

    it('waits only once: until the hello is answered, later shells start at once without the id', async () => {
        const first = server.create({});
        clock.tick(2_000);
        await first;
        await server.create({});
        expect(created).to.deep.equal([{}, {}]);
        connection.greeted = true;
        await server.create({});
        expect(created[2]).to.deep.equal({ env: { THEIA_COMPANION_WINDOW: 'w1' } });
        expect(clock.countTimers()).to.equal(0);
    });

    it('does not wait if a hello has failed already', async () => {
        connection.failure = 'The backend does not answer.';
        await server.create({});
        expect(created).to.deep.equal([{}]);
        connection.greeted = true;
        await server.create({});
        expect(created[1]).to.deep.equal({ env: { THEIA_COMPANION_WINDOW: 'w1' } });
    });

    it('whatever fails here, the shell starts', async () => {
        greeted.reject(new Error('no backend'));
        await server.create({});
        connection.greeted = true;
        windowId = () => {
            throw new Error('no storage');
        };
        await server.create({});
        expect(created).to.deep.equal([{}, {}]);
    });

    it('leaves a pseudo terminal and one with a strict environment as they are', async () => {
        await server.create({ isPseudo: true });
        await server.create({ strictEnv: true, env: { A: 'b' } });
        expect(created).to.deep.equal([{ isPseudo: true }, { strictEnv: true, env: { A: 'b' } }]);
    });
});
