// SPDX-License-Identifier: Apache-2.0

import { AgentReport, harmlessText } from './agent-report';

/** Digits are commands of ConEmu's family, such as 4 for progress and 9 for the folder (prompts of pwsh, oh-my-posh and nushell). */
const COMMAND = /^(\d+(;|$)|$)/;
/** kitty: keys, and text. */
const KITTY = /^([^;]*);(.*)$/s;
/** Shells tell each command that has ended: VTE's `vte.sh` says "Command completed". */
const OVER = /^(command|process|job)\b.*\b(completed|finished|done|exited)\b/i;

interface Notification {
    readonly text: string;
    /** It tells what happened, and wants nobody. */
    readonly isNews: boolean;
}

/** Notifications that a program gives its terminal: iTerm2's OSC 9, kitty's 99 and rxvt's 777. They say that somebody is wanted, and no more. */
export class Attention {
    report: AgentReport | undefined;
    /** Of kitty's notification of low urgency. Its later pieces do not repeat that. */
    protected lowId: string | undefined;

    /** @param code of the sequence. @param data what follows */
    take(code: string, data: string): void {
        const { text, isNews } = this.read(code, data) ?? {};
        if (text !== undefined) {
            this.report = { state: isNews ? 'done' : 'blocked', message: harmlessText(text) || undefined };
        }
    }

    ask(): void {
        this.report = { state: 'blocked' };
    }

    end(): void {
        this.report = undefined;
    }

    /** @returns `undefined` if it is no notification */
    protected read(code: string, data: string): Notification | undefined {
        if (code === '9') {
            return COMMAND.test(data) ? undefined : { text: data, isNews: OVER.test(data) };
        }
        if (code === '777') {
            const [command, title = '', ...body] = data.split(';');
            return command === 'notify' ? { text: body.join(';') || title, isNews: OVER.test(title) } : undefined;
        }
        const [, keys, text] = (code === '99' && KITTY.exec(data)) || [];
        const pairs = keys?.split(':') ?? [];
        if (text === undefined || pairs.some(pair => /^p=(?!title$|body$)/.test(pair))) {
            return undefined;
        }
        const id = pairs.find(pair => pair.startsWith('i='));
        const isNews = pairs.includes('u=0') || (id !== undefined && id === this.lowId);
        this.lowId = isNews ? id : undefined;
        return { text: pairs.includes('e=1') ? Buffer.from(text, 'base64').toString() : text, isNews };
    }
}
