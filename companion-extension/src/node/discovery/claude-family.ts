// SPDX-License-Identifier: Apache-2.0

/**
 * CLIs that speak Claude Code's protocol and find an IDE by the same lock files. What differs from one such family to the next is data: others
 * have their own folder, header and variables.
 */
export interface ClaudeFamily {
    /** Has the token of the lock file. */
    readonly tokenHeader: string;
    /** Names the CLIs' own folder, in which `ide/PORT.lock` lies. */
    readonly folderVariable: string;
    /** That folder below HOME, where the variable is not set. */
    readonly folder: string;
    /** The variables of a new shell, so that its CLIs look for the lock. */
    readonly terminalVariables: Readonly<Record<string, string | null>>;
}

export const CLAUDE_FAMILY: ClaudeFamily = {
    tokenHeader: 'X-Claude-Code-Ide-Authorization',
    folderVariable: 'CLAUDE_CONFIG_DIR',
    folder: '.claude',
    terminalVariables: {
        CLAUDE_CODE_AUTO_CONNECT_IDE: 'true',
        // It would look for the command of an IDE that it knows.
        CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: 'true',
        // Of another IDE. With one of ours OpenCode would connect without a token (1.18).
        CLAUDE_CODE_SSE_PORT: null,
        ENABLE_IDE_INTEGRATION: null
    }
};

/** The variable by which a shell, and what runs in it, is known to belong to a window: the port of the window's server. */
export const WINDOW_PORT_VARIABLE = 'THEIA_COMPANION_PORT';
