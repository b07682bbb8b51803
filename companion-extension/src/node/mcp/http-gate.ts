// SPDX-License-Identifier: Apache-2.0

import { createHash, timingSafeEqual } from 'crypto';
import { CompanionLimits } from '../../common/companion-protocol';

/** What the gate reads of a request: the raw request line and headers, never a byte of the body. */
export interface GateRequest {
    readonly method?: string;
    readonly url?: string;
    /** Names and values in turn, as Node gives them. */
    readonly rawHeaders: readonly string[];
}

export type GateDecision =
    | { readonly pass: true; readonly cliId: string }
    /** `reason` is safe to log and to send: it holds nothing of the request. */
    | { readonly pass: false; readonly status: number; readonly reason: string; readonly headers?: Readonly<Record<string, string>> };

export const MCP_PATH = '/mcp';

/**
 * Bytes of one request's body: a proposal of the largest size, of whose characters JSON makes at most six bytes each (`\u0001`), and what
 * stands around it. A CLI gives up at a 413; a longer text that still fits here gets an error of the tool, and the session lives.
 */
export const MAX_BODY_BYTES = 6 * CompanionLimits.reviewText + 1024 * 1024;

/** The CLIs send about twelve. Node leaves out, or refuses, what comes after a thousand. */
const MAX_HEADERS = 100;

const METHODS = ['POST', 'GET', 'DELETE'];

/** Headers that decide something: two of them would leave open which one counts (request smuggling). */
const SINGLE_HEADERS = [
    'host',
    'origin',
    'authorization',
    'content-type',
    'content-length',
    'content-encoding',
    'expect',
    'transfer-encoding',
    'mcp-session-id',
    'mcp-protocol-version'
];

/**
 * Decides, before anything of a request is parsed, whether it may go on, and which CLI sends it. Any program and any
 * web page on the machine can reach a loopback port; cloud workspaces expose it to the internet.
 *
 * The order is that of design rule 1: duplicate headers, exact Host, no Origin, token, path, method, type, size.
 */
export class HttpGate {
    private readonly hosts: ReadonlySet<string>;
    private readonly digests: ReadonlyArray<{ cliId: string; digest: Buffer }>;

    /** @param tokens each CLI's token, by the CLI's id */
    constructor(port: number, tokens: ReadonlyMap<string, string>) {
        this.hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
        this.digests = [...tokens].map(([cliId, token]) => ({ cliId, digest: sha256(token) }));
    }

    check(request: GateRequest): GateDecision {
        if (request.rawHeaders.length > 2 * MAX_HEADERS) {
            return refuse(431, 'Too many headers');
        }
        const headers = collectHeaders(request.rawHeaders);
        if (SINGLE_HEADERS.some(name => (headers.get(name)?.length ?? 0) > 1)) {
            return refuse(400, 'A header stands twice');
        }
        const header = (name: string): string | undefined => headers.get(name)?.[0];
        if (!this.hosts.has(header('host') ?? '')) {
            return refuse(403, 'Wrong Host');
        }
        // A browser sends these, the CLIs never do (Gemini CLI 0.61, Qwen Code 0.24). Their fetch does send Sec-Fetch-Mode.
        if (headers.has('origin') || headers.has('sec-fetch-site')) {
            return refuse(403, 'Browsers have no access');
        }
        const cliId = this.cliOf(header('authorization'));
        if (cliId === undefined) {
            return refuse(401, 'Unauthorized', { 'WWW-Authenticate': 'Bearer' });
        }
        if (request.url !== MCP_PATH) {
            return refuse(404, 'Not found');
        }
        if (!METHODS.includes(request.method ?? '')) {
            return refuse(405, 'Method not allowed', { Allow: METHODS.join(', ') });
        }
        return this.checkBody(request.method === 'POST', header) ?? { pass: true, cliId };
    }

    private checkBody(isPost: boolean, header: (name: string) => string | undefined): GateDecision | undefined {
        if (!/^(100-continue)?$/i.test(header('expect') ?? '')) {
            return refuse(417, 'Unknown expectation');
        }
        if (header('content-encoding') !== undefined) {
            return refuse(415, 'Compressed bodies are not supported');
        }
        if (isPost && !/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
            return refuse(415, 'Content-Type must be application/json');
        }
        const length = header('content-length');
        if (length !== undefined && !/^\d{1,15}$/.test(length)) {
            return refuse(400, 'Malformed Content-Length');
        }
        if (Number(length ?? 0) > MAX_BODY_BYTES) {
            return refuse(413, `The request is larger than ${MAX_BODY_BYTES} bytes`);
        }
        return undefined;
    }

    /** Compares with every token, and digests, so that the time taken tells nothing about any of them. */
    private cliOf(authorization: string | undefined): string | undefined {
        const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? '';
        const digest = sha256(token);
        let found: string | undefined;
        for (const candidate of this.digests) {
            if (timingSafeEqual(candidate.digest, digest)) {
                found = candidate.cliId;
            }
        }
        return token ? found : undefined;
    }
}

function collectHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
    const headers = new Map<string, string[]>();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
        const name = rawHeaders[index].toLowerCase();
        headers.set(name, [...(headers.get(name) ?? []), rawHeaders[index + 1]]);
    }
    return headers;
}

function sha256(text: string): Buffer {
    return createHash('sha256').update(text).digest();
}

function refuse(status: number, reason: string, headers?: Record<string, string>): GateDecision {
    return { pass: false, status, reason, headers };
}
