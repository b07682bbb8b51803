// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { isActivationKey } from '@theia/core/lib/browser/keyboard/keyboard-utils';
import * as React from '@theia/core/shared/react';

export interface WordButton {
    id: string;
    /** What the button says; where there is no room for it, the icon stands alone. */
    word: string;
    /** Name of a codicon. */
    icon: string;
    tooltip: string;
    run(): void;
}

/** A button of a tab bar with icon and word. An item of Theia 1.74 that has an icon shows no word. */
export function renderWordButton({ id, word, icon, tooltip, run }: WordButton): React.ReactNode {
    return React.createElement(
        'div',
        { key: id, className: 'item enabled companion-review-button' },
        React.createElement(
            'div',
            {
                id,
                className: 'action-label',
                role: 'button',
                tabIndex: 0,
                title: tooltip,
                'aria-label': word,
                onClick: (event: React.MouseEvent) => {
                    event.stopPropagation();
                    // The second click of a double click may come to the next proposal's button, which has just come to this place.
                    if (event.detail <= 1) {
                        run();
                    }
                },
                onKeyDown: (event: React.KeyboardEvent) => {
                    if (isActivationKey(event)) {
                        event.preventDefault();
                        event.stopPropagation();
                        if (!event.repeat) {
                            run();
                        }
                    }
                }
            },
            React.createElement('span', { className: codicon(icon), 'aria-hidden': true }),
            React.createElement('span', { className: 'companion-review-word', 'aria-hidden': true }, word)
        )
    );
}
