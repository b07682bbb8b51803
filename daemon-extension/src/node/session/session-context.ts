// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';

const model = z.object({ modelId: z.string(), name: z.string().optional() });
const mode = z.object({ id: z.string(), name: z.string().optional() });
const noModels = { availableModels: [], currentModelId: undefined };
const noModes = { availableModes: [], currentModeId: undefined };

/** The body of the daemon's `context`: what a session offers to choose from. */
export const sessionContext = z
    .object({
        state: z.object({
            models: z.object({ currentModelId: z.string().optional(), availableModels: z.array(model).default([]) }).default(noModels),
            modes: z.object({ currentModeId: z.string().optional(), availableModes: z.array(mode).default([]) }).default(noModes)
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
