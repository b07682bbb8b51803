// SPDX-License-Identifier: Apache-2.0

import { AgentState } from '../../common/companion-protocol';
import { AgentReport, harmlessText } from './agent-report';

/** The most urgent first. */
const STATES: readonly AgentState[] = ['blocked', 'error', 'working', 'done', 'idle'];
const KINDS = ['permission', 'question', 'auth'] as const;

const MAX_RECORDS = 256;
const MAX_ID_BYTES = 128;
const MAX_ID_DEPTH = 8;
const MAX_TITLE_BYTES = 192;
const MAX_MESSAGE_BYTES = 2048;

/** An application, and a segment of an id. */
const NAME = /^[A-Za-z0-9_.+-]{1,32}$/;
const PERCENT = /^(100|\d{1,2})$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The Program Status Protocol (OSC 7501, revision 0.4): a program says what it does, in one record for each of its parts. */
export class ProgramStatus {
    /** By id; the root's is empty. The one that was reported last is at the end. */
    protected readonly records = new Map<string, AgentReport>();

    /** Whether the program asks if reports are read. */
    static isQuery(payload: string): boolean {
        return payload.startsWith('?');
    }

    /** Takes a report: it replaces its record. A broken one changes nothing. @returns whether it was whole */
    take(payload: string): boolean {
        const pairs = payload.split(':').map(pair => /^([^=]*)=(.*)$/s.exec(pair));
        const values = new Map(pairs.flatMap(pair => (pair ? [[pair[1], pair[2]] as const] : [])));
        const id = values.get('id') ?? '';
        const title = decode(values.get('title'), MAX_TITLE_BYTES);
        const message = decode(values.get('msg'), MAX_MESSAGE_BYTES);
        if (!isReport(values) || (values.has('id') && !isId(id)) || title === undefined || message === undefined) {
            return false;
        }
        const state = STATES.find(known => known === values.get('state'));
        if (state === undefined) {
            this.clear(id);
            return true;
        }
        const kind = state === 'blocked' ? KINDS.find(known => known === values.get('kind')) : undefined;
        this.records.delete(id);
        const percent = state === 'working' ? values.get('progress') : undefined;
        const progress = percent === undefined ? {} : { progress: Number(percent) };
        const topic = harmlessText(title);
        this.records.set(id, {
            state,
            kind,
            app: values.get('app'),
            message: harmlessText(message) || topic || undefined,
            ...(topic && { topic }),
            ...progress
        });
        const [oldest] = this.records.keys();
        if (this.records.size > MAX_RECORDS) {
            this.records.delete(oldest);
        }
        return true;
    }

    /** The most urgent record. It has the application of the nearest part above it that names one. */
    get report(): AgentReport | undefined {
        const state = STATES.find(known => [...this.records.values()].some(record => record.state === known));
        const [id, record] = [...this.records].reverse().find(([, { state: its }]) => its === state) ?? [];
        if (id === undefined || record === undefined) {
            return undefined;
        }
        const segments = id.split('/');
        const above = segments.map((_, index) => segments.slice(0, segments.length - index).join('/'));
        return { ...record, app: [...above, ''].map(part => this.records.get(part)?.app).find(app => app !== undefined) };
    }

    /** The shell has the keyboard again: nothing works or waits any more. What has ended is still news. */
    endPrograms(): void {
        this.drop(({ state }) => state !== 'done' && state !== 'error');
    }

    /** The person has looked. */
    markSeen(): void {
        this.drop(({ state }) => state === 'done' || state === 'error');
    }

    /** Drops the record and those of its parts. */
    protected clear(id: string): void {
        this.drop((_, its) => id === '' || its === id || its.startsWith(`${id}/`));
    }

    protected drop(isMeant: (record: AgentReport, id: string) => boolean): void {
        [...this.records].filter(([id, record]) => isMeant(record, id)).forEach(([id]) => this.records.delete(id));
    }
}

function isReport(values: ReadonlyMap<string, string>): boolean {
    const fits = (key: string, check: (value: string) => boolean): boolean => !values.has(key) || check(values.get(key) ?? '');
    return (
        [...STATES, 'clear'].some(state => state === values.get('state')) &&
        fits('kind', kind => KINDS.some(known => known === kind)) &&
        fits('progress', progress => PERCENT.test(progress)) &&
        fits('app', app => NAME.test(app))
    );
}

function isId(id: string): boolean {
    const segments = id.split('/');
    return id.length <= MAX_ID_BYTES && segments.length <= MAX_ID_DEPTH && segments.every(segment => NAME.test(segment));
}

/** @returns `undefined` if it is no text that the protocol allows */
function decode(base64 = '', limit: number): string | undefined {
    if (!BASE64.test(base64) || base64.replace(/=+$/, '').length % 4 === 1) {
        return undefined;
    }
    try {
        const bytes = Buffer.from(base64, 'base64');
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        return bytes.length > limit || /\p{Cc}/u.test(text) ? undefined : text;
    } catch {
        return undefined;
    }
}
