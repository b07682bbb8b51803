// SPDX-License-Identifier: Apache-2.0

import { createHash, timingSafeEqual } from 'crypto';
import { IncomingMessage } from 'http';
import { CompanionLimits } from '../../common/companion-limits';

/** The part of a request that the gate reads: the raw request line and headers, never a byte of the body. */
type GateRequest = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

export interface GateRefusal {
    readonly pass: false;
    readonly status: number;
    /** Safe to log and to send: it holds nothing of the request. */
    readonly reason: string;
    readonly headers?: Readonly<Record<string, string>>;
}

type GateDecision = { readonly pass: true; readonly cliId: string } | GateRefusal;

export const MCP_PATH = '/mcp';

/** The entrance of a listener: requests to its one path, of clients that have its token. */
export interface Entrance {
    readonly path: string;
    readonly methods: readonly string[];
    /** In lower case. */
    readonly tokenHeader: string;
    /** The header's value; its one group is the token. */
    readonly tokenPattern: RegExp;
    /** The hosts that a request may name, where the listener has no port. */
    readonly hosts?: readonly string[];
}

/** MCP over HTTP, for the family of Gemini CLI. */
const MCP_ENTRANCE: Entrance = {
    path: MCP_PATH,
    methods: ['POST', 'GET', 'DELETE'],
    tokenHeader: 'authorization',
    tokenPattern: /^Bearer ([\x21-\x7e]+)$/i
};

/**
 * Bytes of one request's body: the largest proposal, whose characters take six bytes of JSON each at most (`\u0001`), and what stands
 * around it. A CLI gives up at a 413; a longer text that still fits here gets an error of the tool, and the session lives.
 */
export const MAX_BODY_BYTES = 6 * CompanionLimits.reviewText + 1024 * 1024;

/** The CLIs send about twelve. Node leaves out, or refuses, what comes after a thousand. */
const MAX_HEADERS = 100;

/** Headers that decide something: two of them would leave open which one counts (request smuggling). */
const SINGLE_HEADERS = [
    'host',
    'origin',
    'content-type',
    'content-length',
    'content-encoding',
    'expect',
    'transfer-encoding',
    'mcp-session-id',
    'mcp-protocol-version',
    'sec-websocket-key',
    'sec-websocket-version'
];

/** A request as the guards see it, and what it is compared with. */
interface Visitor {
    readonly method: string | undefined;
    readonly url: string | undefined;
    /** Headers by their names in lower case. */
    readonly headers: ReadonlyMap<string, readonly string[]>;
    readonly headerCount: number;
    header(name: string): string | undefined;
    /** The hosts that a request may name. */
    readonly hosts: ReadonlySet<string>;
    readonly entrance: Entrance;
    /** The CLI whose token the request has. */
    sender(): string | undefined;
}

/** Says why a request may not go on; nothing if this guard has no objection. */
type Guard = (visitor: Visitor) => GateRefusal | undefined;

/**
 * The guards in the order in which they are asked: the first objection decides. `docs/security.md` and
 * `configs/conformance/guards.json` have the same list.
 */
export const GUARDS: readonly Guard[] = [
    numberOfHeaders,
    duplicateHeaders,
    host,
    origin,
    token,
    path,
    method,
    expectation,
    contentType,
    size
];

/**
 * Decides, before anything of a request is parsed, whether it may go on, and which CLI sends it. Any program and any
 * web page on the machine can reach a loopback port; cloud workspaces expose it to the internet.
 */
export class HttpGate {
    protected readonly hosts: ReadonlySet<string>;
    protected readonly digests: ReadonlyArray<{ cliId: string; digest: Buffer }>;

    /** @param tokens each CLI's token, by the CLI's id */
    constructor(
        port: number | undefined,
        tokens: ReadonlyMap<string, string>,
        protected readonly entrance: Entrance = MCP_ENTRANCE
    ) {
        this.hosts = new Set(entrance.hosts ?? [`127.0.0.1:${port}`, `localhost:${port}`]);
        this.digests = [...tokens].map(([cliId, secret]) => ({ cliId, digest: sha256(secret) }));
    }

