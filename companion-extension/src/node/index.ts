// SPDX-License-Identifier: Apache-2.0
// What other packages may import from the backend's part. docs/embedding.md says which parts are the contract.

// The contract: it changes only with a major version.
export { ActiveAgent, ActiveAgentContribution } from './changes/active-agent-contribution';
export { ClaudeFamilyCli } from './discovery/claude-family-cli';
export { KiloCli } from './discovery/kilo-cli';
export { OpenCodeCli } from './discovery/opencode-cli';
export { ClaudeCodeCli } from './discovery/claude-code-cli';
export { CopilotCli } from './discovery/copilot-cli';
export { GeminiCli } from './discovery/gemini-cli';
export { IdeIdentity } from './discovery/ide-identity';
export { QwenCodeCli } from './discovery/qwen-code-cli';
export { SpecifiedCli, SpecifiedNames } from './discovery/specified-cli';
export {
    ApprovalMode,
    CliConfiguration,
    CliSurroundings,
    DiscoveryFile,
    DiscoverySubject,
    LockSubject,
    ServerPlace,
    specifiedContent,
    specifiedFolder,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables,
    Variables
} from './discovery/supported-cli';
export { Elsewhere, FolderLocation } from './discovery/secure-folder';
export {
    ChangedAgent,
    ChangeEvent,
    CliEvent,
    CompanionEventOptions,
    CompanionEvents,
    CompanionRecord,
    ProposalEvent,
    SharedFiles
} from './server/companion-events';

// Rebindable, but as the companion is built today.
export { writeAtomically } from './discovery/atomic-file';
export { DiscoveryFiles } from './discovery/discovery-files';
export { HostEnvironment } from './host/host-environment';
export { LinuxProcessTable } from './host/linux-process-table';
export { Problems } from './host/problems';
export { describeCause } from './host/fault-error';
export { PeerProcess, ProcessTable, RunningProcess } from './host/process-table';
export { isInside } from './host/paths';
export { WindowServers } from './server/window-servers';
export { TerminalEnvironment, TerminalServers } from './terminal/terminal-environment';
