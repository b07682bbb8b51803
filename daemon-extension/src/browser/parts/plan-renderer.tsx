// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { codicon } from '@theia/core/lib/browser/widgets';
import { nls } from '@theia/core/lib/common/nls';
import { injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { PlanEntry } from '../../common/session-events';
import { PlanContent } from './response-parts';

@injectable()
export class PlanRenderer implements ChatResponsePartRenderer<PlanContent> {
    canHandle(content: ChatResponseContent): number {
        return content instanceof PlanContent ? 20 : -1;
    }

    render(content: PlanContent): React.ReactNode {
        return (
            <div className="qwen-daemon-plan">
                <div className="qwen-daemon-plan-title">{nls.localize('theia/qwen-daemon/plan/title', 'Plan')}</div>
                <ul>
                    {content.entries.map((entry, index) => {
                        const { icon, label } = stateOf(entry.status);
                        return (
                            <li key={index} className={`qwen-daemon-plan-${entry.status}`} aria-label={`${entry.content}: ${label}`}>
                                <span className={codicon(icon)} title={label} />
                                <span>{entry.content}</span>
                            </li>
                        );
                    })}
                </ul>
            </div>
        );
    }
}

function stateOf(status: PlanEntry['status']): { icon: string; label: string } {
    switch (status) {
        case 'pending':
            return { icon: 'circle-large-outline', label: nls.localize('theia/qwen-daemon/plan/pending', 'to do') };
        case 'in_progress':
            return { icon: 'arrow-right', label: nls.localize('theia/qwen-daemon/plan/inProgress', 'in progress') };
        case 'completed':
            return { icon: 'pass', label: nls.localize('theia/qwen-daemon/plan/completed', 'done') };
    }
}
