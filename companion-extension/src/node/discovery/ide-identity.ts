// SPDX-License-Identifier: Apache-2.0

export const IdeIdentity = Symbol('IdeIdentity');
/**
 * How the CLIs name this IDE. Both need both names, or they take the terminal for one outside any IDE
 * (Gemini CLI 0.61, Qwen Code 0.24). Rebind it to show your product's name.
 */
export interface IdeIdentity {
    /** Short, lower case. */
    readonly name: string;
    /** For people: "Connected to NAME". */
    readonly displayName: string;
}
