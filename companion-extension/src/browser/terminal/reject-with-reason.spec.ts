// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { MessageService } from '@theia/core/lib/common/message-service';
import { InputOptions, QuickInputService } from '@theia/core/lib/common/quick-pick-service';
import { expect } from 'chai';
import { ReviewInfo } from '../../common/companion-protocol';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { PageReviews } from '../review/page-reviews';
import { WaitingReviews } from '../review/waiting-reviews';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { reviewInfo } from '../test/review-info';
import { CliTerminals } from '../window/cli-terminals';
import { WorkspacePaths } from '../window/workspace-paths';
import { CliPrompt } from './cli-prompt';
import { RejectWithReason } from './reject-with-reason';

describe('A reject with a reason', () => {
    let registered: FakeRegistries;
    /** What happened, in order. */
    let happened: string[];
    let meant: ReviewInfo | undefined;
    let reason: string | undefined;
    let hasTerminal: boolean;
    let isWaiting: boolean;
    /** After the reason was written. */
    let stillWaits: boolean;
    let takesClick: boolean;
    let pressed: string | undefined;
    let asked: InputOptions | undefined;

    beforeEach(() => {
        [happened, meant, reason, pressed, asked] = [[], reviewInfo('a.ts'), 'too slow', undefined, undefined];
        [hasTerminal, isWaiting, stillWaits, takesClick] = [true, true, true, true];
        const services = new FakeServices();
        services.bind(WaitingReviews, {
            get any() {
                return meant !== undefined;
            },
            meant: async () => meant,
            takesClick: () => takesClick,
            answer: ({ id }: ReviewInfo, kind: string) => happened.push(`${kind} ${id}`)
        });
        services.bind(PageReviews, { get: () => ({ isWaiting }) });
        services.bind(CliTerminals, {
            find: async () => [{ displayName: 'Qwen Code', folder: '/ws', mentionStyle: { form: 'escaped', unread: '' } }]
        });
        services.bind(CliPrompt, {
            typeAfterAnswer: async ({ cliName }: ReviewInfo, text: string) => {
                happened.push(`typed for ${cliName}: ${text}`);
                return hasTerminal;
            }
        });
        services.bind(QuickInputService, {
            input: async (options: InputOptions) => {
                asked = options;
                isWaiting = stillWaits;
                return reason;
            }
        });
        services.bind(MessageService, {
            warn: async (text: string) => {
                happened.push(text);
                return pressed;
            }
        });
        services.bind(ClipboardService, { writeText: async (text: string) => void happened.push(`copied: ${text}`) });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        registered = new FakeRegistries();
        services.create(RejectWithReason).registerCommands(registered.commands);
    });

    function reject(): Promise<void> {
        return registered.execute(SHARED_COMMANDS.REJECT_WITH_REASON.id);
    }

    function askAgain(review: ReviewInfo): Promise<void> {
        return registered.execute(SHARED_COMMANDS.ASK_AGAIN.id, review);
    }

    it('rejects first, and then types the reason', async () => {
        await reject();
        expect(happened).to.deep.equal(['reject a.ts', 'typed for Qwen Code: too slow']);
        expect(asked?.title).to.equal('Reject the proposal for a.ts: why?');
        expect(asked?.ignoreFocusLost, 'a click into the diff drops nothing').to.equal(true);
    });

    it('types nothing for a proposal that has ended while the reason was written, and offers a copy', async () => {
        stillWaits = false;
        pressed = 'Copy';
        await reject();
        expect(happened).to.deep.equal([
            'The proposal for a.ts has ended meanwhile. Your reason was not typed: too slow',
            'copied: too slow'
        ]);
    });

    it('does nothing after Escape, and asks nothing if no proposal is meant', async () => {
        reason = undefined;
        await reject();
        meant = undefined;
        asked = undefined;
        await reject();
        expect(happened).to.deep.equal([]);
        expect(asked).to.equal(undefined);
    });

    it('is offered only while a proposal waits', () => {
        const { id } = SHARED_COMMANDS.REJECT_WITH_REASON;
        expect(registered.isEnabled(id)).to.equal(true);
        meant = undefined;
        expect(registered.isEnabled(id)).to.equal(false);
    });

    it('types nothing if no reason is written', async () => {
        reason = ' ';
        await reject();
        expect(happened).to.deep.equal(['reject a.ts']);
    });

    it('offers a copy of a reason that cannot be typed', async () => {
        hasTerminal = false;
        pressed = 'Copy';
        await reject();
        expect(happened.slice(2)).to.deep.equal(['This could not be typed into the prompt of Qwen Code: too slow', 'copied: too slow']);
    });

    it('Ask Again rejects and mentions the file as the CLI finds it', async () => {
        await askAgain(reviewInfo('a.ts'));
        expect(happened).to.deep.equal([
            'reject a.ts',
            'typed for Qwen Code: Read @a.ts again and propose your change anew: the file has changed. '
        ]);
    });

    it('Ask Again names no file that the CLI would misread', async () => {
        await askAgain(reviewInfo('a\u202ets'));
        expect(happened[1]).to.include('Read the file again');
    });

    it('Ask Again about a proposal that was accepted and not written only types', async () => {
        isWaiting = false;
        await askAgain(reviewInfo('a.ts'));
        expect(happened).to.have.length(1);
        expect(happened[0]).to.include('typed for Qwen Code');
    });

    it('Ask Again does nothing on a notice that has just appeared', async () => {
        takesClick = false;
        await askAgain(reviewInfo('a.ts'));
        expect(happened).to.deep.equal([]);
    });
});
