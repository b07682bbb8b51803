// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileUploadServiceImpl } from '@theia/filesystem/lib/browser/upload/file-upload-service-impl';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CliTerminal } from '../../common/companion-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { plainText } from '../../common/plain-text';
import { joinSentences, listOf } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { PagePolicy } from '../window/page-policy';
import { CliPrompt } from './cli-prompt';
import { PromptContribution } from './prompt-contribution';
import { PromptMention } from './prompt-text';

const MAX_FILES = 20;
const MAX_MIB = 20;
const MIB_BYTES = 1024 * 1024;
/** Of up to four bytes each. */
const MAX_NAME_CHARACTERS = 60;
const CALL_LIMIT_MS = 10_000;

/** Uploads files of the user's own machine for the CLI in a terminal, and types their paths into its prompt. */
@injectable()
export class PromptUploads {
    @inject(PromptBackend)
    protected readonly backend: Pick<PromptBackend, 'makeUploadFolder'>;
    /** Not Theia's own one: what that has uploaded alone is opened in an editor (1.74). */
    @inject(FileUploadServiceImpl)
    protected readonly uploads: Pick<FileUploadServiceImpl, 'upload'>;
    @inject(CliPrompt)
    protected readonly prompt: CliPrompt;
    @inject(PromptContribution)
    protected readonly prompts: Pick<PromptContribution, 'whyWithheld'>;
    @inject(PagePolicy)
    protected readonly policy: Pick<PagePolicy, 'allows'>;
    @inject(WorkspaceService)
    protected readonly workspace: Pick<WorkspaceService, 'tryGetRoots'>;
    @inject(MessageService)
    protected readonly messages: MessageService;

    /** What may not be uploaded is named, and the rest goes on. Never rejects. */
    async add(files: readonly File[], terminal: TerminalWidget): Promise<void> {
        if (!this.policy.allows('uploads')) {
            this.messages.warn(
                nls.localize('theia/cli-companion/policy/noUploads', 'Your administrator has switched off uploads for CLIs.')
            );
            return;
        }
        const accepted = this.accept(files);
        const form = new FormData();
        const names = accepted.map(({ name }, index) => uploadName(name, index));
        accepted.forEach((file, index) => form.append(FileUploadServiceImpl.UPLOAD, file, names[index]));
        try {
            if (accepted.length === 0 || !(await this.prompt.takesText(terminal))) {
                return;
            }
            const shell = await terminal.processId;
            const made = await withTimeLimit(this.backend.makeUploadFolder(shell), CALL_LIMIT_MS);
            const folder = made ? URI.fromFilePath(made) : undefined;
            // Theia shows the progress, offers to cancel, and says what failed.
            const result = folder && (await this.uploads.upload(folder, { source: form }).catch(() => undefined));
            // Cancelled, if there are fewer.
            for (const name of result?.uploaded.length === names.length ? names : []) {
                const path = folder?.resolve(name).path.fsPath() ?? '';
                // Each is a paste of its own: OpenCode (1.18) attaches a picture if that is all that is pasted.
                const content = { textFor: (cli: CliTerminal): string => PromptMention.upload(path, cli), mentions: [] };
                if (!(await this.prompt.typeInto(terminal, content))) {
                    break;
                }
            }
        } catch (error) {
            this.messages.error(plainText(String((error as Error).message)));
        }
    }

    protected accept(files: readonly File[]): File[] {
        const reasons = new Map(files.map(file => [file, this.whyWithheld(file)]));
        const withheld = [...reasons.values()].filter(reason => reason !== undefined);
        const shared = files.filter(file => reasons.get(file) === undefined);
        const accepted = shared.filter(({ size }) => size <= MAX_MIB * MIB_BYTES).slice(0, MAX_FILES);
        const over = shared.filter(file => !accepted.includes(file)).map(({ name }) => name);
        const tooMany = nls.localize(
            'theia/cli-companion/prompt/tooMany',
            'Not uploaded: {2}. At most {0} files at a time, of {1} MiB each.',
            MAX_FILES,
            MAX_MIB,
            listOf(over.length > MAX_FILES ? [...over.slice(0, MAX_FILES), '…'] : over)
        );
        const refusal = joinSentences([...withheld.slice(0, MAX_FILES), over.length > 0 ? tooMany : undefined]);
        if (refusal) {
            this.messages.warn(plainText(refusal));
        }
        return accepted;
    }

    /** By its name, as if it lay in a folder of the workspace. */
    protected whyWithheld({ name }: File): string | undefined {
        const folders = ['', ...this.workspace.tryGetRoots().map(({ resource }) => resource.path.fsPath())];
        return folders.map(folder => this.prompts.whyWithheld(`${folder}/${name}`, name)).find(reason => reason !== undefined);
    }
}

/**
 * A name that means nothing to a shell, a URI or a prompt. Other people may have chosen it.
 *
 * @param index tells it from others that are alike
 */
export function uploadName(name: string, index: number): string {
    const plain = name.normalize('NFC').replace(/(\p{DI}|[^\p{L}\p{M}\p{N}._-])+/gu, '-');
    return `${index + 1}-${
        [...plain]
            .slice(-MAX_NAME_CHARACTERS)
            .join('')
            .replace(/^[.-]+|[.-]+$/g, '') || 'file'
    }`;
}
