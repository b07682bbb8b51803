// SPDX-License-Identifier: Apache-2.0

import { CallToolResult, ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { z } from 'zod/v4';
import { FileDiagnostics, IdeContext, Mention } from '../../common/companion-protocol';
import { ActiveSelection, activeSelection } from '../claude/active-selection';
import { CompanionNotification, SessionWindow } from '../server/cli-session';
import { McpSession, SessionTimings } from '../mcp/mcp-session';
import { CompanionTool, failure } from '../mcp/tool-server';
import { WaitingDiffs } from '../mcp/waiting-diffs';

/** How long the answer to its last diff may take to leave. */
const RETIRED_GRACE_MS = 1_000;

const NOTHING: IdeContext = { workspaceState: { openFiles: [] } };

/** A session of Copilot CLI: its tools and notifications over the reviews and the context of a window. */
export class CopilotSession extends McpSession {
    readonly diffs: WaitingDiffs;
    /** The newest context that its CLI may know. */
    protected newest: IdeContext = NOTHING;
    protected isRetired = false;

    /** @param window in which the CLI runs, once it is known */
    constructor(
        cliId: string,
        serverInfo: { name: string; version: string },
        timings: SessionTimings,
        protected readonly window: Promise<SessionWindow>,
        onInitialised: (session: McpSession) => void
    ) {
        // Those of its beginning: a session keeps its tools.
        const tools = toolsOf(window);
        super(cliId, serverInfo, () => tools, timings, onInitialised);
        this.diffs = new WaitingDiffs(this, () => window);
    }

    override notify(notification: CompanionNotification): boolean {
        if (notification.method !== 'ide/contextUpdate') {
            return this.diffs.answer(notification);
        }
        if (this.isRetired) {
            return true;
        }
        this.newest = notification.params;
        return super.notify(notification);
    }

    /** Its `selection` rides on every prompt until another one comes. */
    get selection(): ActiveSelection {
        return activeSelection(this.newest) ?? EMPTY;
    }

    mention(mentions: readonly Mention[]): boolean {
        if (this.state !== 'streaming' || this.isRetired) {
            return false;
        }
        mentions.forEach(mention => void this.tell('add_file_reference', referenceOf(mention)).catch(() => undefined));
        return true;
    }

    async diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]> {
        return this.isRetired ? [] : (await this.window).diagnostics(uri);
    }

    /** The lock by which it came says what is no longer so: it gets no context from now on, and ends after its open diffs. */
    retire(): void {
        if (!this.isRetired) {
            this.notify({ method: 'ide/contextUpdate', params: NOTHING });
            this.isRetired = true;
            this.endIfRetired();
        }
    }

    endIfRetired(): void {
        if (this.isRetired && !this.diffs.any) {
            setTimeout(() => void this.close(), RETIRED_GRACE_MS).unref();
        }
    }

    override async close(): Promise<void> {
        this.diffs.giveUpAll();
        await super.close();
    }

    /** The CLI first asks for a newer protocol, and waits for ten seconds if that is refused by a status (1.0.102). */
    protected override async respond(request: Request): Promise<Response> {
        const copy = this.id === '' ? request.clone() : undefined;
        const response = await super.respond(request);
        // The body was read as a whole, within the limit of the transport.
        const asked = copy && response.status === 400 ? requestSchema.safeParse(await copy.json().catch(() => undefined)).data : undefined;
        return asked?.method === 'server/discover'
            ? Response.json({ jsonrpc: '2.0', id: asked.id, error: { code: ErrorCode.MethodNotFound, message: 'Method not found' } })
            : response;
    }

    protected override sendContext(context: IdeContext): Promise<void> {
        return this.tell('selection_changed', activeSelection(context) ?? EMPTY);
    }
}

const START = { line: 0, character: 0 };

/** Without an active file. The CLI keeps the last selection until it gets another one (1.0.102). */
const EMPTY = { text: '', filePath: '', fileUrl: '', selection: { start: START, end: START, isEmpty: true } };

const requestSchema = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

/** For `add_file_reference`, counted from 0; the end of the last line does not matter. */
function referenceOf({ path, lines }: Mention): object {
    const selection = lines && {
        start: { line: lines.first - 1, character: 0 },
        end: { line: lines.last - 1, character: 0 }
    };
    return { filePath: path, fileUrl: FileUri.create(path).toString(), selection: selection ?? null, selectedText: null };
}

const openDiffSchema = z.object({
    original_file_path: z.string().describe('Absolute path of the file'),
    new_file_contents: z.string().describe('The whole proposed content of the file'),
    tab_name: z.string().describe('Names the diff in later calls')
});

const openDiff: CompanionTool<CopilotSession, z.infer<typeof openDiffSchema>> = {
    name: 'open_diff',
    description: 'Opens a diff view in the IDE and answers when the user has accepted or rejected it.',
    schema: openDiffSchema,
    async call({ original_file_path: file, new_file_contents: text, tab_name: tab }, session, cancelled) {
        const decision = await session.diffs.open(tab, file, text, cancelled);
        session.endIfRetired();
        if ('problem' in decision) {
            return failure(decision.problem);
        }
        return decision.outcome?.method === 'ide/diffAccepted'
            ? answer({
                  success: true,
                  result: 'SAVED',
                  trigger: 'accepted_via_button',
                  tab_name: tab,
                  message: 'The user accepted the changes'
              })
            : answer({
                  success: true,
                  result: 'REJECTED',
                  trigger: 'rejected_via_button',
                  tab_name: tab,
                  message: 'The user rejected the changes'
              });
    }
};

const closeDiffSchema = z.object({ tab_name: z.string().describe('As it was given to open_diff') });

const closeDiff: CompanionTool<CopilotSession, z.infer<typeof closeDiffSchema>> = {
    name: 'close_diff',
    description: 'Closes a diff view.',
    schema: closeDiffSchema,
    async call({ tab_name: tab }, session) {
        const wasOpen = await session.diffs.close(tab);
        session.endIfRetired();
        return answer({ success: true, already_closed: !wasOpen, tab_name: tab, message: wasOpen ? 'Closed' : 'No such diff is open' });
    }
};

const getSelection: CompanionTool<CopilotSession> = {
    name: 'get_selection',
    description: 'Reads which file the user looks at in the IDE, and which text is selected there.',
    schema: z.object({}),
    call: async (_, session) => answer(session.selection)
};

const getDiagnosticsSchema = z.object({ uri: z.string().nullish().describe('URI of a file; all files if it is left out') });

const getDiagnostics: CompanionTool<CopilotSession, z.infer<typeof getDiagnosticsSchema>> = {
    name: 'get_diagnostics',
    description: 'Reads the problems that the IDE has found.',
    schema: getDiagnosticsSchema,
    call: async ({ uri }, session) => answer(await session.diagnostics(uri ?? undefined))
};

/** Its name is the user's first prompt: nothing is done with it, and nothing logs it. */
const updateSessionName: CompanionTool<CopilotSession> = {
    name: 'update_session_name',
    description: 'Tells the name of the session.',
    schema: z.object({ name: z.string() }),
    call: async () => answer({ success: true })
};

/** Without those for reviews, the CLI asks in the terminal. */
async function toolsOf(window: Promise<SessionWindow>): Promise<ReadonlyArray<CompanionTool<CopilotSession>>> {
    const { reviewsOffered } = await window;
    return [...(reviewsOffered ? [openDiff, closeDiff] : []), getSelection, getDiagnostics, updateSessionName];
}

function answer(value: object): CallToolResult {
    return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}
