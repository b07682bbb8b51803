// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalContribution, TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { TheiaInternals } from '../window/theia-internals';

/** OSC 10 and 11 ask for the colours of text and background. */
const COLOR_QUERIES = [10, 11];

/**
 * Keeps a terminal from answering old questions. After a reload or a lost connection Theia (1.74) prints once more what the terminal printed
 * before. Qwen Code (0.24) asks for the background when it starts; a second answer, much later, would be text in its prompt
 * (docs/theia-workarounds.md, "A terminal answers old questions after a reload").
 */
@injectable()
export class ReplayedQueries implements TerminalContribution {
    @inject(TheiaInternals)
    protected readonly internals: TheiaInternals;

    onCreate(terminal: TerminalWidgetImpl): void {
        if (!this.internals.has(terminal, 'getTerminal', 'TerminalWidgetImpl.getTerminal')) {
            return;
        }
        const start = terminal.start.bind(terminal);
        const toDispose = new DisposableCollection();
        terminal.onDispose(() => toDispose.dispose());
        terminal.start = id => {
            // With an id it attaches to a shell that has printed something.
            if (id !== undefined) {
                toDispose.dispose();
                toDispose.push(this.ignoreColorQueries(terminal));
            }
            return start(id);
        };
        // Nobody types before the old output is printed; what they start afterwards may ask.
        terminal.onKey(() => toDispose.dispose());
    }

    protected ignoreColorQueries(terminal: TerminalWidgetImpl): Disposable {
        const { parser } = terminal.getTerminal();
        return new DisposableCollection(...COLOR_QUERIES.map(code => parser.registerOscHandler(code, data => data.includes('?'))));
    }
}
