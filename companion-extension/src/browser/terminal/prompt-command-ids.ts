// SPDX-License-Identifier: Apache-2.0

import { Command } from '@theia/core/lib/common/command';
import { StartableCli } from '../../common/companion-protocol';
import { defineCommand } from '../companion-command';

export const PROMPT_COMMANDS = {
    ADD_SELECTION: defineCommand(
        'companion.prompt.addSelection',
        'theia/cli-companion/commands/addSelection',
        'Add Selection to CLI Prompt'
    ),
    ADD_FILE: defineCommand('companion.prompt.addFile', 'theia/cli-companion/commands/addFile', 'Add File to CLI Prompt'),
    ADD_TERMINAL_SELECTION: defineCommand(
        'companion.prompt.addTerminalSelection',
        'theia/cli-companion/commands/addTerminalSelection',
        'Add Terminal Selection to CLI Prompt'
    ),
    /** For menus of trees only, so without a label: it acts on the selected rows. */
    ADD_CHOSEN: { id: 'companion.prompt.addChosen' },
    /** Types its argument into the prompt of a CLI; with the id of one as the second, into that of one that is not connected. Without a label: for pages that suggest what to ask. */
    TYPE: { id: 'companion.prompt.type' },
    /** Of rows of the status list: without labels, because the arguments say what they act on. */
    REVEAL_CLI: { id: 'companion.cli.reveal' },
    CONNECT_CLI: { id: 'companion.cli.connect' },
    /** Types what installs the CLI into a terminal. Without a label: for pages that say that it is missing. */
    install: ({ id }: Pick<StartableCli, 'id'>): Command => ({ id: `companion.install.${id}` })
} as const;
