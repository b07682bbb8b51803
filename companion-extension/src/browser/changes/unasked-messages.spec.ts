// SPDX-License-Identifier: Apache-2.0

import '../test/dom';

import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { FileChange } from '../../common/changes/changes-protocol';
import { WindowState } from '../../common/companion-protocol';
import { UnaskedMessages } from './unasked-messages';

/** What a user sees and does. */
class TestMessages extends UnaskedMessages {
    readonly shown: string[] = [];
    readonly executed: string[] = [];
    /** The button that the user presses in each message. */
    answer: string | undefined;
    protected readonly onDidChange = new Emitter<void>();
    protected files: FileChange[] = [];
    protected override readonly connection = {
        state: { agents: [{ name: 'Codex' }], status: { connections: [] }, changes: {} } as unknown as WindowState,
        onDidChangeState: this.onDidChange.event
    };
    protected override readonly changes = { files: this.files, onDidChange: this.onDidChange.event };
    protected override readonly messages = {
        show: (_severity: string, text: string, ...buttons: string[]) => {
            this.shown.push(text);
            return { answer: Promise.resolve(buttons.find(button => button === this.answer)), dispose: () => undefined };
        }
    };
    protected override readonly commands = {
        executeCommand: async <T>(id: string): Promise<T | undefined> => {
            this.executed.push(id);
            return undefined;
        }
    };

    say(unasked: string[], authors: string[] = []): void {
        this.connection.state.changes = { version: 1, count: 1, unasked: unasked.map(cliName => ({ cliName })) };
        this.files.push({ authors } as FileChange);
        this.onDidChange.fire();
    }
}

describe('UnaskedMessages', () => {
    let messages: TestMessages;
    let clock: sinon.SinonFakeTimers;

    beforeEach(() => {
        window.sessionStorage.clear();
        clock = sinon.useFakeTimers();
        messages = new TestMessages();
        messages.onStart();
    });

    afterEach(() => {
        messages.onStop();
        clock.restore();
    });

    it('names a CLI that has edited without asking once, also after a reload, and says nothing else then', async () => {
        messages.say([], []);
        messages.say(['Qwen Code'], ['Qwen Code']);
        messages.say(['Qwen Code'], ['Qwen Code']);
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal(['Qwen Code edits without asking.']);
        const reloaded = new TestMessages();
        reloaded.onStart();
        reloaded.say(['Qwen Code', 'Claude Code'], ['Qwen Code']);
        clock.tick(5_000);
        expect(reloaded.shown).to.deep.equal(['Claude Code edits without asking.']);
        reloaded.onStop();
    });

    it('names no CLI where none has said that it was it', () => {
        messages.say([]);
        expect(messages.shown).to.deep.equal([]);
        clock.tick(5_000);
        messages.say([]);
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal(['Files changed outside the editor while Codex runs.']);
    });

    it('shows the changes, and says how to make the CLI ask', async () => {
        messages.answer = 'Review Its Changes';
        messages.say(['Qwen Code'], ['Qwen Code']);
        await clock.tickAsync(0);
        expect(messages.executed).to.deep.equal(['companion.changes.show']);
        messages.answer = 'How to Make It Ask';
        messages.say(['Claude Code'], ['Claude Code']);
        await clock.tickAsync(0);
        expect(messages.shown[2]).to.contain('Press Shift+Tab in the terminal of Claude Code');
    });
});
