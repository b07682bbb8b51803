// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { CommandService } from '@theia/core/lib/common/command';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { expect } from 'chai';
import { Comment } from '../../common/comments-protocol';
import { AgentStatus, CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { reviewInfo } from '../test/review-info';
import { windowState } from '../test/status';
import { CliPrompt, PromptContent } from '../terminal/cli-prompt';
import { PageChanges } from '../changes/page-changes';
import { PromptContribution } from '../terminal/prompt-contribution';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { CommentSender } from './comment-sender';
import { PageComments } from './page-comments';

function comment(id: string, more: Partial<Comment> = {}): Comment {
    return { id, uri: 'file:///ws/a.ts', first: 2, last: 2, quote: 'two', text: `about ${id}`, isSent: false, daysLeft: 14, ...more };
}

function cli(shell: number, displayName = 'Qwen Code', more: Partial<OpenCliTerminal> = {}): OpenCliTerminal {
    const widget = { title: { label: `tab ${shell}` } };
    return {
        shell,
        displayName,
        folder: '/ws',
        mentionStyle: { form: 'escaped', unread: '' },
        takesPastes: true,
        widget,
        ...more
    } as never;
}

describe('Sending comments', () => {
    let drafts: Comment[];
    let sent: Comment[];
    let clis: OpenCliTerminal[];
    let agents: AgentStatus[];
    let reviews: ReviewInfo[];
    let withheld: string | undefined;
    let answered: string[];
    let typed: Array<[OpenCliTerminal['widget'], string]>;
    let marked: string[][];
    let said: string[];
    /** Of what was said. */
    let gone: string[];
    let executed: string[];
    let choices: string[][];
    /** Of changes, by their files. */
    let authors: Record<string, string[]>;
    let file: string;
    /** Nothing can be stored. */
    let full: boolean;
    let sender: CommentSender;

    beforeEach(() => {
        [drafts, sent, clis, agents, withheld] = [[comment('x')], [], [cli(1)], [], undefined];
        [typed, marked, said, choices, answered, reviews] = [[], [], [], [], [], []];
        [executed, gone] = [[], []];
        [file, authors, full] = ['one\ntwo\n', {}, false];
        const services = new FakeServices();
        services.bind(PageComments, {
            confirm: async () => undefined,
            markSent: async (comments: Comment[]) => {
                if (full) {
                    throw new Error('no space left');
                }
                marked.push(comments.map(({ id }) => id));
            },
            get drafts() {
                return drafts;
            },
            get sent() {
                return sent;
            }
        });
        services.bind(CliPrompt, {
            takesText: async () => true,
            typeAfterAnswer: async (_: unknown, text: string) => {
                answered.push(text);
                return true;
            },
            typeInto: async (widget: OpenCliTerminal['widget'], { textFor, mentions }: PromptContent) => {
                expect(mentions).to.deep.equal([]);
                typed.push([widget, textFor(cli(1))]);
                return true;
            }
        });
        services.bind(PageChanges, { find: (uri: string) => ({ authors: authors[uri] ?? [] }) });
        services.bind(PromptContribution, { whyWithheld: () => withheld });
        services.bind(CliTerminals, { find: async () => clis, reveal: async () => undefined });
        services.bind(CompanionConnection, {
            get state() {
                return windowState({}, { agents, reviews });
            }
        });
        services.bind(CompanionBackend, { realPaths: async (paths: string[]) => (file === '' ? [] : paths) });
        services.bind(FileService, {
            read: async () => {
                if (file === '') {
                    throw new Error('no file');
                }
                return { value: file };
            }
        });
        services.bind(TerminalService, {
            get lastUsedTerminal() {
                return clis[1]?.widget;
            }
        });
        services.bind(QuickPickService, {
            show: async (items: Array<{ label: string; description: string }>) => {
                choices.push(items.map(({ description }) => description));
                return items[0];
            }
        });
        services.bind(ClosableMessages, {
            show: (_: string, text: string, ...buttons: string[]): ClosableMessage => {
                said.push([text, ...buttons].join(' | '));
                return { answer: Promise.resolve(buttons[0]), dispose: () => void gone.push(text) };
            }
        });
        services.bind(CommandService, { executeCommand: async (id: string) => void executed.push(id) });
        sender = services.create(CommentSender);
    });

    const send = (): Promise<void> => sender.send(() => undefined);

    it('types each with its file, its line and the quoted text, one after the other', async () => {
        drafts = [
            comment('x', { text: 'is this "right"?\r\n第二行' }),
            comment('y', { uri: 'file:///ws/b c.ts', quote: 'gone', first: 9, last: 9 })
        ];
        file = 'new\none\ntwo\n';
        await send();
        expect(typed.map(([, text]) => text)).to.deep.equal([
            ' @a.ts (line 3):\n```\ntwo\n```\nis this "right"?\r\n第二行\n\n' +
                ' @b\\ c.ts (was at line 9, which this file does not have now):\n```\ngone\n```\nabout y\n '
        ]);
        expect(marked).to.deep.equal([['x', 'y']]);
    });

    it('types them once for a double click', async () => {
        await Promise.all([send(), send()]);
        expect([typed.length, marked]).to.deep.equal([1, [['x']]]);
        await send();
        expect(typed.length).to.equal(2);
    });

    it('takes the lines of an open editor, and names a file that is gone without mentioning it', async () => {
        await sender.send(({ quote }) => ({ first: 7, last: 8, quote }));
        file = '';
        await send();
        expect(typed.map(([, text]) => text.split(':')[0])).to.deep.equal([
            ' @a.ts (lines 7-8)',
            ' a.ts (was at line 2, which this file does not have now)'
        ]);
    });

    it('types those that were sent again if there are no new ones', async () => {
        [drafts, sent] = [[], [comment('old', { isSent: true })]];
        await send();
        expect(marked).to.deep.equal([['old']]);
    });

    it('asks which CLI if several run, the one that was used last first', async () => {
        clis = [cli(1), cli(2, 'Claude Code')];
        await send();
        expect(choices).to.deep.equal([['tab 2', 'tab 1']]);
        expect(typed[0][0]).to.equal(clis[1].widget);
    });

    it('puts the CLI first that made the changes that most of them are about, then the one whose proposal one is about', async () => {
        clis = [cli(1), cli(2, 'Claude Code'), cli(3, 'Gemini CLI')];
        drafts = ['a', 'b', 'c'].map(name => comment(name, { uri: `file:///ws/${name}.ts` }));
        authors = { 'file:///ws/a.ts': ['Gemini CLI'], 'file:///ws/b.ts': ['Qwen Code', 'Gemini CLI'] };
        await send();
        reviews = [reviewInfo('r', { cliName: 'Qwen Code', uri: 'file:///ws/c.ts' })];
        authors = {};
        await send();
        expect(choices).to.deep.equal([
            ['tab 3', 'tab 1', 'tab 2'],
            ['tab 1', 'tab 2', 'tab 3']
        ]);
    });

    it('types nothing and says why if there is no CLI, or none that takes text', async () => {
        clis = [];
        await send();
        clis = [cli(1, 'Qwen Code', { takesPastes: undefined })];
        await send();
        clis = [cli(1)];
        agents = [{ shell: 1, state: 'blocked' } as AgentStatus];
        await send();
        expect([typed, marked]).to.deep.equal([[], []]);
        expect(said.map(text => text.includes('takes text now. | Run a CLI…'))).to.deep.equal([true, true, false]);
        expect(executed, 'for the button').to.deep.equal(['companion.run.choose', 'companion.run.choose']);
        expect(said[2]).to.include('Qwen Code is waiting for an answer');
    });

    it('says no longer why they stay once they are sent', async () => {
        withheld = 'a.ts is not shared';
        await send();
        expect(gone).to.deep.equal([]);
        withheld = undefined;
        await send();
        expect([marked, gone]).to.deep.equal([[['x']], said]);
    });

    it('says that they are in the prompt if only their mark cannot be stored: else they would be sent twice', async () => {
        full = true;
        await send();
        expect(typed).to.have.length(1);
        expect(said).to.deep.equal(['Your comments are in the prompt of Qwen Code, but that could not be stored: no space left']);
    });

    it('types nothing and says why if the file is not shared, or all is too long', async () => {
        withheld = 'a.ts is not shared';
        await send();
        withheld = undefined;
        drafts = ['a', 'b', 'c'].map(id => comment(id, { text: '字'.repeat(2_000) }));
        await send();
        expect([typed, marked]).to.deep.equal([[], []]);
        expect(said[0]).to.include('a.ts is not shared');
        expect(said[1]).to.include('bytes, and a prompt takes 16384');
    });

    it('rejects a proposal and types them for its CLI, and does not reject if they cannot be typed', async () => {
        clis = [cli(1), cli(2, 'Claude Code')];
        await sender.rejectWith(
            reviewInfo('r', { cliName: 'Claude Code' }),
            () => answered.push('rejected'),
            () => undefined
        );
        expect(answered).to.deep.equal(['rejected', ' @a.ts (line 2):\n```\ntwo\n```\nabout x\n ']);
        expect(marked).to.deep.equal([['x']]);
        drafts = ['a', 'b', 'c'].map(id => comment(id, { text: '字'.repeat(2_000) }));
        await sender.rejectWith(
            reviewInfo('s', { cliName: 'Claude Code' }),
            () => answered.push('rejected again'),
            () => undefined
        );
        expect(answered).to.have.length(2);
        expect(said[0]).to.include('bytes, and a prompt takes 16384');
    });
});
