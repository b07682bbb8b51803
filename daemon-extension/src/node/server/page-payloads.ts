// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { z } from 'zod/v4';
import { approvalModes } from '../../common/approval-modes';
import { PromptImage } from '../../common/prompt-image';
import { DaemonLimits } from '../../common/qwen-daemon-protocol';
import { undoableStates } from '../../common/turn-undo';

const id = z.string().min(1).max(DaemonLimits.id);
/** Theia's RPC turns `undefined` into `null`. */
const optional = <T extends z.ZodType>(type: T): z.ZodType<z.output<T> | undefined> =>
    type.nullish().transform(value => value ?? undefined);

/** What a page may send; anything else is refused before it changes anything. */
export const PagePayloads = {
    id,
    // A tool call's id is the model's, and may be longer than the others.
    edit: z.object({ turnId: id, toolId: z.string().min(1).max(500) }),
    page: z.object({
        roots: z.array(z.string().max(DaemonLimits.path)).max(DaemonLimits.roots),
        trust: z.enum(['trusted', 'untrusted', 'ai-off'])
    }),
    open: z.object({
        chatSessionId: id,
        // The daemon's own form; it stands in the path of requests.
        sessionId: optional(z.uuid()),
        approvalMode: optional(z.enum(approvalModes))
    }),
    prompt: z.object({
        requestId: id,
        text: z.string().min(1).max(DaemonLimits.prompt),
        files: optional(
            z
                .array(
                    z
                        .string()
                        .max(DaemonLimits.path)
                        .refine(file => path.isAbsolute(file))
                )
                .max(DaemonLimits.files)
        ),
        images: optional(
            z
                .array(
                    z.object({
                        name: z.string().min(1).max(DaemonLimits.path),
                        mimeType: z.string().max(DaemonLimits.id),
                        data: z.string().max(PromptImage.maxData)
                    })
                )
                .max(PromptImage.maxCount)
                .refine(images => PromptImage.flaw(images) === undefined)
        ),
        editor: optional(
            z.object({
                path: z.string().min(1).max(DaemonLimits.path),
                cursor: optional(z.object({ line: z.number().int(), character: z.number().int() })),
                selectedText: optional(z.string().max(DaemonLimits.selection))
            })
        )
    }),
    undo: z.array(z.object({ path: z.string().max(DaemonLimits.path), state: z.enum(undoableStates) })).max(DaemonLimits.undoneFiles),
    answer: z.union([
        z.object({
            optionId: z.string().min(1).max(500),
            answers: optional(
                z
                    .record(
                        z.string().regex(/^\d{1,2}$/),
                        z.object({
                            options: z.array(z.number().int().nonnegative()).max(DaemonLimits.options),
                            text: optional(z.string().max(DaemonLimits.answer))
                        })
                    )
                    .refine(answers => Object.keys(answers).length <= DaemonLimits.answers)
            )
        }),
        z.object({ cancelled: z.literal(true) })
    ])
} as const;
