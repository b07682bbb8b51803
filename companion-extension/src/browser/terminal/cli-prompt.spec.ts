// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { CommandService } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { PromptBackend } from '../../common/prompt-protocol';
import { FakeServices } from '../test/fake-services';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { CompanionConnection } from '../window/companion-connection';
import { PageAgents } from '../agents/page-agents';
import { reviewInfo } from '../test/review-info';
import { CliPrompt } from './cli-prompt';

const CONTENT = { textFor: () => 'look at this', mentions: [] };

describe('Text for the prompt of a CLI', () => {
    let prompt: CliPrompt;
    let terminals: unknown[];
    let targets: OpenCliTerminal[];
    let unconnected: OpenCliTerminal[];
    let reviews: Array<{ cliName: string; path: string }>;
    let said: string[];
    let typed: string[];
    let chosen: number;
    let choose: (items: object[]) => object | undefined;
    let lastUsed: unknown;
    let onDidChangeCurrentTerminal: Emitter<unknown>;
    let modes: string[];
    /** What the backend was told. */
    let marked: string[];
    let mention: () => Promise<boolean>;
    /** The first target asks its user something. */
    let blocked: boolean;
    let executed: string[];
    /** What the user chooses to start. */
    let started: OpenCliTerminal | undefined;
    const rejected = reviewInfo('a.ts');

    beforeEach(() => {
        [targets, unconnected] = [[], []];
        reviews = [];
        said = [];
        typed = [];
        chosen = 0;
        choose = items => items[chosen];
        lastUsed = undefined;
        onDidChangeCurrentTerminal = new Emitter();
        [modes, marked] = [[], []];
        blocked = false;
        [executed, started] = [[], undefined];
        mention = async () => false;
        const services = new FakeServices();
        const say = async (text: string): Promise<undefined> => void said.push(text);
        services.bind(TerminalService, {
            all: (terminals = []),
            onDidChangeCurrentTerminal: onDidChangeCurrentTerminal.event,
            open: async (_: unknown, { mode }: { mode: string }) => void modes.push(mode),
            get lastUsedTerminal() {
                return lastUsed;
            }
        });
        services.bind(CliTerminals, {
            find: async () => targets,
            findIn: async (widget: unknown) => [...targets, ...unconnected].find(target => target.widget === widget)
        });
        services.bind(CompanionConnection, {
            get state() {
                return { reviews, status: { connections: [], clis: [{ id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' }] } };
            }
        });
        services.bind(MessageService, {
            info: async (text: string, ...labels: string[]) => {
                said.push([text, ...labels].join(' | '));
                return labels[0];
            },
            warn: say,
            error: say
        });
        services.bind(QuickPickService, { show: async (items: object[]) => choose(items) });
        services.bind(CommandService, {
            executeCommand: async (id: string) => {
                executed.push(id);
                targets = started ? [started] : [];
                return started && { id: 'qwen-code', displayName: 'Qwen Code' };
            }
        });
        services.bind(PageAgents, {
            get all() {
                const asking = blocked ? [{ status: { cliId: 'qwen-code', state: 'blocked' }, widget: targets[0].widget }] : [];
                return [...asking, ...unconnected.map(({ widget }) => ({ status: { cliId: 'gemini-cli' }, widget }))];
            }
        });
        services.bind(PromptBackend, { mention: () => mention(), markTyped: async (id: string) => void marked.push(id) });
        prompt = services.create(CliPrompt);
    });

    function cli(displayName: string): OpenCliTerminal {
        const widget = { sendText: (text: string) => typed.push(`${displayName}: ${text}`), title: { label: displayName } };
        return { displayName, cliId: 'qwen-code', shell: 1, folder: '/ws', takesPastes: true, widget } as unknown as OpenCliTerminal;
    }

    it('is pasted, and not sent off', async () => {
        targets = [cli('Qwen Code')];
        await prompt.type(CONTENT);
        expect(typed).to.deep.equal(['Qwen Code: \u001b[200~look at this\u001b[201~']);
        expect(marked, 'for a record').to.deep.equal(['qwen-code']);
    });

    it('goes to a CLI that is not connected, if that kind is asked for', async () => {
        targets = [cli('Qwen Code')];
        unconnected = [cli('Gemini CLI')];
        expect(await prompt.typeUnconnected(CONTENT, 'qwen-code')).to.equal(false);
        expect(await prompt.typeUnconnected(CONTENT, 'gemini-cli')).to.equal(true);
        expect(typed).to.deep.equal(['Gemini CLI: \u001b[200~look at this\u001b[201~']);
        expect(modes).to.deep.equal(['activate']);
    });

    it('goes to the CLI whose terminal was used last, else the user chooses', async () => {
        targets = [cli('Qwen Code'), cli('Gemini CLI')];
        lastUsed = targets[1].widget;
        await prompt.type(CONTENT);
        lastUsed = undefined;
        await prompt.type(CONTENT);
        expect(typed.map(line => line.split(':')[0])).to.deep.equal(['Gemini CLI', 'Qwen Code']);
        chosen = -1;
        await prompt.type(CONTENT);
        expect(typed, 'the user chose none').to.have.length(2);
        lastUsed = targets[0].widget;
        await prompt.type(CONTENT, 'Gemini CLI');
        expect(typed[2], 'the only one that is meant').to.contain('Gemini CLI');
    });

    it('goes to the CLI that was used last if a shell has been used since', async () => {
        targets = [cli('Qwen Code'), cli('Gemini CLI')];
        onDidChangeCurrentTerminal.fire(targets[0].widget);
        onDidChangeCurrentTerminal.fire(targets[1].widget);
        lastUsed = cli('a shell').widget;
        onDidChangeCurrentTerminal.fire(lastUsed);
        choose = () => expect.fail('nobody is asked');
        await prompt.type(CONTENT);
        expect(typed[0]).to.contain('Gemini CLI');
    });

    it('for one terminal goes to the CLI in it, connected or not, or to none', async () => {
        targets = [cli('Qwen Code'), cli('Gemini CLI')];
        unconnected = [cli('Claude Code')];
        lastUsed = targets[0].widget;
        for (const { widget } of [targets[1], unconnected[0], cli('bash')]) {
            await prompt.typeInto(widget, CONTENT);
        }
        expect(typed.map(line => line.split(':')[0])).to.deep.equal(['Gemini CLI', 'Claude Code']);
        expect(said).to.deep.equal(['No CLI in this terminal takes text now. Nothing was typed.']);
        expect(modes, 'nothing is opened').to.deep.equal([]);
    });

    it('is not typed while the CLI asks about a proposal: it would be dropped', async () => {
        targets = [cli('Qwen Code')];
        reviews = [{ cliName: 'Qwen Code', path: '/ws/a.ts' }];
        await prompt.type(CONTENT);
        expect(typed).to.deep.equal([]);
        expect(said).to.deep.equal([
            'Qwen Code is waiting for an answer to its proposal for /ws/a.ts and takes no other text. Answer it, then try again.'
        ]);
    });

    it('without a CLI says what to start, and types nothing', async () => {
        await prompt.type(CONTENT);
        expect(typed).to.deep.equal([]);
        expect(said.join()).to.include('Start qwen, and the text is added to its prompt.');
    });

    it('is not typed where a line break would be Enter', async () => {
        targets = [{ ...cli('Qwen Code'), takesPastes: undefined }];
        await prompt.type(CONTENT);
        expect(typed).to.deep.equal([]);
    });

    describe('that a mention can say', () => {
        const content = { textFor: () => 'one\ntwo', mentions: [{ path: '/ws/a.ts' }] };

        beforeEach(() => {
            targets = [{ ...cli('Claude Code'), takesMentions: true, mentionStyle: { form: 'quoted', unread: '' } }];
            mention = async () => true;
        });

        it('is not typed if the CLI took the mention', async () => {
            await prompt.type(content);
            expect([typed, modes]).to.deep.equal([[], ['activate']]);
        });

        it('is typed for a file whose name would have to be quoted', async () => {
            await prompt.type({ ...content, mentions: [{ path: '/ws/a b.ts' }] });
            expect(typed).to.have.length(1);
        });

        for (const [how, failing] of [
            ['is refused', async () => false],
            ['fails', () => Promise.reject(new Error('The connection is lost.'))]
        ] as const) {
            it(`S23: is typed if the mention ${how}, and the CLI is still there`, async () => {
                mention = failing;
                await prompt.type(content);
                expect(typed).to.deep.equal(['Claude Code: \u001b[200~one\ntwo\u001b[201~']);
            });

            it(`S23: is not typed into the shell if the mention ${how} because the CLI has ended`, async () => {
                mention = () => {
                    targets = [];
                    return failing();
                };
                await prompt.type(content);
                expect(typed).to.deep.equal([]);
                expect(said).to.deep.equal(['Claude Code has exited. Nothing was typed.']);
            });
        }
    });

    it('S23: is not typed if the CLI has ended since it was found', async () => {
        targets = [cli('Qwen Code'), cli('Gemini CLI')];
        choose = items => {
            targets = [];
            return items[0];
        };
        await prompt.type(CONTENT);
        expect(typed).to.deep.equal([]);
        expect(said).to.deep.equal(['Qwen Code has exited. Nothing was typed.']);
    });

    it('is not typed after an answer if the CLI has no terminal here', async () => {
        targets = [cli('Gemini CLI')];
        expect(await prompt.typeAfterAnswer(rejected, 'because')).to.equal(false);
        expect(typed).to.deep.equal([]);
    });

    it('waits for the prompt of a CLI that pauses while it starts, and would drop what comes before', async () => {
        const clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        try {
            const onOutput = new Emitter<string>();
            let lines = ['Initializing…'];
            const target = cli('Qwen Code');
            const buffer = {
                get length() {
                    return lines.length;
                },
                getLines: (start: number, length: number) => lines.slice(start, start + length)
            };
            Object.assign(target.widget, { onOutput: onOutput.event, buffer });
            targets = [{ ...target, emptyPrompt: 'Type your message' }];
            const isTyped = prompt.typeAfterAnswer(rejected, 'no');
            await clock.tickAsync(4_000);
            expect(typed).to.deep.equal([]);
            lines = ['> Type your message or @path/to/file'];
            onOutput.fire(lines[0]);
            await clock.tickAsync(1_000);
            expect(await isTyped).to.equal(true);
            expect(typed).to.have.length(1);
        } finally {
            clock.restore();
        }
    });

    describe('after an answer', () => {
        let clock: sinon.SinonFakeTimers;

        beforeEach(() => {
            clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
            const target = cli('Qwen Code');
            Object.assign(target.widget, { onOutput: new Emitter<string>().event });
            targets = [target];
        });

        afterEach(() => clock.restore());

        it('without a CLI one button starts the one that the user chooses, and the text goes to it', async () => {
            started = targets[0];
            targets = [];
            await prompt.type(CONTENT);
            await clock.tickAsync(10_000);
            expect(said).to.deep.equal([
                'No CLI in a terminal of this window can take the text. Start qwen, and the text is added to its prompt. | Run a CLI…'
            ]);
            expect(executed).to.deep.equal(['companion.run.choose']);
            expect(typed).to.have.length(1);
        });

        it('without a CLI it also goes to one that is started in a terminal that is there, where it ran before', async () => {
            started = targets[0];
            terminals.push(started.widget);
            targets = [];
            await prompt.type(CONTENT);
            await clock.tickAsync(10_000);
            expect(typed).to.have.length(1);
        });

        it('waits while the CLI asks, as it would drop the text', async () => {
            blocked = true;
            const isTyped = prompt.typeAfterAnswer(rejected, 'no');
            await clock.tickAsync(10_000);
            expect(typed).to.deep.equal([]);
            blocked = false;
            await clock.tickAsync(2_000);
            expect(await isTyped).to.equal(true);
        });

        it('is not typed into what the CLI proposes next', async () => {
            reviews = [rejected];
            const isTyped = prompt.typeAfterAnswer(rejected, 'no');
            await clock.tickAsync(1_000);
            reviews = [reviewInfo('b.ts')];
            await clock.tickAsync(1_000);
            expect(await isTyped).to.equal(false);
            expect(typed).to.deep.equal([]);
        });
    });
});
