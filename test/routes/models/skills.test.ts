import { beforeEach, describe, expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm } from '../crm.ts'
import { skilling } from './skilling.ts'

const crm = useCrm()
const { skill, run, credits, balance } = skilling(crm)

describe('a skill', () => {
  test('is changed, and found by its own workspace only', async () => {
    const made = await skill({ tools: ['getContact'], credits_per_day: 100 })
    expect(made).toMatchObject({
      visibility: 'private',
      status: 'active',
      model: 'standard',
      max_steps: 8,
      credits_per_run: 50,
      is_own: true,
    })
    const other = await crm.app.workspace()
    expect(await other.get(`/skills/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(found(await other.get('/skills'))).toEqual([])
    expect(found(await crm.ws.patch(`/skills/${made.id}`, { description: 'Two.' }))).toMatchObject({ description: 'Two.', version: 2 })
    expect((await crm.ws.post('/skills', { name: made.name, system_prompt: 'x' })).body.error).toMatchObject({ code: 'CONFLICT' })
    found(await crm.ws.delete(`/skills/${made.id}`))
    expect(ids(found(await crm.ws.get('/skills')))).not.toContain(made.id)
  })

  test('is public while it is active: others see all but its instructions, and cannot change it', async () => {
    const made = await skill({ visibility: 'public', tools: ['listContacts'] })
    const other = await crm.app.workspace()
    const shown = { id: made.id, is_own: false, system_prompt: null, tools: ['listContacts'], name: made.name, credits_per_day: null }
    expect(found(await other.get(`/skills/${made.id}`))).toMatchObject(shown)
    expect(found(await other.get('/skills'))).toContainEqual(expect.objectContaining(shown))
    expect(JSON.stringify((await other.get('/skills')).body)).not.toContain(made.marker.replace('marker', 'Help. marker'))
    expect(await other.patch(`/skills/${made.id}`, { name: 'Mine' })).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await other.delete(`/skills/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.patch(`/skills/${made.id}`, { status: 'disabled' }))
    expect(await other.get(`/skills/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await run(made, {}, {}, other)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('pages through own and public skills together', async () => {
    const other = await crm.app.workspace()
    const made: string[] = []
    for (const owner of [crm.ws, other, crm.ws, other]) made.push((await skill({ visibility: 'public' }, owner)).id)
    const seen = ids(await crm.walk('/skills?limit=2&sort=created_at'))
    expect(seen.filter((id) => made.includes(id))).toEqual(made)
  })

  test.each([
    [{ tools: ['getContact', 'makeCoffee'] }, 'tools.1', 'makeCoffee'],
    [{ tools: ['approveRequest'] }, 'tools.0', 'approveRequest'],
    [{ tools: ['runSkill'] }, 'tools.0', 'runSkill'],
    [{ tools: ['getContact', 'getContact'] }, 'tools', 'twice'],
    [{ input_schema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } }, 'input_schema', 'another document'],
    [{ input_schema: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } } }, 'input_schema', 'not supported'],
    [{ output_schema: { type: 'string' } }, 'output_schema', 'type object'],
    [{ output_schema: { type: 'object', $ref: '#/nowhere' } }, 'output_schema', 'does not have'],
    [{ max_steps: 21 }, 'max_steps', '20'],
    [{ credits_per_run: 0 }, 'credits_per_run', '1'],
    [{ system_prompt: '' }, 'system_prompt', 'empty'],
  ])('refuses %j', async (fields, path, words) => {
    const answer = await crm.ws.post('/skills', { name: 'Bad', system_prompt: 'x', ...fields })
    expect(answer).toMatchObject(refused(path))
    expect(JSON.stringify(answer.body.error.details)).toContain(words)
  })

  test('names the tool whose scopes the key lacks, when it is stored and when it is run', async () => {
    const few = await crm.ws.key({ scopes: ['agent-ops:*', 'contacts:read'] })
    const body = { name: 'Few', system_prompt: 'x', tools: ['getContact', 'deleteContact'] }
    const refusal = { error: { code: 'INSUFFICIENT_SCOPE', message: expect.stringContaining('deleteContact') } }
    expect((await few.post('/skills', body)).body).toMatchObject(refusal)
    const made = await skill({ tools: ['getContact', 'deleteContact'] })
    await credits(100)
    expect((await run(made, {}, {}, few)).body).toMatchObject(refusal)
  })
})

describe('a run', () => {
  beforeEach(() => credits(1_000))

  test('calls its tools with the rights of the key, and answers with output, trace and usage', async () => {
    const contact = await crm.contact({ first_name: 'Ada' })
    const made = await skill({ tools: ['getContact', 'updateContact'] })
    crm.app.models.script(made.marker, [
      { calls: [{ name: 'getContact', arguments: { params: { contact_id: contact.id } } }] },
      { calls: [{ name: 'updateContact', arguments: { params: { contact_id: contact.id }, body: { job_title: 'Engineer' } } }] },
      { text: 'Ada is an engineer.' },
    ])
    const before = await balance()
    const result = found(await run(made, { contact_id: contact.id }))
    expect(result).toMatchObject({ skill_id: made.id, status: 'completed', output: 'Ada is an engineer.', error: null })
    expect(result.tool_calls).toMatchObject([
      { operation: 'getContact', outcome: 'done', approval_id: null },
      { operation: 'updateContact', outcome: 'done', input: { body: { job_title: 'Engineer' } } },
    ])
    expect(result.usage).toMatchObject({ steps: 3, is_estimate: false })
    expect(result.usage.input_tokens).toBeGreaterThan(100)
    expect(result.usage.credits).toBeGreaterThan(0)
    expect(await balance()).toEqual({ balance: before.balance - result.usage.credits, reserved: before.reserved })
    expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ job_title: 'Engineer' })
    expect(crm.app.models.requests.at(-1)?.texts.join()).toContain('Ada')
    const entries = found(await crm.ws.get('/billing/credits/entries?limit=3'))
    expect(entries.map(({ kind }) => kind)).toEqual(['refund', 'settle', 'reserve'])
  })

  const TOO_DEEP = `${'['.repeat(200)}${']'.repeat(200)}`
  const OBJECT = { type: 'object', properties: { is: { type: 'string' } } }
  test.each<[string, arguments_: unknown, input: unknown, outcome: string]>([
    ['a NUL character', '{"query":{"search":"Ada\\u0000"}}', { query: { search: 'Ada' } }, 'done'],
    ['half of a character', '{"query":{"search":"A\\ud83d"}}', { query: { search: 'A\uFFFD' } }, 'done'],
    ['a backslash before u0000', { query: { search: '\\u0000' } }, { query: { search: '\\u0000' } }, 'done'],
    ['more levels than are stored', TOO_DEEP, null, 'refused'],
  ])('whose model calls a tool with %s is kept, and ends', async (_, args, input, outcome) => {
    const made = await skill({ tools: ['listContacts'] })
    crm.app.models.script(made.marker, [{ calls: [{ name: 'listContacts', arguments: args }] }, { text: 'Done.' }])
    const before = await balance()
    const result = found(await run(made))
    expect(result).toMatchObject({ status: 'completed', tool_calls: [{ operation: 'listContacts', input, outcome }], output: 'Done.' })
    expect(await balance()).toEqual({ balance: before.balance - result.usage.credits, reserved: before.reserved })
  })

  test.each<[string, skilled: Row, turn: Row, result: Row]>([
    ['a text with a NUL character', {}, { text: 'A\0B\ud83d' }, { status: 'completed', output: 'AB\uFFFD' }],
    ['JSON with an escaped one', { output_schema: OBJECT }, { text: '{"is":"A\\u0000"}' }, { status: 'completed', output: { is: 'A' } }],
    [
      'a refusal that is cut within a character',
      {},
      { text: `${'a'.repeat(299)}\u{1F600}`, stop: 'refusal' },
      { status: 'failed', error: { code: 'MODEL_REFUSED', message: `The model has refused: ${'a'.repeat(299)}\uFFFD` } },
    ],
  ])('whose model answers %s is kept, and ends', async (_, skilled, turn, result) => {
    const made = await skill(skilled)
    crm.app.models.script(made.marker, [turn])
    const before = await balance()
    const ended = found(await run(made))
    expect(ended).toMatchObject(result)
    expect(await balance()).toEqual({ balance: before.balance - ended.usage.credits, reserved: before.reserved })
  })

  test('is found by its name, and repeated with its Idempotency-Key only once', async () => {
    const made = await skill()
    crm.app.models.script(made.marker, [{ text: 'First' }, { text: 'Second' }])
    const send = () => crm.ws.post('/skills/run', { name: made.name, input: {} }, { 'idempotency-key': made.marker })
    const first = found(await send())
    expect(first.output).toBe('First')
    expect(found(await send())).toEqual(first)
    // An own skill goes before a public one of the same name.
    await skill({ name: made.name, visibility: 'public' }, await crm.app.workspace())
    expect(found(await crm.ws.post('/skills/run', { name: made.name, input: {} })).output).toBe('Second')
  })

  test('checks input and output against their schemas, and lets the model correct itself once', async () => {
    const form = (name: string) => ({ type: 'object', properties: { [name]: { type: 'integer' } }, required: [name] })
    const made = await skill({ input_schema: form('count'), output_schema: form('sum') })
    expect(await run(made, { count: 'two' })).toMatchObject(refused('input.count'))
    crm.app.models.script(made.marker, [{ text: 'Three!' }, { text: '{"sum": 3}' }])
    expect(found(await run(made, { count: 2 }))).toMatchObject({ status: 'completed', output: { sum: 3 }, usage: { steps: 2 } })
    crm.app.models.script(made.marker, [{ text: 'Three!' }, { text: '{"sum": "three"}' }])
    expect(found(await run(made, { count: 2 }))).toMatchObject({ status: 'failed', output: null, error: { code: 'INVALID_OUTPUT' } })
  })

  test('lets arguments be corrected once, and ends with the second mistake', async () => {
    const contact = await crm.contact()
    const made = await skill({ tools: ['getContact'] })
    const call = (args: unknown) => ({ calls: [{ name: 'getContact', arguments: args }] })
    crm.app.models.script(made.marker, [call('{"params": '), call({ params: { contact_id: contact.id } }), { text: 'Good.' }])
    expect(found(await run(made))).toMatchObject({
      status: 'completed',
      tool_calls: [{ outcome: 'refused', input: null }, { outcome: 'done' }],
    })
    crm.app.models.script(made.marker, [call({ params: {} }), call({ contact: 1 })])
    expect(found(await run(made))).toMatchObject({ status: 'failed', error: { code: 'INVALID_ARGUMENTS' } })
  })

  test.each([
    [
      [{ calls: [{ name: 'deleteContact', arguments: {} }] }, { text: 'Ok' }],
      { status: 'completed', tool_calls: [{ outcome: 'refused' }] },
    ],
    [[{ text: 'No', stop: 'refusal' as const }], { status: 'failed', error: { code: 'MODEL_REFUSED' } }],
    [[{ text: 'And', stop: 'length' as const }], { status: 'failed', error: { code: 'ANSWER_TOO_LONG' } }],
    [
      [{ text: 'It was cut off here', fault: 'cut' as const }],
      { status: 'failed', error: { code: 'PROVIDER_ERROR' }, usage: { is_estimate: true } },
    ],
    [[{ text: 'Fine', fault: 'no_usage' as const }], { status: 'completed', usage: { is_estimate: true } }],
  ])('ends by what the model does: %j', async (turns, ended) => {
    const made = await skill({ tools: ['getContact'] })
    crm.app.models.script(made.marker, turns)
    const before = await balance()
    const result = found(await run(made))
    expect(result).toMatchObject(ended)
    expect(await balance()).toEqual({ balance: before.balance - result.usage.credits, reserved: before.reserved })
  })

  test('goes on when how far it is cannot be stored, and shows what its tools have done', async () => {
    const contact = await crm.contact()
    const made = await skill({ tools: ['updateContact'] })
    const body = { job_title: 'Welder' }
    crm.app.models.script(made.marker, [
      { calls: [{ name: 'updateContact', arguments: { params: { contact_id: contact.id }, body } }] },
      { text: 'Good.' },
    ])
    crm.app.proxy.onRequest = (request) => {
      if (JSON.stringify(request).includes('note_skill_run')) throw new Error('The database does not answer')
    }
    const result = found(await run(made, { contact_id: contact.id }).finally(() => (crm.app.proxy.onRequest = undefined)))
    expect(result).toMatchObject({ status: 'completed', tool_calls: [{ operation: 'updateContact', outcome: 'done' }] })
    expect(result.usage).toMatchObject({ steps: 2 })
    expect(result.usage.credits).toBeGreaterThan(0)
    expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject(body)
  })

  test('ends at its limits of steps and of credits, and makes eight calls in a step', async () => {
    const contact = await crm.contact()
    const look = { calls: [{ name: 'getContact', arguments: { params: { contact_id: contact.id } } }] }
    const eager = await skill({ tools: ['getContact'] })
    crm.app.models.script(eager.marker, [{ calls: Array.from({ length: 10 }, () => look.calls[0]!) }, { text: 'Good.' }])
    expect(found(await run(eager)).tool_calls.map(({ outcome }: Row) => outcome)).toEqual([
      ...Array.from({ length: 8 }, () => 'done'),
      'refused',
      'refused',
    ])
    const made = await skill({ tools: ['getContact'], max_steps: 2 })
    crm.app.models.script(made.marker, [look, look, look])
    expect(found(await run(made))).toMatchObject({ status: 'failed', error: { code: 'LIMIT_REACHED' }, usage: { steps: 2 } })
    const poor = found(await run(made, { text: 'x'.repeat(8_000) }, { max_credits: 1 }))
    expect(poor).toMatchObject({ status: 'failed', error: { code: 'LIMIT_REACHED' }, usage: { steps: 0, credits: 0 } })
  })

  test('costs nothing when the provider fails, and does not begin without credits or for a disabled skill', async () => {
    const made = await skill()
    const before = await balance()
    crm.app.models.script(made.marker, [{ fault: '400' }])
    expect(await run(made)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
    expect(await balance()).toEqual(before)
    expect(await run(made, {}, { max_credits: 50 }, await poorer(made))).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.patch(`/skills/${made.id}`, { status: 'disabled' }))
    expect(await run(made)).toMatchObject(failed(409, 'INVALID_STATE'))
    expect(await crm.ws.post('/skills/run', { input: {} })).toMatchObject({ status: 400 })
  })
  const poorer = (_skill: unknown) => crm.app.workspace()

  test('without credits is refused with what it needs', async () => {
    const ws = await crm.app.workspace()
    const made = await skill({}, ws)
    const answer = await run(made, {}, {}, ws)
    expect(answer).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
    expect(answer.body.error.details).toMatchObject({ required: 50, balance: 0 })
  })

  test('of a public skill is paid by the caller, and holds every write', async () => {
    const other = await crm.app.workspace()
    await credits(100, other)
    const contact = (await other.post('/contacts', { first_name: 'Bo' })).body.data
    const made = await skill({ visibility: 'public', tools: ['updateContact'] })
    crm.app.models.script(made.marker, [
      { calls: [{ name: 'updateContact', arguments: { params: { contact_id: contact.id }, body: { job_title: 'Owned' } } }] },
      { text: 'Done' },
    ])
    const before = await balance()
    const result = found(await run(made, { contact_id: contact.id }, {}, other))
    expect(result.tool_calls).toMatchObject([{ outcome: 'pending_approval', approval_id: expect.any(String) }])
    expect(await balance()).toEqual(before)
    expect((await balance(other)).balance).toBe(100 - result.usage.credits)
    expect(found(await other.get(`/contacts/${contact.id}`)).job_title).toBeNull()
    found(await other.post(`/approvals/${result.tool_calls[0].approval_id}/approve`))
    await crm.app.drain()
    expect(found(await other.get(`/contacts/${contact.id}`)).job_title).toBe('Owned')
  })
})

test('a workspace has at most fifty public skills, and as many private ones as it wants', async () => {
  const skill = (name: string, fields: Row) => crm.ws.post('/skills', { name, system_prompt: 'Help.', status: 'active', ...fields })
  const first = created(await skill('First', { visibility: 'public' }))
  const columns = 'owner_id, description, model, system_prompt, tools, max_steps, credits_per_run, version, created_at, updated_at'
  await crm.app.owner.query(
    `insert into published_skills (id, name, ${columns}) select gen_random_uuid(), 'Other ' || n, ${columns}
      from published_skills, generate_series(2, 50) n where id = $1`,
    [first.id],
  )
  expect(await skill('Next', { visibility: 'public' })).toMatchObject(failed(409, 'CONFLICT'))
  const hidden = created(await skill('Next', { visibility: 'private' }))
  expect(await crm.ws.patch(`/skills/${hidden.id}`, { visibility: 'public' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(found(await crm.ws.patch(`/skills/${first.id}`, { description: 'Still.' }))).toMatchObject({ visibility: 'public' })
  found(await crm.ws.patch(`/skills/${first.id}`, { visibility: 'private' }))
  expect(found(await crm.ws.patch(`/skills/${hidden.id}`, { visibility: 'public' }))).toMatchObject({ visibility: 'public' })
  await crm.app.owner.query('delete from published_skills where owner_id = $1', [crm.ws.id])
})
