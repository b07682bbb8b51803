// SPDX-License-Identifier: Apache-2.0

import { AgentReport, harmlessText } from './agent-report';

/** `9;4;…` is progress. */
const PROGRESS = /^4(;|$)/;
/** kitty: keys, and text. */
const KITTY = /^([^;]*);(.*)$/s;

/** Notifications that a program gives its terminal: iTerm2's OSC 9, kitty's 99 and rxvt's 777. They say that somebody is wanted, and no more. */
export class Attention {
    report: AgentReport | undefined;

    /** @param code of the sequence. @param data what follows */
    take(code: string, data: string): void {
        const text = textOf(code, data);
        if (text !== undefined) {
            this.ask(text);
        }
    }

    ask(text = ''): void {
        this.report = { state: 'blocked', message: harmlessText(text) || undefined };
    }

    end(): void {
        this.report = undefined;
    }
}

/** @returns `undefined` if it is no notification */
function textOf(code: string, data: string): string | undefined {
    if (code === '9') {
        return PROGRESS.test(data) ? undefined : data;
    }
    if (code === '777') {
        const [command, title = '', ...body] = data.split(';');
        return command === 'notify' ? body.join(';') || title : undefined;
    }
    const [, keys, text] = (code === '99' && KITTY.exec(data)) || [];
    const pairs = keys?.split(':') ?? [];
    const isOther = pairs.some(pair => /^p=(?!title$|body$)/.test(pair));
    return isOther ? undefined : pairs.includes('e=1') ? Buffer.from(text, 'base64').toString() : text;
}
