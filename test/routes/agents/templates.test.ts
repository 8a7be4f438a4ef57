import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { phoning } from '../phoning.ts'

const crm = useCrm()
const { number } = phoning(crm)
beforeEach(() => {
  crm.app.voice.clear()
  crm.app.sms.clear()
})

const make = (slug: string, answers: Row, more: Row = {}) =>
  crm.ws.post(`/voice-agent-templates/${slug}/create-agent`, { answers, ...more })
const eventType = async (ws = crm.ws): Promise<string> =>
  created(await ws.post('/scheduled-event-types', { name: 'Site visit', duration_minutes: 30 })).id
const issuesOf = (response: { body: Row }) => response.body.error.details.issues.map(({ path }: Row) => path)
const spoken = (id: string) => crm.app.voice.agents.engineOf(crm.app.voice.agents.version(id)!) as Row

test('each category and direction has templates, and every one makes an agent that is published and bound to no number', async () => {
  const templates = found(await crm.ws.get('/voice-agent-templates')) as Row[]
  expect(templates.length).toBeGreaterThanOrEqual(8)
  for (const category of ['sales', 'service', 'reputation', 'feedback'])
    for (const direction of ['inbound', 'outbound'])
      expect(found(await crm.ws.get(`/voice-agent-templates?category=${category}&direction=${direction}`))).not.toEqual([])
  for (const { slug, questions } of templates) {
    const answers = Object.fromEntries(questions.filter(({ required }: Row) => required).map(({ key }: Row) => [key, `Acme ${key}`]))
    const made = created(await make(slug, answers))
    expect(made.agent).toMatchObject({ type: 'voice', status: 'published', published_version: 1, event_type_id: null })
    expect(made.next_steps.join(' ')).toContain(made.agent.id)
    const { general_prompt: prompt, general_tools: tools } = spoken(made.agent.provider_agent_id)
    expect(prompt).toContain('Acme business_name')
    expect(prompt).not.toMatch(/[{}]|find_slots|transfer_call|undefined/)
    expect(tools.map(({ type }: Row) => type)).toEqual(['end_call'])
  }
  expect(crm.app.voice.numbers).toEqual([])
  expect(await crm.ws.get('/voice-agent-templates/nobody')).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get('/voice-agent-templates/receptionist')).questions[0]).toMatchObject({
    key: 'business_name',
    required: true,
  })
})

test('optional parts are in the prompt and the tools only if they are answered, and blank answers take the default', async () => {
  const event_type_id = await eventType()
  const answers = { business_name: 'Harbour', opening_hours: '8 to 17', agent_name: ' ', event_type_id, transfer_number: '0412 345 678' }
  const { agent, warnings } = created(await make('after-hours', answers))
  expect(agent).toMatchObject({
    event_type_id,
    transfer_number: '+61412345678',
    tools: ['find_slots', 'book', 'transfer_call', 'end_call'],
  })
  expect(warnings).toEqual([])
  const { general_prompt: prompt, begin_message } = spoken(agent.provider_agent_id)
  expect(begin_message).toContain('I am Alex')
  expect(prompt).toMatch(/find_slots[\s\S]*|transfer_call/)
  const blank = created(await make('after-hours', { ...answers, transfer_number: '', event_type_id: null }))
  expect(blank.agent.tools).toEqual(['end_call'])
  expect(blank.agent.prompt).not.toMatch(/find_slots|transfer_call/)
  expect(blank.warnings.map(({ field }: Row) => field)).toEqual(['answers.event_type_id', 'answers.transfer_number'])
})

test('answers are checked, and against this workspace', async () => {
  const refused = async (slug: string, answers: Row) => {
    const response = await make(slug, answers)
    expect(response).toMatchObject(failed(400, 'VALIDATION_ERROR'))
    return issuesOf(response)
  }
  const about = 'Kitchens'
  const phone = await number()
  expect(await refused('receptionist', { about })).toEqual(['answers.business_name'])
  expect(await refused('receptionist', { business_name: 'H', about, colour: 'red' })).toEqual(['answers.colour'])
  expect(
    await refused('receptionist', { business_name: 'H', about, event_type_id: 'visit', contact_email: 'x', transfer_number: '1' }),
  ).toEqual([...['answers.event_type_id', 'answers.transfer_number', 'answers.contact_email']])
  const foreign = await eventType(await crm.app.workspace())
  expect(await refused('receptionist', { business_name: 'H', about, event_type_id: foreign })).toEqual(['answers.event_type_id'])
  expect(await refused('receptionist', { business_name: 'H', about, transfer_number: phone.phone_number })).toEqual([
    'answers.transfer_number',
  ])
  expect(await refused('new-lead-call', { business_name: 'H', callback_number: '+61491570006' })).toEqual(['answers.callback_number'])
  created(await make('new-lead-call', { business_name: 'H', callback_number: phone.phone_number }))
  expect((found(await crm.ws.get('/agents')) as Row[]).length).toBe(1)
})

test('an agent that the provider refuses or does not confirm is there with a warning', async () => {
  // The voices may be known already; what fails is then the first or the second call.
  found(await crm.ws.get('/voices'))
  crm.app.voice.fail('422')
  const refused = created(await make('feedback-line', { business_name: 'H' }))
  expect(refused.agent).toMatchObject({ status: 'draft', publish_error: expect.stringContaining('422') })
  expect(refused.warnings.at(-1)).toMatchObject({ field: null, message: expect.stringContaining('refused') })
  crm.app.voice.fail('500', 2)
  const unclear = created(await make('feedback-line', { business_name: 'H' }))
  expect(unclear.agent.status).toBe('publishing')
  expect(unclear.warnings.at(-1).message).toContain('not confirmed')
  expect(await crm.ws.post(`/agents/${refused.agent.id}/publish`)).toMatchObject({ status: 200 })
})

test('a dry run makes no agent and calls no provider', async () => {
  found(await crm.ws.get('/voices'))
  crm.app.voice.clear()
  const response = await crm.ws.post('/voice-agent-templates/receptionist/create-agent?dry_run=true', {
    answers: { business_name: 'H', about: 'K' },
  })
  expect(response.status).toBe(200)
  expect(crm.app.voice.requests).toEqual([])
  expect(found(await crm.ws.get('/agents'))).toEqual([])
})

test('voices are searched and filtered', async () => {
  const names = async (query: string) => found(await crm.ws.get(`/voices${query}`)).voices.map(({ name }: Row) => name)
  expect(await names('')).toEqual(['Adrian', 'Cimo', 'Hugh', 'Nova'])
  expect(await names('?search=CIM')).toEqual(['Cimo'])
  expect(await names('?provider=openai')).toEqual(['Nova'])
  expect(await names('?gender=male&accent=brit')).toEqual(['Hugh'])
  expect(found(await crm.ws.get('/voices?gender=female')).total).toBe(2)
  expect(await crm.ws.get('/voices?gender=none')).toMatchObject(failed(400, 'VALIDATION_ERROR'))
})
