import { isWrite } from '../../src/http/endpoint.ts'
import type { Harness } from '../harness.ts'
import { tokenIn } from '../routes/invite.ts'
import type { TestWorkspace } from '../workspace.ts'
import { REORDERS } from './flat-reorders.ts'
import { type Ids, type Operation, operations, placesOfIds } from './samples.ts'
import { allowNotetakers } from './seed-notetakers.ts'
import { sentNotice } from './seed-notices.ts'
import { AGENT_CALLS, newAddress, newBundle, newNumber } from './seed-phone.ts'
import { numberForSale, unusedPhone } from './seed-sms.ts'
import { fullTime, newEntry } from './seed-waiting.ts'
import { pairInDatabase } from './seed-whatsapp.ts'
import { type Change, sendSample } from './send.ts'
import { waiting } from './waiting-values.ts'

export type Target = { app: Harness; ws: TestWorkspace; ids: Ids }
/** A call whose cost is measured. `prepare` creates what it needs, and returns the differences from the sample. */
export type Call = {
  name: string
  operation: Operation
  prepare: (target: Target) => Promise<Change>
  /** It creates nothing. */
  isQuiet?: true
  /** What it may cost at any size. */
  most?: number
}

const LINK = { resource_type: 'link', url: 'https://example.com', title: 'Read' }
const operation = (name: string) => operations.find((one) => one.name === name) as Operation
const unique = () => crypto.randomUUID().slice(0, 8)

