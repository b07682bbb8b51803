// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { QuickPickItem, QuickPickSeparator } from '@theia/core/lib/common/quick-pick-service';
import { withoutIcons } from 'theia-cli-companion/lib/common';
import { SessionSummary } from '../../common/qwen-daemon-protocol';

export interface SessionItem extends QuickPickItem {
    session?: SessionSummary;
    /** Chosen, it asks for the list again. */
    retry?: boolean;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * The list of earlier sessions, by day, in the order in which they come.
 * @param isShown whether a chat of this window shows the session
 */
export function sessionItems(
    sessions: readonly SessionSummary[],
    isShown: (sessionId: string) => boolean,
    now = new Date()
): (SessionItem | QuickPickSeparator)[] {
    const items: (SessionItem | QuickPickSeparator)[] = [];
    let last: string | undefined;
    for (const session of sessions) {
        const age = ageOf(new Date(session.updatedAt), now);
        if (age !== last) {
            items.push({ type: 'separator', label: age });
            last = age;
        }
        items.push(sessionItem(session, isShown(session.sessionId)));
    }
    return items;
}

/** The first line of the first prompt, where the session has no other title. */
export function sessionTitle({ title }: Pick<SessionSummary, 'title'>): string {
    const [line] = title.trim().split(/\s*[\r\n]\s*/);
    return withoutIcons(line) || nls.localize('theia/qwen-daemon/sessions/untitled', 'Without a title');
}

function sessionItem(session: SessionSummary, shown: boolean): SessionItem {
    const label = sessionTitle(session);
    const date = new Intl.DateTimeFormat(nls.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(session.updatedAt);
    const detail = session.active
        ? nls.localize('theia/qwen-daemon/sessions/active', 'Running')
        : shown
          ? nls.localize('theia/qwen-daemon/sessions/shown', 'Open in a chat of this window')
          : undefined;
    const rename = { iconClass: 'codicon codicon-edit', tooltip: nls.localizeByDefault('Rename') };
    return {
        session,
        label,
        description: date,
        detail,
        // The name is the chat's, which Theia keeps.
        buttons: session.chatSessionId === undefined ? undefined : [rename],
        ariaLabel: [label, date, detail].filter(text => text).join(', ')
    };
}

function ageOf(date: Date, now: Date): string {
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
    const time = date.getTime();
    if (time >= midnight) {
        return nls.localize('theia/qwen-daemon/sessions/today', 'Today');
    }
    if (time >= midnight - DAY) {
        return nls.localize('theia/qwen-daemon/sessions/yesterday', 'Yesterday');
    }
    return time >= midnight - 6 * DAY
        ? nls.localize('theia/qwen-daemon/sessions/week', 'In the last 7 days')
        : nls.localize('theia/qwen-daemon/sessions/older', 'Older');
}
