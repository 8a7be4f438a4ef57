import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../dev/webhook-receiver.ts'
import { setPersonalScopes } from '../../../dev/workspace.ts'
import { type Harness, start } from '../../harness.ts'
import { type TestWorkspace, through } from '../../workspace.ts'
import { created, failed, found, ids, type Row } from '../crm.ts'

/**
 * Who sees which notepad, by every way of reading that the product has. Titles have a marker of their own, so that what must not be seen is
 * found in whatever shape it is returned.
 */
const NOTEPADS = ['private', 'workspace', 'for_member', 'for_role'] as const
type Name = (typeof NOTEPADS)[number]
const CALLERS = {
  owner: NOTEPADS,
  reader: ['workspace', 'for_member'],
  writer: ['workspace', 'for_member'],
  reviewer: ['workspace', 'for_role'],
  admin: ['workspace'],
  auditor: ['workspace'],
  foreignKey: ['workspace'],
  stranger: [],
} satisfies Record<string, readonly Name[]>
type Caller = keyof typeof CALLERS

const receiver = await startWebhookReceiver()
let app: Harness
let contact: Row
let canvas: Row
let approval: string
const callers = {} as Record<Caller, TestWorkspace>
const notepads = {} as Record<Name, Row>
const markerOf = (name: Name) => `Zx9${name.replace('_', '')}`

beforeAll(async () => {
  app = await start({ own: true, vars: { LOCAL_RECEIVERS: receiver.host } })
  const owner = await app.workspace()
  const scopes = ['*:*']
  for (const key of ['reviewer', 'auditor']) created(await owner.post('/roles', { name: key, key, scopes, can_write: true }))
  await setPersonalScopes(app.owner, owner.id, 'auditor', ['personal-email:read'])
  Object.assign(callers, { owner, stranger: await app.workspace() })
  for (const name of ['reader', 'writer', 'admin'] as const) callers[name] = await owner.key()
  callers.reviewer = await owner.key({ role: 'reviewer' })
  callers.auditor = await owner.key({ role: 'auditor', scopes: ['*:*', 'personal-email:read'] })
  callers.foreignKey = await foreignKey(owner, callers.admin)
  contact = created(await owner.post('/contacts', { first_name: 'Ana', email: 'ana.notes@example.com' }))
  canvas = created(await owner.post('/training-canvases', { name: 'Canvas' }))
  await follow()
  await write(owner)
}, 180_000)
afterAll(async () => {
  receiver.release()
  await receiver.close()
  await app.close()
})

/** A key that acts for the owner, but that somebody else has made. */
async function foreignKey(owner: TestWorkspace, maker: TestWorkspace): Promise<TestWorkspace> {
  const { id, key } = created(await owner.post('/api-keys', { name: 'For the owner', scopes: ['*:*'] }))
  await app.owner.query('update api_keys set created_by = $2 where id = $1', [id, maker.userId])
  return through({ id: owner.id, userId: owner.userId, keyId: id, apiKey: key }, app.owner, app.client)
}

/** An administrator's webhook and automation follow every event of notepads. */
async function follow(): Promise<void> {
  const { admin } = callers
  receiver.secrets.push(created(await admin.post('/webhooks', { url: receiver.url, event_types: ['*'] })).secret)
  const trigger = { type: 'event', event_types: ['notepad.created', 'notepad.updated'] }
  const steps = [{ type: 'create_task', fields: { title: 'About {{trigger.payload.title}}' } }]
  const automation = created(await admin.post('/automations', { name: 'Follow', trigger, steps }))
  found(await admin.post(`/automations/${automation.id}/publish`))
}

async function write(owner: TestWorkspace): Promise<void> {
  const shared = {
    for_member: accessOf({ user_id: callers.reader.userId, level: 'read' }, { user_id: callers.writer.userId, level: 'write' }),
  }
  const visible: Record<Name, Row> = {
    private: { visibility: 'private' },
    workspace: {},
    ...shared,
    for_role: accessOf({ role: 'reviewer', level: 'write' }),
  }
  for (const name of NOTEPADS) {
    const fields = { title: markerOf(name), content: `# ${markerOf(name)}\n`, contact_id: contact.id, ...visible[name] }
    const { id } = created(await owner.post('/notepads', fields))
    const [, put] = [
      found(await owner.post(`/notepads/${id}/append`, { content: 'x' })),
      await owner.put(`/notepads/${id}/content`, { content: markerOf(name) }, { 'if-match': '"2"' }),
    ]
    found(put)
    found(await owner.patch(`/notepads/${id}`, { title: `${markerOf(name)} two` }))
    created(await owner.post(`/training-canvases/${canvas.id}/cards`, { resource_type: 'notepad', url: id, title: 'Card' }))
    notepads[name] = found(await owner.get(`/notepads/${id}`))
  }
  approval = (await owner.patch(`/notepads/${notepads.private.id}`, { title: 'Zx9private three', require_approval: true })).body.approval_id
  await app.drain()
  await app.cron('* * * * *')
  await app.drain()
}
const accessOf = (...access: Row[]) => ({ visibility: 'restricted', access })

