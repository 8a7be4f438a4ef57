import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../../harness.ts'
import type { TestWorkspace } from '../../workspace.ts'

let openai: Harness
let none: Harness
beforeAll(async () => {
  openai = await start({ vars: { MODEL_PROVIDER: 'openai' } })
  none = await start({ vars: { MODEL_API_KEY: '' } })
}, 120_000)
afterAll(() => Promise.all([openai.close(), none.close()]))

async function stored(ws: TestWorkspace) {
  const contact = (await ws.post('/contacts', { first_name: 'Ada' })).body.data.id
  const { body } = await ws.post('/skills', { name: 'Read', system_prompt: 'Read. providers', tools: ['getContact'], status: 'active' })
  return { contact, run: (by = ws) => by.post('/skills/run', { skill_id: body.data.id, input: { contact_id: contact } }) }
}

test('a run through Chat Completions calls parallel tools, and is settled by the usage that is reported', async () => {
  const ws = await openai.workspace()
  await openai.owner.query("select grant_credits($1, 100, 'one')", [ws.id])
  const { contact, run } = await stored(ws)
  const call = { name: 'getContact', arguments: { params: { contact_id: contact } } }
  openai.models.script('providers', [{ text: 'Both.', calls: [call, call], fault: 'interleaved' }, { text: 'It is Ada.' }])
  openai.models.fail('529')
  const { status, body } = await run()
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data).toMatchObject({ status: 'completed', output: 'It is Ada.', tool_calls: [{ outcome: 'done' }, { outcome: 'done' }] })
  expect(body.data.usage).toMatchObject({ steps: 2, is_estimate: false })
  expect(openai.models.requests.at(-1)?.texts.filter((text) => text.includes('Ada'))).toHaveLength(2)
})

test('without a key no skill is run, and nothing is charged', async () => {
  const ws = await none.workspace()
  await none.owner.query("select grant_credits($1, 100, 'one')", [ws.id])
  const { run } = await stored(ws)
  expect(await run()).toMatchObject({ status: 409, body: { error: { code: 'CHANNEL_NOT_CONFIGURED' } } })
  expect((await ws.get('/billing/credits')).body.data).toMatchObject({ balance: 100, reserved: 0 })
})

test('a key whose writes wait for approval runs no skill', async () => {
  const ws = await none.workspace()
  const { run } = await stored(ws)
  expect(await run(await ws.key({ level: 'approval' }))).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
})
