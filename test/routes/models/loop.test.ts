import { expect, test } from 'vitest'
import { type Loop, runLoop } from '../../../src/features/models/plans/loop.ts'

const skill: Loop['skill'] = {
  id: 'a',
  is_own: true,
  status: 'active',
  model: 'standard',
  system_prompt: 'Help.',
  tools: ['getContact'],
  input_schema: null,
  output_schema: null,
  max_steps: 3,
  credits_per_run: 50,
  credits_per_day: null,
}
const schema = { type: 'object' }
const usage = { input_tokens: 4_000, output_tokens: 40 }

test('a run that fails for a reason of our own still shows what its tools have done, and what it has used', async () => {
  let turns = 0
  const outcome = await runLoop({
    skill,
    input: {},
    credits: 50,
    operations: [{ id: 'getContact', description: 'A contact', writes: false, sends: false, scopes: [], schema }] as never,
    models: {
      complete: async () => {
        if (turns++ > 0) throw new TypeError('undefined is no function')
        return { text: '', calls: [{ id: '1', name: 'getContact', arguments: '{}' }], stop: 'tools', usage } as never
      },
    } as never,
    call: async () => ({ kind: 'done', data: {} }),
    note: async () => null,
  })
  expect(outcome).toMatchObject({ status: 'failed', output: null, error: { code: 'INTERNAL' }, steps: 2, credits: 3, ...usage })
  expect(outcome.tool_calls).toMatchObject([{ operation: 'getContact', outcome: 'done' }])
})
