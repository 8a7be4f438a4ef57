import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { allEndpoints } from '../../routes/index.ts'
import { EVENT_TYPES } from '../../src/domain/events.ts'
import { eachOf } from '../../src/lib/each-of.ts'
import { type Harness, start } from '../harness.ts'
import { created, found, type Row } from '../routes/crm.ts'
import { end, Stream } from '../routes/feed-readers.ts'
import { connecting, ME } from '../routes/mailboxes/connecting.ts'
import type { TestWorkspace } from '../workspace.ts'

/**
 * What is in the mailbox of a member, written by every path of the product and read by every reader as a colleague. Each private text has
 * the marker, so that what must not be seen is found in whatever shape it is returned or stored; the ids of the private rows are taken from
 * the catalogue.
 */
const MARKER = /zx9secret/i
const STRANGER = 'zx9secret@example.net'
/** Where the marker may be stored outside of private rows. */
const STORED: Record<string, string> = {
  deleted_rows: 'What a restore brings back, each row with its private_to',
  notepad_versions: 'Earlier contents, which a policy shows to those who see the notepad',
}

const receiver = await startWebhookReceiver()
let app: Harness
let ws: TestWorkspace
let colleague: TestWorkspace
let contact: Row
let thread: string
let beginning: string
const box = connecting({
  get app() {
    return app
  },
  get ws() {
    return ws
  },
} as never)