async function create({ ws }: Target, path: string, body: Record<string, unknown>): Promise<string> {
  const answer = await ws.post(path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.data.id
}

/** The required fields of each kind of record. */
const least = (plural: string) =>
  plural === 'contacts' ? { first_name: 'Ana' } : plural === 'tasks' ? { title: 'Call' } : { name: 'Other' }
const upserted = (plural: string) => async () => ({ body: { ...least(plural), external_id: unique() } })

/**
 * One of the records that fill the workspace, into which no other was merged. In every size the one at this place has few rows of its own.
 */
async function ordinary({ app, ws }: Target, table: string): Promise<string> {
  const { rows } = await app.owner.query(
    `select id from ${table} r where workspace_id = $1 and external_id is not null
      and not exists (select from merges m where m.workspace_id = r.workspace_id and m.winner_id = r.id) order by id offset 40 limit 1`,
    [ws.id],
  )
  return rows[0].id
}

/** The auto queue that every contact of a filled workspace is, or was, enrolled in. */
async function largeQueue({ app, ws }: Target): Promise<string> {
  const { rows } = await app.owner.query('select id from auto_queues where workspace_id = $1 order by id limit 1', [ws.id])
  return `/auto-queues/${rows[0].id}`
}

async function uploaded(target: Target): Promise<string> {
  const answer = await sendSample(target.app, target.ws, operation('POST /imports'), target.ids)
  await target.app.drain()
  return answer.body.data.id
}

async function pendingApproval({ ws }: Target): Promise<string> {
  await ws.post('/contacts', { first_name: 'Held', require_approval: true })
  return (await ws.get('/approvals?status=pending&limit=1')).body.data[0].id
}

const boughtNumber = async (target: Target) =>
  `/phone/numbers/${await create(target, '/phone/numbers/buy', { phone_number: numberForSale() })}`

async function invitationToken(target: Target): Promise<string> {
  const email = `${unique()}@example.com`
  await target.ws.post('/company/users/invite', { email })
  await target.app.drain()
  return tokenIn(target.app.email.sent.find(({ To }) => To === email) as never)
}

/** Adds a value that no record uses to a picklist of the settings. */
const unusedWord = (list: string) => async (target: Target) => {
  const column = list.replaceAll('-', '_')
  const { body } = await target.ws.get('/company/crm-settings')
  await target.ws.patch('/company/crm-settings', { [column]: [...body.data[column], 'Unused'] })
  return { path: `/company/crm-settings/${list}/Unused` }
}

async function offerTags({ ws }: Target): Promise<void> {
  await ws.patch(
    '/company/settings/tag-palette',
    ['VIP', 'Idle'].map((name) => ({ name, color: '#1a73e8' })),
  )
}

/** A booking of its own for each step, because most steps end what another one needs. */
const ofNewBooking = (step: string): [string, Call['prepare']] => [
  `POST /scheduling-bookings/:booking_id/${step}`,
  async (target) => {
    const answer = await sendSample(target.app, target.ws, operation('POST /scheduling-bookings'), target.ids)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return { path: `/scheduling-bookings/${answer.body.data.id}/${step}` }
  },
]

/** The booking's notetaker, removed or requested before. */
const notetaker =
  (method: 'post' | 'delete') =>
  async ({ app, ws, ids }: Target) => {
    await allowNotetakers(app, ws, ids.booking_id as string)
    await ws[method](`/scheduling-bookings/${ids.booking_id}/notetaker`)
    return {}
  }

/** The additions to the sample of an endpoint, besides existing records. */
const PREPARED: Record<string, Call['prepare']> = {
  ...Object.fromEntries(['cancel', 'confirm', 'decline', 'reschedule', 'reassign'].map(ofNewBooking)),
  'POST /scheduling-bookings/:booking_id/notices/:notice_id/resend': async (target) => {
    const answer = await sendSample(target.app, target.ws, operation('POST /scheduling-bookings'), target.ids)
    const { confirmed_booking_id, notice_id } = await sentNotice(target.app, target.ws, answer.body.data.id)
    return { path: `/scheduling-bookings/${confirmed_booking_id}/notices/${notice_id}/resend` }
  },
  'POST /scheduling-waiting-list': async ({ app, ws }) => ({ body: { name: 'Wil Wu', ...waiting(await fullTime(app, ws)).body } }),
  'POST /scheduling-waiting-list/:entry_id/cancel': async ({ app, ws }) => ({
    path: `/scheduling-waiting-list/${await newEntry(app, ws)}/cancel`,
  }),
  'POST /scheduling-bookings/:booking_id/notetaker': notetaker('delete'),
  'DELETE /scheduling-bookings/:booking_id/notetaker': notetaker('post'),
  'DELETE /scheduling/voice-providers/:provider': async ({ ws }) => {
    await ws.put('/scheduling/voice-providers/vapi', { secret: 'secret' })
    return { path: '/scheduling/voice-providers/vapi' }
  },
  'POST /contacts/upsert': upserted('contacts'),
  'POST /companies/upsert': upserted('companies'),
  'POST /customers/upsert': upserted('companies'),
  'POST /opportunities/upsert': upserted('opportunities'),
  'POST /deals/upsert': upserted('opportunities'),
  ...REORDERS,
  'POST /imports/:import_id/check': async (target) => ({ path: `/imports/${await uploaded(target)}/check` }),
  'POST /imports/:import_id/start': async (target) => ({ path: `/imports/${await uploaded(target)}/start` }),
  'POST /email/inbound/:inbox_token': async ({ ws }) => ({
    path: (await ws.post('/email/inbox/rotate-token')).body.data.path.replace('/v1', ''),
  }),
  'DELETE /training-cards/:training_card_id': async (target) => {
    const canvas = await create(target, '/training-canvases', { name: unique() })
    return { path: `/training-cards/${await create(target, `/training-canvases/${canvas}/cards`, LINK)}` }
  },
  'DELETE /phone/addresses/:phone_address_id': async (target) => ({ path: await newAddress(target.ws) }),
  'DELETE /phone/bundles/:phone_bundle_id': async ({ ws, ids }) => ({ path: `/phone/bundles/${await newBundle(ws, ids)}` }),
  ...AGENT_CALLS,
  'DELETE /phone/numbers/:phone_number_id': async (target) => ({ path: await boughtNumber(target) }),
  'PATCH /phone/numbers/:phone_number_id': async ({ ws }) => ({ path: `/phone/numbers/${await newNumber(ws)}` }),
  'POST /phone/bundles/:phone_bundle_id/submit': async ({ ws, ids }) => ({ path: `/phone/bundles/${await newBundle(ws, ids)}/submit` }),
  'POST /phone/numbers/:phone_number_id/release': async (target) => ({ path: `${await boughtNumber(target)}/release` }),
  ...Object.fromEntries(
    [
      ...['POST /whatsapp/inbound/:whatsapp_token', 'POST /whatsapp/send', 'POST /whatsapp/groups/send', 'POST /whatsapp/disconnect'],
      'POST /whatsapp/messages/:whatsapp_message_id/reaction',
    ].map((name) => [
      name,
      async ({ app, ws }: Target) => {
        const token = await pairInDatabase(app, ws.id)
        return name.endsWith('_token') ? { path: `/whatsapp/inbound/${token}` } : {}
      },
    ]),
  ),
  'POST /invitations/accept': async (target) => ({ body: { token: await invitationToken(target) } }),
  'POST /approvals/:approval_id/approve': async (target) => ({ path: `/approvals/${await pendingApproval(target)}/approve` }),
  'PATCH /approvals/:approval_id': async (target) => ({ path: `/approvals/${await pendingApproval(target)}` }),
  'POST /approvals/:approval_id/reject': async (target) => ({ path: `/approvals/${await pendingApproval(target)}/reject` }),
  'PATCH /company/crm-settings': async () => ({ body: { lost_reasons: ['Price', 'Late', unique()] } }),
  'POST /company/settings/tag-palette/rename': async (target) => {
    await offerTags(target)
    return { body: { from: 'Idle', to: `Quiet ${unique()}` } }
  },
  'DELETE /company/settings/tag-palette/:palette_tag_name': async (target) => {
    await offerTags(target)
    return {}
  },
  ...Object.fromEntries(
    ['lost-reasons', 'won-reasons', 'opportunity-types', 'account-types', 'contact-types'].map((list) => [
      `DELETE /company/crm-settings/${list}/:${list.replaceAll('-', '_').replace(/s$/, '')}_name`,
      unusedWord(list),
    ]),
  ),
  ...Object.fromEntries(
    ['contacts', 'companies', 'customers', 'opportunities', 'deals', 'tasks'].map((plural) => [
      `POST /${plural}/bulk-delete`,
      async (target: Target) => ({ body: { ids: [await create(target, `/${plural}`, least(plural))] } }),
    ]),
  ),
}

/** Further calls of an endpoint, besides its sample. */
const VARIANTS: [name: string, how: string, prepare: Call['prepare']][] = [
  ['GET /contacts/:contact_id/data', 'of many', async (target) => ({ path: `/contacts/${await ordinary(target, 'contacts')}/data` })],
  ...['counts', 'enrolments', 'list-enrolments'].map((part): (typeof VARIANTS)[number] => [
    `GET /auto-queues/:auto_queue_id/${part}`,
    'of many',
    async (target) => ({ path: `${await largeQueue(target)}/${part}` }),
  ]),
  [
    'POST /auto-queues/:auto_queue_id/enrolments',
    'beside many',
    async (target) => ({
      path: `${await largeQueue(target)}/enrolments`,
      body: { contact_id: await create(target, '/contacts', least('contacts')) },
    }),
  ],
  ['POST /auto-queues/:auto_queue_id/steps', 'beside many', async (target) => ({ path: `${await largeQueue(target)}/steps` })],
  // Whose number it is, is found first.
  ['POST /sms/send', 'to a number', async () => ({ body: { to_phone: unusedPhone(), text: 'Hello' } })],
  [
    'POST /activities/bulk-create',
    'with contacts',
    async (target) => {
      const contact_ids = [await create(target, '/contacts', least('contacts')), await create(target, '/contacts', least('contacts'))]
      return { body: { records: Array.from({ length: 2 }, () => ({ activity_type: 'meeting', contact_ids })) } }
    },
  ],
  ...['contacts', 'companies', 'opportunities'].flatMap((plural): typeof VARIANTS => [
    ...['-last_activity_at', 'next_task_due_at'].map((sort): (typeof VARIANTS)[number] => [
      `GET /${plural}`,
      `by ${sort}`,
      async () => ({ query: { sort, limit: '50' } }),
    ]),
    [
      `POST /${plural}/upsert`,
      'one that exists',
      async (target) => {
        const external_id = unique()
        await create(target, `/${plural}`, { ...least(plural), external_id })
        return { body: { external_id, description: undefined, notes: 'Seen at the fair' } }
      },
    ],
  ]),
]
const PURGES = ['contacts', 'companies', 'opportunities'].map((plural): [string, string, Call['prepare']] => [
  operations.find(({ name }) => name.startsWith(`DELETE /${plural}/:`) && name.split('/').length === 3)?.name as string,
  'purge',
  async (target) => ({
    path: `/${plural}/${plural === 'contacts' ? await ordinary(target, plural) : await create(target, `/${plural}`, least(plural))}`,
    query: { purge: 'true' },
  }),
])

/** For calls that need nothing but the records of the seed. */
export const unprepared = async (): Promise<Change> => ({})
const called = (operation: Operation): Call => ({
  name: operation.name,
  operation,
  prepare: PREPARED[operation.name] ?? unprepared,
})
const variants = (list: typeof VARIANTS): Call[] =>
  list.map(([name, how, prepare]) => ({ name: `${name} (${how})`, operation: operation(name), prepare }))

const deletes = ({ endpoint }: Operation) => endpoint.method === 'DELETE' || /delete/.test(endpoint.path)
/** Rows below a record are deleted before the record itself. */
const DEPENDENT = ['product-costs', 'activities']
/** A record that cannot exist without another one is deleted with it. */
const needsAnother = ({ endpoint }: Operation) => {
  const created = operations.find(({ name }) => name === `POST ${endpoint.path.replace(/\/(:\w+|bulk-delete)$/, '')}`)
  return placesOfIds(created?.body ?? {}).some(([field]) => created?.body?.required?.includes(field))
}
const isDependent = (one: Operation) => DEPENDENT.some((part) => one.endpoint.path.includes(part)) || needsAnother(one)
const depth = (one: Operation) => one.endpoint.path.split('/').length + (isDependent(one) ? 10 : 0)
const innermost = (a: Operation, b: Operation) => depth(b) - depth(a)
const readsFirst = (a: Operation, b: Operation) => Number(isWrite(a.endpoint)) - Number(isWrite(b.endpoint))
const current = operations.filter(({ endpoint }) => !endpoint.successor)
const former = operations.filter(({ endpoint }) => endpoint.successor)

/** All endpoints of the registry, in rounds that each begin with new records of every kind. */
export const ROUNDS: { former: boolean; calls: Call[] }[] = [
  {
    former: false,
    calls: [
      ...current
        .filter((one) => !deletes(one))
        .toSorted(readsFirst)
        .map(called),
      ...variants(VARIANTS),
    ],
  },
  { former: false, calls: [...current.filter(deletes).toSorted(innermost).map(called), ...variants(PURGES)] },
  {
    former: true,
    calls: former
      .filter((one) => !deletes(one))
      .toSorted(readsFirst)
      .map(called),
  },
  { former: true, calls: former.filter(deletes).toSorted(innermost).map(called) },
]
