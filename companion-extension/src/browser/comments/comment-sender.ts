// SPDX-License-Identifier: Apache-2.0

import { CommandService } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { Comment, CommentAnchor } from '../../common/comments-protocol';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { withTimeLimit } from '../../common/time-limit';
import { PageChanges } from '../changes/page-changes';
import { CliPrompt } from '../terminal/cli-prompt';
import { PromptContribution } from '../terminal/prompt-contribution';
import { fencedText, MentioningCli, PromptMention } from '../terminal/prompt-text';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { CommentAnchors } from './comment-anchors';
import { PageComments } from './page-comments';

const CALL_LIMIT_MS = 5_000;
/** Bytes of UTF-8 that are typed into a prompt at most. */
const MAX_BYTES = 16 * 1024;
/** Characters of the quoted line. */
const QUOTED = 120;

/** Finds the lines of a comment in the open editors. @returns `undefined` if none has them */
export type FindLines = (comment: Comment) => CommentAnchor | undefined;

interface SentComment {
    readonly comment: Comment;
    /** Absolute; real if the file is there. */
    readonly path: string;
    readonly isThere: boolean;
    /** `undefined` if its lines are not there. */
    readonly anchor: CommentAnchor | undefined;
}

/** Types all comments into the prompt of one CLI. The user sends the prompt off. If they cannot be typed, they stay, and it says why. */
@injectable()
export class CommentSender {
    @inject(PageComments)
    protected readonly comments: PageComments;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'find'>;
    @inject(CliPrompt)
    protected readonly prompt: Pick<CliPrompt, 'takesText' | 'typeAfterAnswer' | 'typeInto'>;
    @inject(PromptContribution)
    protected readonly sharing: Pick<PromptContribution, 'whyWithheld'>;
    @inject(CliTerminals)
    protected readonly clis: Pick<CliTerminals, 'find' | 'reveal'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'realPaths'>;
    @inject(FileService)
    protected readonly files: Pick<FileService, 'read'>;
    @inject(TerminalService)
    protected readonly terminals: Pick<TerminalService, 'lastUsedTerminal'>;
    @inject(QuickPickService)
    protected readonly quickPick: Pick<QuickPickService, 'show'>;
    @inject(ClosableMessages)
    protected readonly messages: Pick<ClosableMessages, 'show'>;
    @inject(CommandService)
    protected readonly commands: Pick<CommandService, 'executeCommand'>;

    protected sending: Promise<void> | undefined;
    /** Why they were not sent last. */
    protected failure: ClosableMessage | undefined;

    /** Without new ones, those that were sent are typed again. */
    send(find: FindLines): Promise<void> {
        return this.orSayWhy(async () => {
            const { drafts, sent } = this.comments;
            const all = await this.prepare(drafts.length > 0 ? drafts : sent, find);
            const cli = all.length > 0 ? await this.choose(all) : undefined;
            if (!cli || !(await this.prompt.takesText(cli.widget))) {
                return;
            }
            const text = commentsText(all, cli);
            if (await this.prompt.typeInto(cli.widget, { textFor: () => text, mentions: [] })) {
                await this.markSent(all, cli);
                await this.clis.reveal(cli);
            }
        });
    }

    /** Rejects a proposal, and types them for its CLI. Without that CLI, or if they are too long, nothing is rejected. */
    rejectWith(review: ReviewInfo, reject: () => void, find: FindLines): Promise<void> {
        return this.orSayWhy(async () => {
            const all = await this.prepare(this.comments.drafts, find);
            const cli = (await this.clis.find()).find(({ displayName }) => displayName === review.cliName);
            if (!cli) {
                throw new Error(noCliText());
            }
            const text = commentsText(all, cli);
            reject();
            if (!(await this.prompt.typeAfterAnswer(review, text))) {
                throw new Error(noCliText());
            }
            await this.markSent(all, cli);
        });
    }

    /** They are typed: told otherwise, the user would send them a second time. */
    protected async markSent(all: readonly SentComment[], { displayName }: OpenCliTerminal): Promise<void> {
        await this.comments.markSent(all.map(({ comment }) => comment)).catch(error => {
            const why = error instanceof Error ? error.message : String(error);
            const unmarked = nls.localize(
                'theia/cli-companion/comments/unmarked',
                'Your comments are in the prompt of {0}, but that could not be stored: {1}',
                displayName,
                why
            );
            this.failure = this.messages.show('warn', unmarked);
        });
    }

    /** Whose proposal, or whose change, the file has. */
    protected writersOf({ uri }: Comment): readonly string[] {
        const reviews = this.connection.state?.reviews.filter(review => review.uri === uri) ?? [];
        return [...reviews.map(({ cliName }) => cliName), ...(this.changes.find(uri)?.authors ?? [])];
    }

