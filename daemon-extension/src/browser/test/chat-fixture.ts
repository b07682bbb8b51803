// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation } from '@theia/ai-chat/lib/common';
import { MutableChatModel, MutableChatRequestModel, QuestionResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequestAgentPart, ParsedChatRequestTextPart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { Emitter } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { Container, injectable } from '@theia/core/shared/inversify';
import { ChatView, ConversationPage } from '../chat/conversation-page';
import { Conversations } from '../chat/conversations';
import { QwenChatAgent } from '../chat/qwen-chat-agent';
import { EditorContext } from '../../common/editor-context';
import { PageInfo, WorkspaceTrust } from '../../common/qwen-daemon-protocol';
import { BackendConnection, BackendLinkFactory, PageInfoSource } from '../connection/backend-connection';
import { NoticeContent } from '../parts/notice-content';
import { ProblemContent } from '../parts/problem-content';
import { toolDetails, ToolContent } from '../parts/tool-content';
import { FakeBackend } from './fake-backend';

/** The workspace, and what the user says of it. */
export class FakeWorkspace implements PageInfoSource {
    roots = ['file:///work/project'];
    protected answer = Promise.resolve<WorkspaceTrust>('trusted');
    protected readonly changed = new Emitter<void>();
    readonly onDidChange = this.changed.event;

    async current(): Promise<PageInfo> {
        const trust = await this.answer;
        return { roots: this.roots, trust };
    }

    change(trust: WorkspaceTrust): void {
        this.answer = Promise.resolve(trust);
        this.changed.fire();
    }

    /** @returns the user's answer */
    ask(): (trust: WorkspaceTrust) => void {
        const asked = new Deferred<WorkspaceTrust>();
        this.answer = asked.promise;
        return trust => asked.resolve(trust);
    }
}

/** The chat view, without a widget. */
export class FakeChatView implements ChatView {
    readonly calls: string[] = [];
    /** What is in the input. */
    input = '';
    seesAsked = true;
    waiting = 0;
    /** At the input. */
    mode: string | undefined;

    get isTyping(): boolean {
        return this.input !== '';
    }

    showMode(_chat: string, modeId: string): void {
        this.mode = modeId;
    }

    showEnd(): void {
        this.calls.push('showEnd');
    }

    beginChat(): void {
        this.calls.push('beginChat');
    }

    readonly widget = undefined;

    showSuggestions(): void {}

    giveBack(_chat: string, text: string): void {
        this.input = this.input ? `${text}\n${this.input}` : text;
    }

    focusInput(): void {
        this.calls.push('focusInput');
    }

    isInView(): boolean {
        return this.seesAsked;
    }

    async showAsked(): Promise<void> {
        this.seesAsked = true;
        this.calls.push('showAsked');
    }

    showWaiting(count: number): void {
        this.waiting = count;
    }
}

/** Binds the page's connection to a backend that the test plays. */
export function bindConnection(
    container: Container,
    backend: FakeBackend,
    callLimit: number,
    workspace: PageInfoSource = new FakeWorkspace()
): void {
    @injectable()
    class QuickConnection extends BackendConnection {
        protected override readonly callLimit = callLimit;
    }
    container.bind<BackendLinkFactory>(BackendLinkFactory).toConstantValue(page => backend.link(page));
    container.bind(PageInfoSource).toConstantValue(workspace);
    container.bind(BackendConnection).to(QuickConnection).inSingletonScope();
}

/** A page with one chat, whose backend is played by the test. */
export class ChatFixture {
    readonly backend = new FakeBackend();
    readonly workspace = new FakeWorkspace();
    readonly container = new Container({ defaultScope: 'Singleton' });
    readonly connection: BackendConnection;
    readonly diffs: string[] = [];
    isDiffInView = false;
    readonly tokens: string[] = [];
    /** Commands that Theia completes. */
    readonly offered: string[] = [];
    typed: string | undefined;
    readonly onDidChangeChanges = new Emitter<void>();
    /** What the companion lists. */
    readonly changes = {
        count: undefined as number | undefined,
        onDidChange: this.onDidChangeChanges.event,
        reviewCommand: 'companion.changes.review'
    };
    /** What the user says to a mode in which Qwen never asks. */
    neverAsking = true;
    asked = 0;
    /** What the user is typing. */
    typing: Promise<string> | undefined;
    /** Until then files are looked for. */
    lookUp = Promise.resolve();
    readonly view = new FakeChatView();
    editor: EditorContext | undefined;
    readonly conversations: Conversations;
    readonly agent: QwenChatAgent;
    readonly chat = new MutableChatModel(ChatAgentLocation.Panel);
    protected requests = 0;

    constructor() {
        const { container } = this;
        bindConnection(container, this.backend, 500, this.workspace);
        container.bind<ConversationPage>(ConversationPage).toConstantValue({
            view: this.view,
            offerCommands: commands => this.offered.push(...commands.map(({ name }) => name)),
            askText: async () => (await this.typing) ?? this.typed,
            confirmNeverAsking: async () => {
                this.asked++;
                return this.neverAsking;
            },
            filePath: async name => {
                await this.lookUp;
                return name.startsWith('known') ? `/work/project/${name}` : undefined;
            },
            editorContext: () => this.editor,
            diffs: {
                isInView: () => this.isDiffInView,
                openForPermission: ({ edit }) => this.diffs.push(`open ${edit.turnId} ${edit.toolId}`),
                closeForPermission: ({ turnId, toolId }) => this.diffs.push(`close ${turnId} ${toolId}`)
            },
            changes: this.changes,
            countTokens: (model, requestId, { outputTokens }) => this.tokens.push(`${model} ${requestId} ${outputTokens}`)
        });
        container.bind(Conversations).toSelf();
        container.bind(QwenChatAgent).toSelf();
        this.connection = container.get(BackendConnection);
        this.conversations = container.get(Conversations);
        this.agent = container.get(QwenChatAgent);
        this.connection.enable();
    }

    /** Sends a message, as Theia does when the user presses Enter. */
    async ask(text: string, modeId = 'default'): Promise<MutableChatRequestModel> {
        const request = this.request(text, modeId);
        await this.agent.invoke(request);
        return request;
    }

    /** Sends a message, and the backend says that it is a turn now. */
    async begin(text = 'hello'): Promise<MutableChatRequestModel> {
        const request = await this.ask(text);
        this.backend.say({ kind: 'turn', turnId: request.id, origin: 'own', prompt: text });
        return request;
    }

    /** Named in their order: `turn-1`, `turn-2`, … */
    request(text: string, modeId = 'default', chat = this.chat): MutableChatRequestModel {
        const request = chat.addRequest(
            {
                request: { text: `@Qwen ${text}`, modeId },
                parts: [
                    new ParsedChatRequestAgentPart({ start: 0, endExclusive: 5 }, 'Qwen', 'Qwen'),
                    new ParsedChatRequestTextPart({ start: 5, endExclusive: 6 + text.length }, ` ${text}`)
                ],
                toolRequests: new Map(),
                variables: []
            },
            'Qwen'
        );
        const id = `turn-${++this.requests}`;
        Object.assign(request.response, { _requestId: id });
        return Object.assign(request, { _id: id });
    }

    /** The parts of a response, as a reader sees them. */
    static shown(request: MutableChatRequestModel): string[] {
        return request.response.response.content
            .map(content => {
                if (content instanceof ToolContent) {
                    const details = toolDetails(content);
                    return `tool ${content.name} ${details?.status}: ${typeof content.result === 'string' ? content.result : ''}`;
                }
                if (content instanceof QuestionResponseContentImpl) {
                    return `question ${content.options.map(({ text }) => text).join('|')} -> ${content.selectedOptions?.map(({ text }) => text).join(', ') ?? '?'}`;
                }
                if (content instanceof ProblemContent) {
                    return `problem ${content.data.code}: ${content.asString()}`;
                }
                if (content.kind === 'thinking') {
                    return `thinking ${content.asString?.()}`;
                }
                if (content instanceof NoticeContent) {
                    return `notice ${content.data.message}`;
                }
                return content.asString?.() ?? '';
            })
            .filter(text => text !== '');
    }

    static question(request: MutableChatRequestModel, index = 0): QuestionResponseContentImpl {
        const questions = request.response.response.content.filter(content => content instanceof QuestionResponseContentImpl);
        return questions[index];
    }

    /** Chooses as Theia's question part does. */
    static async choose(question: QuestionResponseContentImpl, text: string): Promise<void> {
        const option = question.options.find(candidate => candidate.text === text);
        if (!option) {
            throw new Error(`No option '${text}'`);
        }
        question.selectedOption = option;
        await (question.handler as (chosen: typeof option) => unknown)(option);
    }
}