    check(request: GateRequest): GateDecision {
        const visitor = this.visitor(request);
        for (const guard of GUARDS) {
            const refusal = guard(visitor);
            if (refusal) {
                return refusal;
            }
        }
        return { pass: true, cliId: visitor.sender() ?? '' };
    }

    protected visitor({ method: verb, url, rawHeaders }: GateRequest): Visitor {
        const headers = new Map<string, string[]>();
        for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
            const name = rawHeaders[index].toLowerCase();
            const values = headers.get(name);
            if (values) {
                values.push(rawHeaders[index + 1]);
            } else {
                headers.set(name, [rawHeaders[index + 1]]);
            }
        }
        const header = (name: string): string | undefined => headers.get(name)?.[0];
        const sender = (): string | undefined => this.cliOf(header(this.entrance.tokenHeader));
        const { hosts, entrance } = this;
        return { method: verb, url, headers, headerCount: rawHeaders.length / 2, header, hosts, entrance, sender };
    }

    /** Compares with every token, and digests, so that the time taken reveals nothing about any of them. */
    protected cliOf(value: string | undefined): string | undefined {
        const secret = this.entrance.tokenPattern.exec(value ?? '')?.[1] ?? '';
        const digest = sha256(secret);
        let found: string | undefined;
        for (const candidate of this.digests) {
            if (timingSafeEqual(candidate.digest, digest)) {
                found = candidate.cliId;
            }
        }
        return secret ? found : undefined;
    }
}

function numberOfHeaders({ headerCount }: Visitor): GateRefusal | undefined {
    return headerCount > MAX_HEADERS ? refuse(431, 'Too many headers') : undefined;
}

function duplicateHeaders({ headers, entrance }: Visitor): GateRefusal | undefined {
    return [entrance.tokenHeader, ...SINGLE_HEADERS].some(name => (headers.get(name)?.length ?? 0) > 1)
        ? refuse(400, 'A header stands twice')
        : undefined;
}

function host({ header, hosts }: Visitor): GateRefusal | undefined {
    return hosts.has(header('host') ?? '') ? undefined : refuse(403, 'Wrong Host');
}

/** A browser sends these, the CLIs never do (Gemini CLI 0.61, Qwen Code 0.24). Their fetch does send Sec-Fetch-Mode. */
function origin({ headers }: Visitor): GateRefusal | undefined {
    return headers.has('origin') || headers.has('sec-fetch-site') ? refuse(403, 'Browsers have no access') : undefined;
}

function token({ sender }: Visitor): GateRefusal | undefined {
    return sender() === undefined
        ? refuse(401, 'Unauthorized: this is not the token of the discovery file', { 'WWW-Authenticate': 'Bearer' })
        : undefined;
}

function path({ url, entrance }: Visitor): GateRefusal | undefined {
    return url === entrance.path ? undefined : refuse(404, 'Not found');
}

function method({ method: verb, entrance: { methods } }: Visitor): GateRefusal | undefined {
    return methods.includes(verb ?? '') ? undefined : refuse(405, 'Method not allowed', { Allow: methods.join(', ') });
}

function expectation({ header }: Visitor): GateRefusal | undefined {
    return /^(100-continue)?$/i.test(header('expect') ?? '') ? undefined : refuse(417, 'Unknown expectation');
}

function contentType({ method: verb, header }: Visitor): GateRefusal | undefined {
    if (header('content-encoding') !== undefined) {
        return refuse(415, 'Compressed bodies are not supported');
    }
    const isJson = /^application\/json\s*(;|$)/i.test(header('content-type') ?? '');
    return verb === 'POST' && !isJson ? refuse(415, 'Content-Type must be application/json') : undefined;
}

function size({ header }: Visitor): GateRefusal | undefined {
    const length = header('content-length') ?? '0';
    if (!/^\d{1,15}$/.test(length)) {
        return refuse(400, 'Malformed Content-Length');
    }
    return Number(length) > MAX_BODY_BYTES ? refuse(413, `The request is larger than ${MAX_BODY_BYTES} bytes`) : undefined;
}

function refuse(status: number, reason: string, headers?: Record<string, string>): GateRefusal {
    return { pass: false, status, reason, headers };
}

function sha256(text: string): Buffer {
    return createHash('sha256').update(text).digest();
}