/** The notepads that an answer says something of. */
const markedIn = (value: unknown): Name[] => NOTEPADS.filter((name) => JSON.stringify(value).includes(markerOf(name)))

const LISTS = [
  '/notepads',
  '/notepads?sort=updated_at',
  '/notepads?sort=-title',
  '/notepads?search=zx9',
  '/notepads?limit=1&count=true',
  '/notepads?contact_id=<contact>',
  '/notepads?contact_id=<contact>&search=zx9',
  '/notepads?owner_id=<owner>',
  '/notepads?updated_after=2020-01-01T00:00:00Z&sort=updated_at',
  '/notepads?ids=<ids>',
  '/notepads?created_after=2020-01-01T00:00:00Z',
]

describe.each(Object.keys(CALLERS) as Caller[])('%s', (who) => {
  const sees: readonly Name[] = CALLERS[who]
  const isStranger = who === 'stranger'

  test.each(LISTS)('GET %s', async (list) => {
    const own = callers[who]
    const path = list
      .replace('<contact>', contact.id)
      .replace('<owner>', callers.owner.userId)
      .replace('<ids>', NOTEPADS.map((name) => notepads[name].id).join(','))
    const [rows, first]: [Row[], Row] = [[], await own.get(path)]
    for (let page = first; ; page = await own.get(`${path}&after=${page.body.page.next}`)) {
      rows.push(...found(page as never))
      if (!page.body.page.next) break
    }
    expect(ids(rows).sort()).toEqual(sees.map((name) => notepads[name].id).sort())
    if (list.includes('count')) expect(first.body.page.count).toBe(sees.length)
  })

  test('each visibility as a filter', async () => {
    for (const visibility of ['private', 'workspace', 'restricted']) {
      const wanted = sees.filter((name) => notepads[name].visibility === visibility)
      expect(ids(found(await callers[who].get(`/notepads?visibility=${visibility}`))).sort()).toEqual(
        wanted.map((name) => notepads[name].id).sort(),
      )
    }
  })

  test('by id: the notepad, its history and its versions', async () => {
    for (const name of NOTEPADS) {
      const status = sees.includes(name) ? 200 : 404
      const { id } = notepads[name]
      for (const path of ['', '/history', '/versions']) {
        const answer = await callers[who].get(`/notepads/${id}${path}`)
        expect([name, path, answer.status]).toEqual([name, path, status])
      }
      const [version] = found(await callers.owner.get(`/notepads/${id}/versions`))
      expect((await callers[who].get(`/notepads/${id}/versions/${version?.id}`)).status).toBe(status)
    }
  })

  test('cards of training', async () => {
    if (isStranger) return expect(await callers[who].get(`/training-canvases/${canvas.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const { cards } = found(await callers[who].get(`/training-canvases/${canvas.id}`))
    expect(cards.map(({ target, url }: Row) => [target?.name, url])).toEqual(
      NOTEPADS.map((name) => (sees.includes(name) ? [`${markerOf(name)} two`, notepads[name].id] : [undefined, null])),
    )
  })

  test('events, the feed, requests, the timeline of the contact and the export of its data', async () => {
    const own = callers[who]
    const paths = [`/contacts/${contact.id}/timeline?limit=100`, `/contacts/${contact.id}/data`]
    const read = [
      '/events?limit=100',
      '/events?limit=100&entity=notepad',
      '/events?limit=100&order=asc',
      '/requests?limit=100',
      '/search?q=Zx9',
      ...paths,
    ]
    for (const path of read) {
      const marked = markedIn((await own.get(path)).body)
      expect([path, marked.filter((name) => !sees.includes(name))]).toEqual([path, []])
    }
    expect(markedIn((await own.get(paths[0] as string)).body)).toEqual(sees)
    for (const name of NOTEPADS) {
      const { data } = (await own.get(`/events?entity=notepad&entity_id=${notepads[name].id}`)).body
      expect([name, data.length > 0]).toEqual([name, sees.includes(name)])
    }
    for (const { id } of found(await own.get('/requests?limit=100'))) {
      const marked = markedIn((await own.get(`/requests/${id}/changes`)).body)
      expect(marked.filter((name) => !sees.includes(name))).toEqual([])
    }
  })

  test('changes what its level allows, and nothing that it does not see', async () => {
    const writes: Partial<Record<Caller, readonly Name[]>> = { reader: ['workspace'] }
    for (const name of NOTEPADS) {
      const { id } = notepads[name]
      const status = !sees.includes(name) ? 404 : (writes[who] ?? sees).includes(name) ? 200 : 403
      for (const [method, path, body] of [
        ['POST', '/append', { content: 'y' }],
        ['POST', '/prepend', { content: 'y' }],
        ['PATCH', '', { title: `${markerOf(name)} two` }],
        ['PATCH', '/section', { path: ['none'], content: 'y' }],
      ] as const) {
        const answer = await callers[who].call(method, `/notepads/${id}${path}`, body)
        const wanted = path === '/section' && status === 200 ? 400 : path === '/section' && status === 403 ? [400, 403] : status
        expect([wanted].flat(), `${name} ${path} ${JSON.stringify(answer.body)}`).toContain(answer.status)
      }
      const restored = await callers[who].post(`/notepads/${id}/restore`)
      expect([name, restored.status]).toEqual([name, sees.includes(name) ? 409 : 404])
    }
  })
})

test('no follower of the feed learns what not every member sees', async () => {
  const bodies = receiver.received.map(({ body }) => body)
  expect(markedIn(bodies)).toEqual(['workspace'])
  const tasks = found(await callers.owner.get('/tasks?limit=100'))
  expect(markedIn(tasks)).toEqual(['workspace'])
  // Nor does a replay add deliveries of it, which would name its events.
  const [webhook] = found(await callers.admin.get('/webhooks')) as [Row]
  found(await callers.admin.post(`/webhooks/${webhook.id}/replay`, { from: new Date(Date.now() - 600_000).toISOString() }))
  await app.drain()
  const { rows } = await app.owner.query(
    `select distinct o.private_to from webhook_deliveries d
      join outbox o on o.workspace_id = d.workspace_id and o.id = d.event_id where d.webhook_id = $1`,
    [webhook.id],
  )
  expect(rows).toEqual([{ private_to: null }])
  expect(markedIn(receiver.received.map(({ body }) => body))).toEqual(['workspace'])
})

describe('who decides who sees a notepad', () => {
  test('is its owner: not a writer, nor an administrator who sees it', async () => {
    const { id } = notepads.for_member
    expect(await callers.writer.patch(`/notepads/${id}`, { visibility: 'workspace' })).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await callers.writer.patch(`/notepads/${id}`, accessOf({ role: 'client_admin', level: 'read' }))).toMatchObject(
      failed(403, 'FORBIDDEN'),
    )
    expect(await callers.foreignKey.patch(`/notepads/${notepads.workspace.id}`, { visibility: 'private' })).toMatchObject(
      failed(403, 'FORBIDDEN'),
    )
    expect(await callers.foreignKey.post('/notepads', { title: 'A', visibility: 'private' })).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await callers.reviewer.patch(`/notepads/${notepads.workspace.id}`, { visibility: 'private' })).toMatchObject(
      failed(403, 'FORBIDDEN'),
    )
  })

  test('sends a record back as it is without deciding anything', async () => {
    const { id } = notepads.for_member
    const record = found(await callers.writer.get(`/notepads/${id}`))
    expect(found(await callers.writer.patch(`/notepads/${id}`, { ...record, title: 'Zx9formember two' }))).toMatchObject({
      owner_id: callers.owner.userId,
    })
  })

  test('is an administrator for a notepad of the workspace, who owns it from then on', async () => {
    const { id } = created(await callers.reader.post('/notepads', { title: 'Open' }))
    expect(found(await callers.admin.patch(`/notepads/${id}`, { visibility: 'private' }))).toMatchObject({ owner_id: callers.admin.userId })
    expect(await callers.reader.get(`/notepads/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await callers.reader.get(`/notepads/${id}/history`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('is nobody for one that was deleted: only who would see it restores it', async () => {
    const { id } = created(await callers.owner.post('/notepads', { title: 'Gone', visibility: 'private' }))
    expect(await callers.admin.delete(`/notepads/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await callers.owner.delete(`/notepads/${id}`))
    expect(await callers.admin.post(`/notepads/${id}/restore`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await callers.admin.get(`/notepads/${id}/history`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(
      JSON.stringify((await callers.admin.get('/notepads?deleted=true&updated_after=2020-01-01T00:00:00Z&sort=updated_at')).body),
    ).not.toContain(id)
    expect(found(await callers.owner.post(`/notepads/${id}/restore`))).toMatchObject({ title: 'Gone' })
  })
})

test('an approval shows its request to whoever decides about it, and to them only', async () => {
  expect(approval).toBeTruthy()
  expect((await callers.stranger.get(`/approvals/${approval}`)).status).toBe(404)
})