beforeAll(async () => {
  // Transactions of other test files would delay its events.
  app = await start({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
  ws = await app.workspace()
  colleague = await ws.key()
  contact = created(await ws.post('/contacts', { first_name: 'Ana', email: 'ana.client@example.com' }))
  await followAll()
  await write()
}, 180_000)
afterAll(async () => {
  receiver.release()
  await receiver.close()
  await app.close()
})

/** A colleague's webhook, stream and automations follow every event. */
async function followAll(): Promise<void> {
  const webhook = created(await colleague.post('/webhooks', { url: receiver.url, event_types: ['*'] }))
  receiver.secrets.push(webhook.secret)
  beginning = await end(app, ws)
  const types = EVENT_TYPES.filter((type) => /^(activity|conversation|email_|message|email\.)/.test(type))
  for (let at = 0; at < types.length; at += 20) {
    const trigger = { type: 'event', event_types: types.slice(at, at + 20) }
    const steps = [{ type: 'create_task', fields: { title: 'Leaked' } }]
    const automation = created(await colleague.post('/automations', { name: `Leak ${at}`, trigger, steps }))
    found(await colleague.post(`/automations/${automation.id}/publish`))
  }
}

const personal = (fields: Row = {}) => ({
  mode: 'personal',
  sender_user_id: ws.userId,
  subject: 'Zx9secret',
  text: 'Zx9secret text',
  ...fields,
})

/** Writes private rows by every path: sends, replies, drafts, schedules, failures, what arrives and what is written at Gmail itself. */
async function write(): Promise<void> {
  await box.connect(ws)
  const deal = created(await ws.post('/opportunities', { name: 'Deal' }))
  const notes = { title: 'Zx9secret', content: '# Zx9secret', visibility: 'private', contact_id: contact.id }
  const notepad = created(await ws.post('/notepads', notes))
  found(await ws.put(`/notepads/${notepad.id}/content`, { content: 'Zx9secret two' }, { 'if-match': '*' }))
  const template = created(await ws.post('/exports/templates', { name: 'All', root_entity: 'contacts', columns: [{ path: 'first_name' }] }))
  created(await ws.post(`/exports/templates/${template.id}/views`, { name: 'Zx9secret' }))
  const sent = found(await ws.post('/email/send', personal({ contact_id: contact.id, deal_id: deal.id })))
  thread = sent.thread_id
  found(await ws.post('/email/send', personal({ to: STRANGER })))
  box.gmail().answer(ME, box.gmail().sent(ME)[0]!, 'Zx9secret answer')
  const files = [{ name: 'Zx9secret.pdf', content_type: 'application/pdf', content: Buffer.from('%PDF-1.7').toString('base64') }]
  box.gmail().receive(ME, { from: 'ana.client@example.com', subject: 'Zx9secret arrives', text: 'Zx9secret', attachments: files })
  box.gmail().compose(ME, { to: 'ana.client@example.com', subject: 'Zx9secret composed', text: 'Zx9secret' })
  await box.push()
  found(await ws.post('/email/reply', { thread_id: thread, mode: 'personal', sender_user_id: ws.userId, text: 'Zx9secret reply' }))
  found(await ws.patch(`/email/threads/${thread}`, { is_read: true }))
  const draft = created(await ws.post('/email/drafts', personal({ to: STRANGER })))
  found(await ws.patch(`/email/drafts/${draft.id}`, { subject: 'Zx9secret draft' }))
  found(await ws.post(`/email/drafts/${draft.id}/send`))
  created(await ws.post('/email/drafts', { thread_id: thread, text: 'Zx9secret kept', mode: 'personal', sender_user_id: ws.userId }))
  found(await ws.delete(`/email/drafts/${created(await ws.post('/email/drafts', personal({ to: STRANGER }))).id}`))
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  const scheduled = created(await ws.post('/email/send', personal({ to: STRANGER, send_at })))
  await app.owner.query("update email_drafts set send_at = now() - interval '1 second' where id = $1", [scheduled.id])
  await app.cron('* * * * *')
  await app.drain()
  app.google.fail('gmail.send', '400')
  await ws.post('/email/send', personal({ to: STRANGER }))
  const conversation = (found(await ws.get('/conversations')) as Row[])[0] as Row
  found(await ws.patch(`/conversations/${conversation.id}`, { status: 'closed' }))
  await app.cron('* * * * *')
  await app.drain()
}

/** The tables whose rows can be private, from the catalogue. */
async function privateTables(): Promise<string[]> {
  const { rows } = await app.owner.query<{ name: string }>(
    `select a.attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'private_to' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
     and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** The ids of all private rows, and of what they are about; not those of shared records. */
async function privateIds(): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const table of await privateTables()) {
    const { rows } = await app.owner.query<{ row: Row }>(
      `select to_jsonb(t) as row from ${table} t where workspace_id = $1 and private_to is not null`,
      [ws.id],
    )
    expect(rows.length, `${table} has private rows`).toBeGreaterThan(0)
    for (const { row } of rows) for (const name of ['id', 'entity_id', 'thread_id', 'message_id']) if (row[name]) ids.add(row[name])
  }
  return ids
}

const leaks = (ids: Set<string>, text: string): string[] =>
  [
    ...(MARKER.test(text) ? [text.slice(Math.max(0, text.search(MARKER) - 200)).slice(0, 400)] : []),
    ...(text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []).filter((id) => ids.has(id)),
  ].slice(0, 3)

describe('a colleague', () => {
  test('finds nothing private in any row that the team sees', async () => {
    const { rows: tables } = await app.owner.query<{ name: string; has: boolean }>(
      `select c.oid::regclass::text as name,
         exists (select from pg_attribute p where p.attrelid = c.oid and p.attname = 'private_to') as has from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
         where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
    )
    const found: Record<string, unknown> = {}
    for (const { name, has } of tables) {
      const { rows } = await app.owner.query(
        `select t::text as text from ${name} t
          where workspace_id = $1 and t::text ~* 'zx9secret' ${has ? 'and private_to is null' : ''} limit 1`,
        [ws.id],
      )
      if (rows[0] && !(name in STORED)) found[name] = rows[0].text
    }
    expect(found).toEqual({})
  })

  test('reads nothing private by any endpoint that reads', async () => {
    const ids = await privateIds()
    const named: Record<string, string[]> = { contact_id: [contact.id], userId: [ws.userId], user_id: [ws.userId] }
    const endpoints = (await allEndpoints()).filter(({ method, path }) => method === 'GET' && path.startsWith('/'))
    const found: Record<string, string[]> = {}
    let [read, turn] = [0, 0]
    const readers = await Promise.all([1, 2, 3, 4].map(() => ws.key()))
    const readBy = async ({ path }: (typeof endpoints)[number]) => {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
      if (path.includes('stream') || names.length > 1) return
      const values = names.length === 0 ? [''] : (named[names[0] as string] ?? [thread, ...ids].slice(0, 1))
      for (const value of values) {
        const answer = await (readers[turn++ % readers.length] as TestWorkspace).get(path.replace(/:\w+/, value))
        if (answer.status === 200) read += 1
        const seen = leaks(ids, JSON.stringify(answer.body).replaceAll(value || '-', ''))
        if (seen.length > 0 && !(path === '/requests' && !MARKER.test(seen[0] as string))) found[path] = seen
      }
    }
    await eachOf(8, endpoints, readBy)
    expect(found).toEqual({})
    expect(read).toBeGreaterThan(80)
  })

  test('gets no private record by its id', async () => {
    const open: string[] = []
    const answers = async (who: TestWorkspace, path: string) => (await who.get(path)).status
    for (const [table, path] of Object.entries(BY_ID)) {
      const { rows } = await app.owner.query(`select id from ${table} where workspace_id = $1 and private_to is not null limit 3`, [ws.id])
      for (const { id } of rows) {
        expect(await answers(ws, path.replace(':id', id)), path).toBe(200)
        if ((await answers(colleague, path.replace(':id', id))) !== 404) open.push(path)
      }
    }
    expect(open).toEqual([])
  })

  test('finds nothing by searching', async () => {
    const ids = await privateIds()
    for (const object of ['contacts', 'companies', 'opportunities', 'tasks', 'activities'])
      expect(leaks(ids, JSON.stringify((await colleague.post(`/${object}/search`, { limit: 100 })).body)), object).toEqual([])
    for (const path of [
      '/search?q=zx9secret',
      '/email/threads?search=zx9secret',
      '/activities?activity_type=email&limit=100',
      '/events?limit=100',
    ])
      expect(leaks(ids, JSON.stringify((await colleague.get(path)).body)), path).toEqual([])
  })

  test('gets none of the events: by the feed, a stream, a webhook, its replay, or an automation', async () => {
    const ids = await privateIds()
    const webhook = (found(await colleague.get('/webhooks')) as Row[])[0] as Row
    const all: Row[] = []
    for (let after = ''; ; ) {
      const { body } = await colleague.get(`/events?limit=100&order=asc${after && `&after=${after}`}`)
      all.push(...body.data)
      if (body.data.length === 0) break
      after = body.page.next
    }
    expect(all.length).toBeGreaterThan(3)
    expect(leaks(ids, JSON.stringify(all))).toEqual([])
    found(await colleague.post(`/webhooks/${webhook.id}/replay`, { from: new Date(Date.now() - 3_600_000).toISOString() }))
    await app.cron('* * * * *')
    await app.drain()
    // The follower has sent what came last, and a replay what came first.
    const last = created(await ws.post('/contacts', { first_name: 'Last' }))
    await app.drain()
    const texts = () => receiver.received.map(({ text }) => text)
    expect(texts().filter((text) => text.includes(last.id)).length).toBeGreaterThan(0)
    expect(texts().filter((text) => text.includes(contact.id)).length).toBeGreaterThan(0)
    expect(leaks(ids, texts().join('\n'))).toEqual([])
    const { rows: deliveries } = await app.owner.query(
      'select event_id, record_id, replay_id from webhook_deliveries where webhook_id = $1',
      [webhook.id],
    )
    expect(new Set(deliveries.map(({ replay_id }) => replay_id)).size, 'both the follower and the replay have added deliveries').toBe(2)
    expect(leaks(ids, JSON.stringify(deliveries))).toEqual([])
    const streamed: string[] = []
    const stream = await Stream.open(app, colleague, `after=${beginning}`)
    while (!streamed.at(-1)?.includes(last.id)) streamed.push(`${(await stream.event())?.data}`)
    stream.close()
    expect(streamed.length).toBeGreaterThan(3)
    expect(leaks(ids, streamed.join('\n'))).toEqual([])
    expect(found(await colleague.get('/automation-runs'))).toEqual([])
    const shared = created(await ws.post('/activities', { activity_type: 'note', contact_id: contact.id, subject: 'Shared' }))
    await app.drain()
    // What a delivery could not do beside others is repeated by the next tick.
    await app.cron('* * * * *')
    await app.drain()
    expect((found(await colleague.get('/automation-runs')) as Row[]).length, shared.id).toBeGreaterThan(0)
  })

  test('exports nothing', async () => {
    const ids = await privateIds()
    for (const path of ['/contacts/export', '/opportunities/export', '/activities/export', `/contacts/${contact.id}/data`]) {
      const answer = await colleague.get(path)
      expect(leaks(ids, JSON.stringify(answer.body)), path).toEqual([])
    }
  })
})

/** Where each private record is read by its id. */
const BY_ID: Record<string, string> = {
  notepads: '/notepads/:id',
  email_threads: '/email/threads/:id',
  conversations: '/conversations/:id',
  messages: '/messages/:id',
  email_drafts: '/email/drafts/:id',
  outbox: '/events/:id',
  email_attachments: '/email/attachments/:id/download',
}
