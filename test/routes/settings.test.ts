import { expect, test } from 'vitest'
import { failed, found, held, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const patch = (fields: unknown) => crm.ws.patch('/company/crm-settings', fields)
const settings = async () => found(await crm.ws.get('/company/crm-settings'))
const sources = async (): Promise<[string, boolean][]> =>
  (await settings()).lead_sources.map(({ name, is_active }: Row) => [name, is_active])

test('a fresh workspace offers nothing yet', async () => {
  const answer = await crm.ws.get('/company/crm-settings')
  expect(found(answer)).toEqual({
    custom_fields: [],
    lead_sources: [],
    lost_reasons: [],
    won_reasons: [],
    opportunity_types: [],
    account_types: [],
    contact_types: [],
    transcript_settings: {},
    accounts_enabled: true,
    contacts_enabled: true,
    enable_work_orders: false,
    booking_page_enabled: false,
    booking_embed_origins: [],
    link_contacts_by_domain: false,
    model_credits_per_day: null,
    notetaker_enabled: false,
    campaign_open_tracking: false,
    component_instances_on_win: false,
    campaign_click_tracking: false,
    whatsapp_read_receipts: true,
    quiet_hours: { from: '20:00', to: '08:00' },
    form_completion_notify_emails: [],
    automation_error_notify_emails: [],
    automation_error_notify_phones: [],
    version: 1,
    updated_at: expect.any(String),
  })
  expect(answer.headers.get('etag')).toBe('"1"')
})

test('an update changes what it sends and leaves the rest', async () => {
  const sent = {
    custom_fields: [{ key: 'tier', label: 'Tier', object: 'company', type: 'select', required: true, options: ['Gold', 'Silver'] }],
    lost_reasons: ['Price, too high', 'It said "no"', 'back\\slash', '{curly}', 'NULL'],
    transcript_settings: { summarise: true, languages: ['en'] },
    enable_work_orders: true,
    form_completion_notify_emails: ['ANA@x.co'],
    automation_error_notify_phones: ['0412 345 678'],
  }
  const kept = { ...sent, form_completion_notify_emails: ['ana@x.co'], automation_error_notify_phones: ['+61412345678'] }
  expect(found(await patch(sent))).toMatchObject({ ...kept, version: 2 })
  expect(found(await patch({ won_reasons: ['Quality'], accounts_enabled: false, enable_work_orders: false }))).toMatchObject({
    ...kept,
    won_reasons: ['Quality'],
    accounts_enabled: false,
    contacts_enabled: true,
    enable_work_orders: false,
  })
  expect(found(await patch({}))).toMatchObject({ ...kept, enable_work_orders: false, version: 3 })
  expect(found(await patch({ lost_reasons: [], custom_fields: [] }))).toMatchObject({
    lost_reasons: [],
    custom_fields: [],
    won_reasons: ['Quality'],
  })
})

test('transcript settings stay within what can be sent back', async () => {
  const words = (name: string, count: number, length: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 'x'.repeat(length)]))
  found(await patch({ transcript_settings: words('a', 100, 500) }))
  expect(await patch({ transcript_settings: words('b', 100, 500) })).toMatchObject(refused('transcript_settings'))
  found(await patch({ transcript_settings: words('b', 100, 1) }))
  expect(await patch({ transcript_settings: { more: 1 } })).toMatchObject(refused('transcript_settings'))
  const { transcript_settings } = found(await patch({ transcript_settings: { a0: null, more: 1 } }))
  found(await patch({ transcript_settings }))
})

test('settings that are sent back keep options that differ in case only', async () => {
  const options = ['Gold', 'gold', 'Silver']
  found(await crm.ws.post('/custom-fields', { object: 'contact', type: 'select', label: 'Tier', options }))
  const { custom_fields } = await settings()
  const answer = await patch({ custom_fields })
  expect(found(answer).custom_fields).toMatchObject([{ key: 'tier', options }])
  expect(answer.body).not.toHaveProperty('_warnings')
})

test('transcript settings merge, and null removes a name', async () => {
  found(await patch({ transcript_settings: { a: 1, b: { c: 1 } } }))
  expect(found(await patch({ transcript_settings: { a: null, b: { d: 2 }, e: null } })).transcript_settings).toEqual({ b: { d: 2 } })
})

test.each(['lost_reasons', 'won_reasons', 'opportunity_types', 'account_types', 'contact_types'])(
  '%s has each name once, however it is written',
  async (list) => {
    expect(found(await patch({ [list]: [' Price ', 'PRICE', 'Timing', 'ｐｒｉｃｅ', 'timing'] }))[list]).toEqual(['Price', 'Timing'])
  },
)

test('addresses to notify are stored once each', async () => {
  const lists = { automation_error_notify_emails: ['a@x.co', 'A@x.co'], automation_error_notify_phones: ['+61412345678', '0412 345 678'] }
  expect(found(await patch(lists))).toMatchObject({
    automation_error_notify_emails: ['a@x.co'],
    automation_error_notify_phones: ['+61412345678'],
  })
})

