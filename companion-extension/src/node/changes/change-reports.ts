// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { IncomingMessage, ServerResponse } from 'http';
import * as path from 'path';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { FileText } from '../../common/changes/line-hunks';
import { REPORT_PATH, ReportHooks } from '../discovery/report-hooks';
import { HttpGate } from '../mcp/http-gate';
import { HttpListener } from '../mcp/http-listener';
import { ListenerBudget } from '../mcp/listener-budget';
import { RefusalLog } from '../mcp/refusal-log';
import { contentOf } from './file-text';

const MAX_REPORT_BYTES = 16 * 1024 * 1024;
const MAX_PATH_LENGTH = 4096;
const STOP_GRACE_MS = 500;

/** A CLI has written a file. */
export interface ChangeReport {
    readonly cliId: string;
    /** Absolute, as the CLI names it. */
    readonly file: string;
    /** What stood there before; `undefined` if the CLI does not say. */
    readonly original: FileText | undefined;
    /** As the CLI names its mode, such as `acceptEdits`. */
    readonly mode: string | undefined;
}

/** Who reports, and how its hook says what it has written. */
interface Reporter {
    readonly cliId: string;
    /** Reads a hook's payload. @returns `undefined` if it wrote no file that is known */
    readonly parse: (payload: unknown) => Omit<ChangeReport, 'cliId'> | undefined;
}

/** Hears from the hooks of CLIs what they have written. A listener of its own: its tokens open nothing else. */
@injectable()
export class ChangeReports {
    @inject(ReportHooks)
    protected readonly hooks: ReportHooks;
    @inject(ListenerBudget)
    protected readonly budget: ListenerBudget;
    @inject(ILogger)
    @named('companion:ChangeReports')
    protected readonly logger: ILogger;

    protected listener: HttpListener | undefined;
    protected starting: Promise<void> | undefined;
    /** The log says it once. */
    protected hasFailed = false;
    protected readonly onDidReportEmitter = new Emitter<ChangeReport>();
    readonly onDidReport = this.onDidReportEmitter.event;

    /** Never rejects: without it nobody says who wrote. Tried again with the next call. */
    start(): Promise<void> {
        this.starting ??= this.listen().catch(error => {
            this.starting = undefined;
            if (!this.hasFailed) {
                this.hasFailed = true;
                this.logger.warn('CLIs cannot report what they write', error);
            }
        });
        return this.starting;
    }

    /** First the files, then the port: what comes afterwards is a stranger's. */
    async stop(): Promise<void> {
        this.hooks.retireSync();
        const { listener } = this;
        this.listener = this.starting = undefined;
        await listener?.close(STOP_GRACE_MS);
    }

    protected async listen(): Promise<void> {
        const listener = new HttpListener(new RefusalLog(this.logger), this.budget);
        const port = await listener.listen();
        this.listener = listener;
        const tokens = new Map(REPORTERS.map(({ cliId }) => [cliId, randomBytes(32).toString('base64url')]));
        const entrance = { path: REPORT_PATH, methods: ['POST'], tokenHeader: 'authorization', tokenPattern: /^Bearer ([\x21-\x7e]+)$/i };
        listener.serve(new HttpGate(port, tokens, entrance), (request, response, cliId) => void this.receive(request, response, cliId));
        this.hooks.endpoint = { port, tokens };
        void this.hooks.retireOthers().catch(error => this.logger.warn('Hooks of earlier backends were not removed', error));
    }

    /** The CLI waits for the answer, which is always the same: a hook may neither stop it nor tell it anything. */
    protected async receive(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        const payload = await readJson(request);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
        const report = REPORTERS.find(reporter => reporter.cliId === cliId)?.parse(payload);
        if (report && path.isAbsolute(report.file) && report.file.length <= MAX_PATH_LENGTH) {
            this.onDidReportEmitter.fire({ cliId, ...report });
        }
    }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
    const parts: Buffer[] = [];
    let size = 0;
    try {
        for await (const part of request) {
            size += (part as Buffer).length;
            if (size > MAX_REPORT_BYTES) {
                return undefined;
            }
            parts.push(part as Buffer);
        }
        return JSON.parse(Buffer.concat(parts).toString('utf8'));
    } catch {
        return undefined;
    }
}

interface HookPayload {
    permission_mode?: unknown;
    tool_name?: unknown;
    tool_response?: unknown;
}

/** Seen with Qwen Code 0.24.4. For a new file it names an empty text before. */
function parseQwen(payload: unknown): ReturnType<Reporter['parse']> {
    const { tool_response: response, permission_mode: mode } = (payload ?? {}) as HookPayload;
    const shown = (response as { returnDisplay?: { filePath?: unknown; originalContent?: unknown } } | undefined)?.returnDisplay;
    const { filePath, originalContent } = shown ?? {};
    return typeof filePath === 'string' ? { file: filePath, original: normal(originalContent), mode: text(mode) } : undefined;
}

/** Seen with Claude Code 2.1.332: `originalFile` is null for a new file, and for one that is too large. */
function parseClaude(payload: unknown): ReturnType<Reporter['parse']> {
    const { tool_response: response, permission_mode: mode } = (payload ?? {}) as HookPayload;
    const { filePath, originalFile, type } = (response ?? {}) as { filePath?: unknown; originalFile?: unknown; type?: unknown };
    const original = type === 'create' && originalFile === null ? null : normal(originalFile);
    return typeof filePath === 'string' ? { file: filePath, original, mode: text(mode) } : undefined;
}

const REPORTERS: readonly Reporter[] = [
    { cliId: 'qwen-code', parse: parseQwen },
    { cliId: 'claude-code', parse: parseClaude }
];

function text(value: unknown): string | undefined {
    return typeof value === 'string' ? value : undefined;
}

/** As files are read. */
function normal(value: unknown): string | undefined {
    return typeof value === 'string' ? contentOf(Buffer.from(value), MAX_REPORT_BYTES) : undefined;
}
