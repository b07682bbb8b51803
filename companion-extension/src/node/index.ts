// SPDX-License-Identifier: Apache-2.0
// The backend's contract: docs/embedding.md, "The contract". All else is below `theia-cli-companion/lib/node/internal`.

export { ActiveAgent, ActiveAgentContribution } from './changes/active-agent-contribution';
export { writeAtomically } from './discovery/atomic-file';
export { ClaudeCodeCli } from './discovery/claude-code-cli';
export { ClaudeFamilyCli } from './discovery/claude-family-cli';
export { CopilotCli } from './discovery/copilot-cli';
export { GeminiCli } from './discovery/gemini-cli';
export { IdeIdentity } from './discovery/ide-identity';
export { KiloCli } from './discovery/kilo-cli';
export { OpenCodeCli } from './discovery/opencode-cli';
export { QwenCodeCli } from './discovery/qwen-code-cli';
export { Elsewhere, FolderLocation } from './discovery/secure-folder';
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
    TitleMarks,
    Variables
} from './discovery/supported-cli';
export { HostEnvironment } from './host/host-environment';
export { Policy } from './host/policy';
export {
    ChangedAgent,
    ChangeEvent,
    CliEvent,
    CompanionEventOptions,
    CompanionEvents,
    CompanionRecord,
    ProposalEvent,
    RecordStamp,
    SharedFiles
} from './server/companion-events';