const field = (more: Row = {}) => ({ key: 'tier', label: 'Tier', ...more })
test.each([
  [{ lost_reasons: 'Price' }, 'lost_reasons'],
  [{ lost_reasons: ['Price', ''] }, 'lost_reasons.1'],
  [{ accounts_enabled: 'yes' }, 'accounts_enabled'],
  [{ form_completion_notify_emails: ['a@x.co', 'x'] }, 'form_completion_notify_emails.1'],
  [{ automation_error_notify_phones: ['12'] }, 'automation_error_notify_phones.0'],
  [{ custom_fields: [field({ key: 'Tier!' })] }, 'custom_fields.0.key'],
  [{ custom_fields: [field({ type: 'colour' })] }, 'custom_fields.0.type'],
  [{ custom_fields: [field({ type: 'select' })] }, 'custom_fields.0.options'],
  [{ custom_fields: [field(), field({ object: 'company' }), field()] }, 'custom_fields.2.key'],
  [{ lead_sources: [{ name: 'A' }, { name: ' a ' }] }, 'lead_sources.1.name'],
  [
    {
      lead_sources: [
        { id: nobody, name: 'A' },
        { id: nobody, name: 'B' },
      ],
    },
    'lead_sources.1.id',
  ],
  [{ lead_sources: [{ id: nobody, name: 'A' }] }, 'lead_sources.0.id'],
  [{ birthday_messages: [] }, 'birthday_messages'],
  [{ zork: 1 }, 'zork'],
])('%j is refused, naming %s', async (fields, path) => {
  expect(await patch(fields)).toMatchObject(refused(path))
  expect((await settings()).version).toBe(1)
})

test('lead sources become those that are sent: by id, else by name', async () => {
  const [fair, web] = found(
    await patch({ lead_sources: [{ name: 'Trade fair' }, { name: 'Website', is_active: false }, { name: 'Radio' }] }),
  )
    .lead_sources.toSorted((a: Row, b: Row) => (a.name < b.name ? 1 : -1))
    .slice(0, 2)
    .reverse()
  expect(await sources()).toEqual([
    ['Radio', true],
    ['Trade fair', true],
    ['Website', false],
  ])
  const kept = found(
    await patch({ lead_sources: [{ id: fair.id, name: 'Exhibition' }, { name: 'WEBSITE' }, { name: 'Trade fair' }] }),
  ).lead_sources
  expect(await sources()).toEqual([
    ['Exhibition', true],
    ['Trade fair', true],
    ['WEBSITE', false],
  ])
  expect(kept.map(({ id }: Row) => id)).toEqual([fair.id, uuid, web.id])
  expect((await crm.events(fair.id)).map(({ type }) => type)).toEqual(['lead_source.created', 'lead_source.updated'])
  found(await patch({ lost_reasons: ['Price'] }))
  expect(await sources(), 'left out altogether, they stay').toHaveLength(3)
  found(await patch({ lead_sources: [] }))
  expect(await sources()).toEqual([])
})

test.each([0, 1])('a name that a lead source gives up is free in the same list, wherever it stands', async (place) => {
  const [fair] = found(await patch({ lead_sources: [{ name: 'Trade fair' }] })).lead_sources
  const renamed = { id: fair.id, name: 'Exhibition' }
  const { lead_sources } = found(await patch({ lead_sources: [{ name: 'Trade fair' }].toSpliced(place, 0, renamed) }))
  expect(lead_sources).toMatchObject([renamed, { id: uuid, name: 'Trade fair' }])
})

test('a lead source that contacts have is not dropped, and then nothing of the call happens', async () => {
  const [source] = found(await patch({ lead_sources: [{ name: 'Trade fair' }] })).lead_sources
  await crm.contact({ source_id: source.id })
  const answer = await patch({ lead_sources: [{ name: 'Website' }], lost_reasons: ['Price'] })
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details: { referenced_by: 'contacts' } } } })
  expect(await sources()).toEqual([['Trade fair', true]])
  expect((await settings()).lost_reasons).toEqual([])
  expect(found(await patch({ lead_sources: [{ id: source.id, name: 'Exhibition', is_active: false }] })).lead_sources).toEqual([
    { id: source.id, name: 'Exhibition', is_active: false },
  ])
})

