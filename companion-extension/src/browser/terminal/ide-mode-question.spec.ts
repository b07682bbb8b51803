// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { MessageService } from '@theia/core/lib/common/message-service';
import { QuickPickItem, QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { Container } from '@theia/core/shared/inversify';
import { Fault } from '../../common/companion-problem';
import { PromptBackend } from '../../common/prompt-protocol';
import { IdeModeQuestion } from './ide-mode-question';

const GEMINI = { id: 'gemini-cli', displayName: 'Gemini CLI', command: 'gemini' };
const FILE = '/home/ann/.gemini/settings.json';

describe('IdeModeQuestion', () => {
    let question: IdeModeQuestion;
    let written: boolean[];
    let shown: string[];
    let errors: string[];
    let choice: number | undefined;
    let fault: Fault | undefined;

    beforeEach(() => {
        written = [];
        shown = [];
        errors = [];
        choice = 0;
        fault = undefined;
        const container = new Container();
        container.bind(PromptBackend).toConstantValue({
            setIdeMode: async (_id: string, on: boolean) => {
                written.push(on);
                return fault;
            }
        });
        container.bind(QuickPickService).toConstantValue({
            show: async (items: QuickPickItem[]) => {
                shown.push(...items.map(({ label, detail }) => `${label}: ${detail}`));
                return choice === undefined ? undefined : items[choice];
            }
        });
        const messages: Pick<MessageService, 'error'> = {
            error: async text => {
                errors.push(text);
                return undefined;
            }
        };
        container.bind<Pick<MessageService, 'error'>>(MessageService).toConstantValue(messages);
        container.bind(IdeModeQuestion).toSelf();
        question = container.get(IdeModeQuestion);
    });

    it('says what each answer writes, and where', async () => {
        expect(await question.ask(GEMINI, FILE)).to.equal(true);
        expect(shown).to.deep.equal([
            `Turn On IDE Mode and Run: Writes "ide": { "enabled": true } into ${FILE}.`,
            `Run Without Connecting: Writes "ide": { "hasSeenNudge": true } into ${FILE}.`
        ]);
        expect(written).to.deep.equal([true]);
    });

    it('starts and writes nothing if the user gives no answer', async () => {
        choice = undefined;
        expect(await question.ask(GEMINI, FILE)).to.equal(false);
        expect(written).to.deep.equal([]);
    });

    it('does not ask again if the user does not want to connect', async () => {
        choice = 1;
        expect(await question.ask(GEMINI, FILE)).to.equal(true);
        expect(await question.ask(GEMINI, FILE)).to.equal(true);
        expect(written).to.deep.equal([false]);
        expect(shown).to.have.length(2);
    });

    it('starts nothing if IDE mode could not be turned on, and says why', async () => {
        fault = { code: 'settings-not-json', file: FILE, line: 3 };
        expect(await question.ask(GEMINI, FILE)).to.equal(false);
        expect(errors.join()).to.include('was not turned on').and.to.include('line 3');
    });
});
