// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer } from '../../common/daemon-status';
import { PermissionAnswer } from '../../common/qwen-daemon-protocol';
import { DiffInfo, SlashCommand, UsageEvent } from '../../common/session-events';
import { Edit } from '../diff/edit-diff-uris';
import { ChangeViewer } from './changed-file-element';
import { ChatView } from './chat-view';

export const ConversationPage = Symbol('ConversationPage');
/** What a conversation needs of the page around it. */
export interface ConversationPage extends ChangeViewer {
    readonly view: ChatView;
    /** What a message may begin with, behind a slash: Theia completes it at the input. */
    offerCommands(commands: readonly SlashCommand[]): void;
    askText(question: string): Promise<string | undefined>;
    /** Shows the edit that a permission is about. */
    openDiff(edit: Edit, diff: DiffInfo): void;
    closeDiff(edit: Edit): void;
    /** Adds what a call of the model cost to what Theia counts. */
    countTokens(model: string, requestId: string, usage: UsageEvent): void;
}

/** What its turns need of a conversation. */
export interface TurnHost {
    readonly page: ConversationPage;
    readonly chatSessionId: string;
    readonly sessionId: string | undefined;
    /** Absolute path of the folder in which the daemon works; empty while it is not known. */
    readonly folder: string;
    readonly modelName: string | undefined;
    answerPermission(permissionId: string, answer: PermissionAnswer): Promise<Answer<'accepted' | 'late'>>;
    cancelTurn(turnId: string): Promise<Answer<void>>;
}

/** A turn that asks the user. */
export interface AskingTurn {
    readonly marker: { sessionId: string; turnId: string };
    readonly request: MutableChatRequestModel;
    readonly host: TurnHost;
    showNotice(message: string): void;
    showProblem(problem: DaemonProblem): void;
}
