// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';

/** What may be missing or of another shape without a loss. */
function lenient<T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> {
    return schema.optional().catch(undefined);
}

/** What is read of a daemon event's envelope; the rest never leaves this backend. */
export const envelope = z.object({
    id: z.number().int().nonnegative().optional(),
    type: z.string().min(1).max(200),
    promptId: z.string().max(200).optional(),
    originatorClientId: z.string().optional(),
    _meta: lenient(z.object({ serverTimestamp: lenient(z.number()) })),
    data: z.unknown()
});
export type DaemonEnvelope = z.infer<typeof envelope>;

const text = z.string();
const id = z.string().min(1).max(500);

const contentPart = z.union([
    z.object({ type: z.literal('diff'), path: text, oldText: text.nullish(), newText: text }),
    z.object({ type: z.literal('content'), content: z.object({ type: z.literal('text'), text }) }),
    z.object({ type: text })
]);
export type ContentPart = z.infer<typeof contentPart>;

const toolMeta = z.object({ toolName: lenient(text), serverId: lenient(text), qwenInteractionKind: lenient(text) });

/** Fields that an update leaves out keep their value. */
const toolUpdate = z.object({
    toolCallId: id,
    title: lenient(text),
    kind: lenient(text),
    status: lenient(text),
    rawInput: z.unknown().optional(),
    // What is no part says that it cannot be shown: nobody is to approve it unseen.
    content: lenient(z.array(contentPart.catch({ type: '?' }))),
    locations: lenient(z.array(lenient(z.object({ path: text }))).transform(all => all.filter(one => one !== undefined))),
    _meta: lenient(toolMeta)
});
export type ToolUpdate = z.infer<typeof toolUpdate>;

const annotation = z.object({ type: z.literal('theia-request'), requestId: id });

/** What the daemon keeps with a prompt, and says with it whenever it tells of it (Qwen Code 0.24). */
export function annotationOf(requestId: string): z.infer<typeof annotation> {
    return { type: 'theia-request', requestId };
}

function requestIdIn(annotations: unknown[]): string | undefined {
    return annotations.flatMap(one => annotation.safeParse(one).data?.requestId ?? [])[0];
}

const question = z.object({
    question: text,
    header: text.default(''),
    options: z.array(z.object({ label: text, description: text.default('') })).default([]),
    multiSelect: z.boolean().default(false)
});

/** The payloads that are shown, by what they are called on the wire (Qwen Code 0.24). */
export const payloads = {
    update: z.object({ update: z.looseObject({ sessionUpdate: text }) }),
    chunk: z.object({
        content: z.union([
            z.object({ type: z.literal('text'), text }),
            z.object({ type: z.literal('image'), attachmentId: text.default('') }),
            z.object({ type: text })
        ]),
        _meta: lenient(
            z.object({
                promptId: lenient(z.string().max(200)),
                timestamp: lenient(z.number()),
                source: lenient(text),
                // The id of the request goes with a prompt, and comes back with it.
                inputAnnotations: lenient(z.array(z.unknown()).transform(requestIdIn)),
                // Of a turn that a background task began.
                backgroundTurn: lenient(z.object({ turnId: z.string().max(200) })),
                /** Not to be put together with the text around it. */
                qwenDiscreteMessage: lenient(z.boolean()),
                // Its text is in English, and says the same.
                visionBridgeNotice: lenient(
                    z
                        .object({ convertedCount: z.number().catch(0), modelName: text.catch(''), modelEndpoint: lenient(text) })
                        .transform(({ convertedCount, modelName, modelEndpoint }) => ({
                            code: 'images-described' as const,
                            described: convertedCount,
                            by: modelEndpoint ? `${modelName} (${modelEndpoint})` : modelName
                        }))
                ),
                usage: lenient(
                    z.object({
                        inputTokens: z.number().catch(0),
                        outputTokens: z.number().catch(0),
                        cachedReadTokens: lenient(z.number())
                    })
                )
            })
        )
    }),
    plan: z.object({ entries: z.array(z.object({ content: text, status: text })) }),
    mode: z.object({ currentModeId: text }),
    commands: z.object({
        availableCommands: z.array(
            z.object({ name: text, description: text.default(''), input: z.object({ hint: text.default('') }).nullish() })
        )
    }),
    permission: z.object({
        requestId: id,
        toolCall: toolUpdate,
        options: z.array(z.object({ optionId: id, name: text, kind: text.catch('other') })).min(1)
    }),
    questions: z.object({ questions: z.array(question).min(1) }),
    planApproval: z.object({ plan: text.min(1) }),
    command: z.object({ command: text.min(1), description: text.default('') }),
    permissionClosed: z.object({
        requestId: id,
        outcome: z.object({ outcome: text, optionId: text.optional() }),
        voterClientId: text.optional()
    }),
    turnComplete: z.object({ promptId: lenient(text), stopReason: lenient(text) }),
    turnError: z.object({ promptId: lenient(text), message: text.catch(''), code: lenient(z.union([text, z.number()])) }),
    pendingPrompt: z.object({ promptId: id, state: text.optional() }),
    modelSwitched: z.object({ modelId: text }),
    approvalMode: z.object({ next: text }),
    sessionEnd: z.object({ sessionId: text, reason: text.optional() }),
    injected: z.object({ messages: z.array(text) })
} as const;

const model = z.object({ modelId: z.string(), name: z.string().optional() });
const mode = z.object({ id: z.string(), name: z.string().optional() });

/** The body of the daemon's `context`: what a session offers to choose from. */
export const sessionContext = z
    .object({
        state: z.object({
            models: z.object({ currentModelId: z.string().optional(), availableModels: z.array(model).default([]) }).prefault({}),
            modes: z.object({ currentModeId: z.string().optional(), availableModes: z.array(mode).default([]) }).prefault({})
        })
    })
    .transform(({ state: { models, modes } }) => ({
        models: models.availableModels.map(({ modelId, name = modelId }) => ({ id: modelId, name })),
        currentModelId: models.currentModelId,
        modes: modes.availableModes.map(({ id, name = id }) => ({ id, name })),
        currentModeId: modes.currentModeId
    }));
export type SessionContext = z.infer<typeof sessionContext>;
export const noContext: SessionContext = { models: [], currentModelId: undefined, modes: [], currentModeId: undefined };
