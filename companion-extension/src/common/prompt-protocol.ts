// SPDX-License-Identifier: Apache-2.0

import { Fault } from './companion-problem';
import { CommandSearch, Mention } from './companion-protocol';

export const promptPath = '/services/companion/prompt';

export const PromptBackend = Symbol('PromptBackend');
/** What a page calls to start a CLI, and to fill its prompt. Refused before the window has said hello. */
export interface PromptBackend {
    /** Makes a folder for files that the user gives to that CLI. It goes with the CLI. Over the wire `null` if there is none. */
    makeUploadFolder(shell: number): Promise<string | null | undefined>;
    /**
     * Puts mentions of files into the prompt of the CLI that has the keyboard in this shell.
     * @returns false if it takes none; then the text is to be typed
     */
    mention(shell: number, mentions: Mention[]): Promise<boolean>;
    /** A text or mentions were put into the prompt of this CLI. */
    markTyped(cliId: string): Promise<void>;
    /** Looks for the command of a CLI that is about to be started. */
    findCommand(cliId: string): Promise<CommandSearch>;
    /**
     * Writes into {@link CommandSearch.ideModeOff} that IDE mode is on, or else that the CLI need not ask about it.
     *
     * @returns what kept it from being written
     */
    setIdeMode(cliId: string, on: boolean): Promise<Fault | undefined>;
}
