// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { StartableCli } from '../../common/companion-protocol';
import { listOf } from '../../common/sentences';

/** The command that connects a running CLI. */
export const ENABLE_COMMAND = '/ide enable';

/** @param time in milliseconds since the epoch */
export function describeTime(time: number): string {
    return new Intl.DateTimeFormat(nls.locale ?? 'en', { timeStyle: 'short' }).format(time);
}

/** @param time in milliseconds since the epoch */
export function describeDay(time: number): string {
    return new Intl.DateTimeFormat(nls.locale ?? 'en', { dateStyle: 'medium' }).format(time);
}

/** @param age in milliseconds; a clock that was set back makes it negative */
export function describeAge(age: number): string {
    const seconds = Math.max(0, Math.round(age / 1000));
    const [value, unit] =
        seconds < 60
            ? [seconds, 'second' as const]
            : seconds < 3600
              ? [seconds / 60, 'minute' as const]
              : [seconds / 3600, 'hour' as const];
    return new Intl.RelativeTimeFormat(nls.locale ?? 'en', { numeric: 'auto', style: 'short' }).format(-Math.floor(value), unit);
}

export function copyLabel(): string {
    return nls.localize('theia/cli-companion/status/copyCommand', 'Copy Command');
}

/** `qwen or gemini` */
export function listCommands(clis: readonly StartableCli[]): string {
    return listOf(
        clis.map(({ command }) => command),
        'disjunction'
    );
}
