// SPDX-License-Identifier: Apache-2.0

import { ToolDetails } from './tool-content';

/** What a tool call is about, as far as Qwen Code's own tools say it. */
export interface ToolFacts {
    command?: string;
    /** Absolute path. */
    file?: string;
    /** First and last line that was read, counted from 1. */
    lines?: [number, number];
    pattern?: string;
    /** What it changes: lines that go, and lines that come. */
    change?: { removed: string[]; added: string[] };
    output?: string;
    /** Of a command that failed. */
    exitCode?: number;
}

/** As a model wrote them. */
type Arguments = Partial<Record<string, unknown>>;

/** @param args as JSON text; of a very large call it is cut, and no JSON any more */
export function toolFacts(args: string | undefined, result: string, { toolKind, status, diff }: ToolDetails): ToolFacts {
    const known = parsed(args);
    const file = diff?.path ?? text(known.file_path) ?? text(known.absolute_path);
    const failure = status === 'failed' ? { output: result.trim() } : {};
    switch (toolKind) {
        case 'execute':
            return { command: text(known.command), ...commandResult(result) };
        case 'edit':
            return { file, change: changeOf(known, diff?.isNew ?? false), ...failure };
        case 'read':
            return { file, lines: linesOf(known), ...failure };
        case 'search':
            return { pattern: text(known.pattern), ...failure };
        default:
            return failure;
    }
}

/** The last lines, in which a command usually says how it ended. */
export function lastLines(output: string, count: number): string {
    const lines = output.split('\n');
    return (lines.length > count ? ['…', ...lines.slice(-count)] : lines).join('\n');
}

function parsed(args: string | undefined): Arguments {
    try {
        const known: unknown = JSON.parse(args || '{}');
        return typeof known === 'object' && known !== null ? (known as Arguments) : {};
    } catch {
        return {};
    }
}

function text(value: unknown): string | undefined {
    return typeof value === 'string' && value ? value : undefined;
}

/** Qwen Code (0.24) wraps what a command said into lines for the model. */
function commandResult(result: string): Pick<ToolFacts, 'output' | 'exitCode'> {
    const [, wrapped] = /^Output: ([^]*?)\nError: /m.exec(result) ?? [];
    const [, error] = /^Error: (.*)$/m.exec(result) ?? [];
    const [, code] = /^Exit Code: (-?\d+)$/m.exec(result.slice(wrapped?.length ?? 0)) ?? [];
    const output = wrapped === undefined ? result : wrapped === '(empty)' ? '' : wrapped;
    return {
        output: [output, wrapped !== undefined && error !== '(none)' ? error : ''].filter(part => part).join('\n'),
        exitCode: Number(code ?? 0) || undefined
    };
}

function changeOf(known: Arguments, isNew: boolean): ToolFacts['change'] {
    const before = typeof known.old_string === 'string' ? known.old_string : isNew ? '' : undefined;
    const after = typeof known.new_string === 'string' ? known.new_string : known.content;
    if (before === undefined || typeof after !== 'string') {
        return undefined;
    }
    const [removed, added] = [linesIn(before), linesIn(after)];
    while (removed.length && added.length && removed[0] === added[0]) {
        removed.shift();
        added.shift();
    }
    while (removed.length && added.length && removed.at(-1) === added.at(-1)) {
        removed.pop();
        added.pop();
    }
    return { removed, added };
}

function linesIn(content: string): string[] {
    return content === '' ? [] : content.replace(/\n$/, '').split('\n');
}

function linesOf({ offset, limit }: Arguments): ToolFacts['lines'] {
    return typeof offset === 'number' && typeof limit === 'number' ? [offset + 1, offset + limit] : undefined;
}
