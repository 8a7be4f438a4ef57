import { call } from '../../../data/call.ts'
import { type Plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows, type Query } from '../../../data/query.ts'
import { CONVENTIONS, type InstructionFacts, instructionText, LIMITS, tokensOf } from '../rules/instructions.ts'
import type { AiInstructions } from '../schemas/instructions.ts'

const facts: Query<InstructionFacts> = mapResult(
  plainRows<{ facts: InstructionFacts }>(call('instruction_facts'), ['facts']),
  ([row]) =>
    row?.facts ?? {
      workspace: { name: '', timezone: 'UTC' },
      caller: { scopes: [], role: '', level: '' },
      pipelines: [],
      custom_fields: [],
    },
)

/** What a program that acts with the calling key should know. */
export const getInstructions = (): Plan<AiInstructions> =>
  read(
    mapResult(facts, (found) => {
      const text = instructionText(found)
      return { text, tokens: tokensOf(text), credits: 0 as const, ...found, conventions: CONVENTIONS, limits: LIMITS }
    }),
  )
export const getInstructionText = (): Plan<string> => read(mapResult(facts, instructionText))
