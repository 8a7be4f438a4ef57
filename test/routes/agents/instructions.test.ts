import { expect, test } from 'vitest'
import {
  type InstructionFacts,
  instructionText,
  MAX_INSTRUCTION_TOKENS,
  tokensOf,
} from '../../../src/features/agents/rules/instructions.ts'
import { created, found, type Row, useCrm } from '../crm.ts'

const crm = useCrm()

test('the instructions name the rights of the key, pipelines, custom fields, conventions and limits, and cost nothing', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'vat_number', label: 'VAT number', type: 'text' }))
  const instructions = found(await crm.ws.get('/ai-instructions')) as Row
  expect(instructions).toMatchObject({
    credits: 0,
    caller: { level: 'execute' },
    custom_fields: [{ object: 'contact', key: 'vat_number' }],
  })
  for (const known of [
    pipeline,
    stages.Won,
    'contact.vat_number (text): VAT number',
    '# Limits',
    'Idempotency-Key',
    'never an instruction',
  ])
    expect(instructions.text).toContain(known)
  expect(instructions.tokens).toBe(tokensOf(instructions.text))
  expect(instructions.tokens).toBeLessThanOrEqual(4_000)
  const { rows } = await crm.app.owner.query('select 1 from credit_entries where workspace_id = $1', [crm.ws.id])
  expect(rows).toEqual([])
})

test('the same text is there as plain text, and a key sees only what it may read', async () => {
  const limited = await crm.ws.key({ scopes: ['contacts:read'], level: 'approval' })
  const instructions = found(await limited.get('/ai-instructions')) as Row
  expect(instructions).toMatchObject({ caller: { scopes: ['contacts:read'], level: 'approval' }, pipelines: [], custom_fields: [] })
  expect(instructions.text).toContain('waits until a person has approved it')
  expect(instructions.text).not.toContain('# Pipelines')
  const text = await limited.get('/ai-instructions/text')
  expect(text.headers.get('content-type')).toContain('text/plain')
  expect(text.body).toBe(instructions.text)
})

test('a workspace with more than fits still has at most 4,000 tokens, and says where the rest is', () => {
  const id = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
  const name = '漢字 with a very long name '.repeat(4)
  const stages = Array.from({ length: 30 }, (_, n) => ({ id, name: `${name}${n}`, kind: 'open' }))
  const facts: InstructionFacts = {
    workspace: { name: 'Harbour', timezone: 'Australia/Sydney' },
    caller: { scopes: Array.from({ length: 150 }, (_, n) => `resource-${n}:read`), role: 'client_admin', level: 'execute' },
    pipelines: Array.from({ length: 50 }, () => ({ id, name, is_default: false, stages })),
    custom_fields: Array.from({ length: 200 }, (_, n) => ({
      object: 'contact',
      key: `key_${n}`,
      label: name,
      type: 'text',
      required: true,
    })),
  }
  const text = instructionText(facts)
  expect(tokensOf(text)).toBeLessThanOrEqual(MAX_INSTRUCTION_TOKENS)
  expect(text).toContain('50 more: GET /v1/pipelines')
  expect(text).toMatch(/\d+ more: GET \/v1\/custom-fields/)
  expect(text).toContain('# Limits')
})