    /** One at a time: pressed twice, they would be typed twice. */
    protected orSayWhy(act: () => Promise<void>): Promise<void> {
        const run = async (): Promise<void> => {
            this.failure?.dispose();
            try {
                await this.comments.confirm();
                await act();
            } catch (error) {
                void this.sayWhy(error instanceof Error ? error.message : String(error));
            } finally {
                this.sending = undefined;
            }
        };
        return (this.sending ??= run());
    }

    protected async sayWhy(why: string): Promise<void> {
        const failed = nls.localize('theia/cli-companion/comments/failed', 'Your comments were not added to a prompt: {0}', why);
        const run = SHARED_COMMANDS.RUN_CLI.label ?? '';
        this.failure = this.messages.show('warn', failed, ...(why === noCliText() ? [run] : []));
        if ((await this.failure.answer) === run) {
            await this.commands.executeCommand(SHARED_COMMANDS.RUN_CLI.id);
        }
    }

    /** Rejects if one must not be typed. */
    protected async prepare(comments: readonly Comment[], find: FindLines): Promise<SentComment[]> {
        const all: SentComment[] = [];
        for (const comment of comments) {
            const named = new URI(comment.uri).path.fsPath();
            const [real] = await withTimeLimit(this.backend.realPaths([named]), CALL_LIMIT_MS).catch(() => []);
            const path = real ?? named;
            const withheld = [named, path].map(name => this.sharing.whyWithheld(name, named)).find(why => why !== undefined);
            if (withheld !== undefined || !PromptMention.canName(path)) {
                const unnamed = nls.localize(
                    'theia/cli-companion/comments/unnameable',
                    'A prompt cannot contain the name of {0} unchanged.',
                    path
                );
                throw new Error(withheld ?? unnamed);
            }
            const anchor = find(comment) ?? (await this.findInFile(comment));
            all.push({ comment, path, isThere: real !== undefined, anchor });
        }
        return all;
    }

    /** The file may have changed since it was open. */
    protected async findInFile(comment: Comment): Promise<CommentAnchor | undefined> {
        const content = await withTimeLimit(this.files.read(new URI(comment.uri)), CALL_LIMIT_MS).catch(() => undefined);
        return content && CommentAnchors.find(content.value.split(/\r\n?|\n/), comment);
    }

    /** The one that made what they are about comes first, then the one used last. @returns `undefined` if the user does not choose one. Rejects if none takes text */
    protected async choose(all: readonly SentComment[]): Promise<OpenCliTerminal | undefined> {
        const asking = this.connection.state?.agents.filter(({ state }) => state === 'blocked') ?? [];
        const clis = (await this.clis.find()).filter(({ takesPastes }) => takesPastes);
        const ready = clis.filter(cli => !asking.some(({ shell }) => shell === cli.shell));
        if (ready.length === 0) {
            const [waits] = clis;
            throw new Error(
                waits
                    ? nls.localize(
                          'theia/cli-companion/comments/blocked',
                          '{0} is waiting for an answer and takes no other text.',
                          waits.displayName
                      )
                    : noCliText()
            );
        }
        const writers = all.flatMap(({ comment }) => this.writersOf(comment));
        const { lastUsedTerminal } = this.terminals;
        const meantFor = (cli: OpenCliTerminal): number =>
            writers.filter(name => name === cli.displayName).length + (cli.widget === lastUsedTerminal ? 0.5 : 0);
        const inOrder = [...ready].sort((one, other) => meantFor(other) - meantFor(one));
        if (inOrder.length === 1) {
            return inOrder[0];
        }
        const items = inOrder.map(cli => ({
            label: withoutIcons(cli.displayName),
            description: withoutIcons(cli.widget.title.label),
            cli
        }));
        const placeholder = nls.localize('theia/cli-companion/comments/choose', 'Which CLI are the comments for?');
        return (await this.quickPick.show(items, { placeholder }))?.cli;
    }
}

function noCliText(): string {
    return nls.localize('theia/cli-companion/comments/noCli', 'No CLI in a terminal of this window takes text now.');
}

/** In the language of the models. It ends with a blank: the user goes on behind it. Throws if it is too long. */
function commentsText(all: readonly SentComment[], cli: MentioningCli): string {
    const texts = all.map(({ comment, path, isThere, anchor }) => {
        const { first, last } = anchor ?? comment;
        const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
        const where = anchor ? lines : `was at ${lines}, which this file does not have now`;
        const file = isThere ? PromptMention.file(path, cli) : ` ${PromptMention.name(path, cli)} `;
        const [quoted] = comment.quote.split('\n', 1);
        return `${file}(${where}):\n${fencedText(quoted.slice(0, QUOTED)).trimEnd()}\n${comment.text.trim()}\n`;
    });
    const text = `${texts.join('\n')} `;
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > MAX_BYTES) {
        const tooLong = nls.localize(
            'theia/cli-companion/comments/tooLong',
            'Together they have {0} bytes, and a prompt takes {1}. Discard or shorten some.',
            String(bytes),
            String(MAX_BYTES)
        );
        throw new Error(tooLong);
    }
    return text;
}