test('two lists at once: the later one stands, whole', async () => {
  const lists = [
    ['A', 'B'],
    ['B', 'C'],
  ]
  const answers = await Promise.all(lists.map((names) => patch({ lead_sources: names.map((name) => ({ name })), lost_reasons: names })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const { lost_reasons, lead_sources } = await settings()
  expect(lists).toContainEqual(lost_reasons)
  expect(lead_sources.map(({ name }: Row) => name)).toEqual(lost_reasons)
})

const birthday = (year: number, more: Row = {}) => ({ year, email_subject: null, email_body: null, sms_body: `Year ${year}`, ...more })

test.each([
  ['a bare array', (messages: Row[]) => messages],
  ['an object', (messages: Row[]) => ({ messages })],
])('birthday messages are replaced whole by %s, in the order of their years', async (_, form) => {
  const first = await crm.ws.put(
    '/company/birthday-messages',
    form([
      birthday(2),
      birthday(1, { email_subject: 'Hi {first_name}', email_body: '<style>p { color: red }</style>{last_name} {company_name} {age}' }),
    ]),
  )
  expect(found(first)).toEqual([
    birthday(1, { email_subject: 'Hi {first_name}', email_body: '<style>p { color: red }</style>{last_name} {company_name} {age}' }),
    birthday(2),
  ])
  expect(found(await crm.ws.put('/company/birthday-messages', form([{ year: 5, sms_body: 'Five' }])))).toEqual([
    birthday(5, { sms_body: 'Five' }),
  ])
  expect(found(await crm.ws.get('/company/birthday-messages'))).toEqual([birthday(5, { sms_body: 'Five' })])
  expect(found(await crm.ws.put('/company/birthday-messages', form([])))).toEqual([])
})

test('a merge tag that does not exist is refused by name', async () => {
  const answer = await crm.ws.put('/company/birthday-messages', [
    birthday(1),
    birthday(2, { sms_body: 'Hi {nickname}, {first_name}, { age }' }),
  ])
  expect(answer).toMatchObject(refused('1.sms_body'))
  const [{ message }] = answer.body.error.details.issues
  expect(message).toContain('{nickname}')
  expect(message).toContain('{ age }')
  expect(message).toContain('{first_name}, {last_name}, {company_name}, {age}')
  const wrapped = await crm.ws.put('/company/birthday-messages', { messages: [birthday(1, { email_subject: '{First_Name}' })] })
  expect(wrapped).toMatchObject(refused('messages.0.email_subject'))
})

test.each<[string, unknown, string]>([
  ['two of one year', [birthday(1), birthday(1)], '1.year'],
  ['a year below none', [birthday(-1)], '0.year'],
  ['an unknown field', [birthday(1, { zork: 1 })], '0.zork'],
  ['an object without them', {}, 'messages'],
  ['an unknown field beside them', { messages: [], zork: 1 }, 'zork'],
])('%s is refused', async (_, body, path) => {
  expect(await crm.ws.put('/company/birthday-messages', body)).toMatchObject(refused(path))
})

const red = '#ff0000'
const blue = '#0000ff'
test.each([
  ['a bare array', (tags: Row[]) => tags],
  ['an object', (tags: Row[]) => ({ tags })],
])('the tag palette is replaced whole by %s; of names that differ in case the last one stays', async (_, form) => {
  const sent = form([
    { name: 'VIP', color: red },
    { name: 'Cold', color: blue },
    { name: ' vip ', color: '#0000FF' },
  ])
  expect(found(await crm.ws.patch('/company/settings/tag-palette', sent))).toEqual([
    { name: 'Cold', color: blue },
    { name: 'vip', color: blue },
  ])
  found(await crm.ws.patch('/company/settings/tag-palette', form([{ name: 'New', color: red }])))
  expect(found(await crm.ws.get('/company/settings/tag-palette'))).toEqual([{ name: 'New', color: red }])
})

test.each<[unknown, string]>([
  [[{ name: 'VIP', color: 'reddish' }], '0.color'],
  [[{ name: '', color: red }], '0.name'],
  [[{ name: 'VIP' }], '0.color'],
  [{ tags: [{ name: 'VIP', color: red, zork: 1 }] }, 'tags.0.zork'],
  [{}, 'tags'],
])('the palette %j is refused, naming %s', async (body, path) => {
  expect(await crm.ws.patch('/company/settings/tag-palette', body)).toMatchObject(refused(path))
})

test('all settings have one history, and a change of them asks for approval like any other', async () => {
  found(await patch({ lost_reasons: ['Price'] }))
  found(await crm.ws.patch('/company/settings/tag-palette', [{ name: 'VIP', color: red }]))
  expect(await crm.ws.patch('/company/settings/tag-palette', { tags: [], require_approval: true })).toMatchObject(held)
  expect(await (await crm.ws.key({ level: 'approval' })).put('/company/birthday-messages', [birthday(1)])).toMatchObject(held)
  expect(await crm.ws.patch('/company/crm-settings', {}, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  const history = await crm.walk('/company/crm-settings/history?limit=2')
  expect(history.map(({ fields }) => Object.keys(fields))).toEqual([['tag_palette'], ['lost_reasons'], expect.anything()])
  expect(history[1]!.fields).toEqual({ lost_reasons: { before: [], after: ['Price'] } })
  expect((await crm.events(crm.ws.id)).filter(({ type }) => type === 'crm_settings.updated')).toHaveLength(2)
})
