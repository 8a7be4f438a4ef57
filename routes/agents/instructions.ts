import { Hono } from 'hono'
import { getInstructions, getInstructionText } from '../../src/features/agents/plans/instructions.ts'
import { AiInstructions } from '../../src/features/agents/schemas/instructions.ts'
import { one, scopes, text } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { AGENTS } from '../paths.ts'

export const aiInstructionsRouter = new Hono<App>()
export const aiInstructionsApi = endpoints(aiInstructionsRouter, { path: AGENTS.instructions, tag: 'AI Instructions' })
const DESCRIPTION =
  'What a program that acts with this key should know, for one call at the beginning of a session: what the key may do, pipelines and ' +
  'stages, custom fields, conventions and limits, in at most 4,000 tokens. It costs 0 credits, and every key may call it.'

aiInstructionsApi.get(
  '',
  {
    id: 'getAiInstructions',
    summary: 'Get instructions for an AI',
    description: DESCRIPTION,
    access: scopes(),
    returns: one(AiInstructions),
  },
  () => getInstructions(),
)
aiInstructionsApi.get(
  '/text',
  {
    id: 'getAiInstructionsText',
    summary: 'Get instructions for an AI as plain text',
    description: DESCRIPTION,
    access: scopes(),
    returns: text(),
  },
  () => getInstructionText(),
)
