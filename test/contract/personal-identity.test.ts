import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setPersonalScopes } from '../../dev/workspace.ts'
import { type Harness, start } from '../harness.ts'
import { approveIn, held } from '../routes/approving.ts'
import { created, failed, found, type Row } from '../routes/crm.ts'
import { connecting } from '../routes/mailboxes/connecting.ts'
import { type ApiResponse, type TestWorkspace, through } from '../workspace.ts'

/**
 * Who acts in person for a member with a mailbox: every principal that can become the member, reading what is in the mailbox and sending
 * from it.
 */
const MARKER = /zx9secret/i
const STRANGER = 'zx9secret@example.net'
let app: Harness
let ws: TestWorkspace
let colleague: TestWorkspace
let contact: Row
let thread: string
const decided = approveIn(() => app)
const box = connecting({
  get app() {
    return app
  },
  get ws() {
    return ws
  },
} as never)

beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  colleague = await ws.key()
  contact = created(await ws.post('/contacts', { first_name: 'Ana', email: 'ana.client@example.com' }))
  await box.connect(ws)
  thread = found(await ws.post('/email/send', personal({ contact_id: contact.id }))).thread_id
}, 180_000)
afterAll(() => app.close())

const personal = (fields: Row = {}) => ({
  mode: 'personal',
  sender_user_id: ws.userId,
  subject: 'Zx9secret',
  text: 'Zx9secret text',
  ...fields,
})

/** The key that a call has returned, as a client of the workspace. */
const asKey = (answer: ApiResponse, owner: TestWorkspace): TestWorkspace => {
  const { id, key } = found(answer) as Row
  return through({ id: ws.id, userId: owner.userId, keyId: id, apiKey: key }, app.owner, app.client)
}
const ALL = { name: 'Other', scopes: ['*:*'] }
const editedBy = async (editor: TestWorkspace): Promise<number> => {
  const asking = asKey(await ws.post('/api-keys', { ...ALL, level: 'approval' }), ws)
  const id = await held(asking, 'POST', '/email/send', personal({ to: STRANGER }))
  const edited = await editor.patch(`/approvals/${id}`, { body: personal({ to: STRANGER, text: 'Zx9secret edited' }) })
  if (edited.status !== 200) return edited.status
  await decided(colleague, id)
  return approvalStatus(id)
}
const approvalStatus = async (id: string): Promise<number> => {
  const { rows } = await app.owner.query('select status, executed_at from approvals where id = $1', [id])
  return rows[0].executed_at ? 201 : 403
}
/** Every key that can act as the member, and whether the member uses it in person. */
const KEYS: Record<string, [isOwn: boolean, make: () => Promise<TestWorkspace>]> = {
  'of the member': [true, async () => ws],
  'that the member has made': [true, async () => asKey(await ws.post('/api-keys', ALL), ws)],
  'that the member has made, which only reads': [true, async () => asKey(await ws.post('/api-keys', { ...ALL, level: 'read_only' }), ws)],
  'that the member has rotated': [
    true,
    async () => asKey(await ws.post(`/api-keys/${asKey(await ws.post('/api-keys', ALL), ws).keyId}/rotate`, {}), ws),
  ],
  'that a colleague has made': [false, async () => asKey(await colleague.post('/api-keys', { ...ALL, user_id: ws.userId }), ws)],
  'that was made with a key by a colleague': [
    false,
    async () => asKey(await asKey(await colleague.post('/api-keys', { ...ALL, user_id: ws.userId }), ws).post('/api-keys', ALL), ws),
  ],
  'that was rotated with a key by a colleague': [
    false,
    async () => {
      const own = asKey(await ws.post('/api-keys', ALL), ws)
      const other = asKey(await colleague.post('/api-keys', { ...ALL, user_id: ws.userId }), ws)
      return asKey(await other.post(`/api-keys/${own.keyId}/rotate`, {}), ws)
    },
  ],
  'that a colleague has rotated': [
    false,
    async () => asKey(await colleague.post(`/api-keys/${asKey(await ws.post('/api-keys', ALL), ws).keyId}/rotate`, {}), ws),
  ],
  'that a colleague has rotated, and then the member': [
    false,
    async () => {
      const { keyId } = asKey(await ws.post('/api-keys', ALL), ws)
      found(await colleague.post(`/api-keys/${keyId}/rotate`, {}))
      return asKey(await ws.post(`/api-keys/${keyId}/rotate`, {}), ws)
    },
  ],
  'whose former secret a colleague knows': [
    false,
    async () => {
      const made = asKey(await colleague.post('/api-keys', { ...ALL, user_id: ws.userId }), ws)
      found(await ws.post(`/api-keys/${made.keyId}/rotate`, { overlap_minutes: 60 }))
      return made
    },
  ],
}

describe('a key', () => {
  test.each(Object.entries(KEYS))('%s leads into the mailbox only if nobody else can have it', async (_, [isOwn, make]) => {
    const key = await make()
    expect((await key.get('/me')).status).toBe(200)
    expect([(await key.get(`/email/threads/${thread}`)).status, MARKER.test(JSON.stringify((await key.get('/activities')).body))]).toEqual(
      isOwn ? [200, true] : [404, false],
    )
    const isWriter = (await key.get('/me')).body.data.key.level === 'execute'
    const allowed = isOwn && isWriter
    for (const [path, body] of [
      ['/email/send', personal({ to: STRANGER })],
      ['/email/send', personal({ to: STRANGER, send_at: new Date(Date.now() + 3_600_000).toISOString() })],
      ['/email/drafts', personal({ to: STRANGER })],
    ] as const)
      expect((await key.post(path, body)).status, path).toBe(allowed ? 201 : 403)
    expect(
      (await key.post('/email/reply', { thread_id: thread, mode: 'personal', sender_user_id: ws.userId, text: 'Zx9secret' })).status,
    ).toBe(allowed ? 201 : isOwn ? 403 : 400)
  })

  test('that somebody else has made connects no account in the name of a member who is no client_admin', async () => {
    const editor = await ws.key({ role: 'client_editor' })
    const made = asKey(await ws.post('/api-keys', { ...ALL, user_id: editor.userId }), editor)
    for (const [path, body] of [
      ['/mailboxes/start', {}],
      ['/calendar-connections/start', { provider: 'google' }],
    ] as const) {
      expect(await made.post(path, body), path).toMatchObject(failed(403, 'FORBIDDEN'))
      expect((await editor.post(path, body)).status, path).toBe(200)
    }
  })
})

describe('nobody else acts in person', () => {
  test('an approved request does, for its requester, unless somebody else has edited it', async () => {
    const asking = asKey(await ws.post('/api-keys', { ...ALL, level: 'approval' }), ws)
    const id = await held(asking, 'POST', '/email/send', personal({ to: STRANGER }))
    await decided(colleague, id)
    expect(await approvalStatus(id)).toBe(201)
    expect([await editedBy(ws), await editedBy(colleague)]).toEqual([201, 403])
  })

  test('an automation does not, whoever has published it', async () => {
    const steps = [{ type: 'api_request', method: 'POST', path: '/email/drafts', body: personal({ to: STRANGER }) }]
    const { id } = created(await ws.post('/automations', { name: 'Sends', trigger: { type: 'manual' }, steps }))
    found(await ws.post(`/automations/${id}/publish`))
    const run = found(await ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
    await app.drain()
    expect(found(await ws.get(`/automation-runs/${run.run_id}`))).toMatchObject({ state: 'failed', error: { code: 'FORBIDDEN' } })
  })
})

describe('a role that names personal-email:read', () => {
  const NAMED = ['*:read', 'personal-email:read']
  const refusedGrant = failed(403, 'FORBIDDEN')
  test('is made, given and changed only by those who have the scope; members with a mailbox get an email', async () => {
    const role = created(await ws.post('/roles', { name: 'Reader', key: 'reader', scopes: ['*:read'] }))
    await setPersonalScopes(app.owner, ws.id, 'reader', ['personal-email:read'])
    const person = await ws.key({ role: 'client_editor' })
    const invite = { email: `${crypto.randomUUID()}@example.com`, role: 'reader' }
    const give = (to: string, as: TestWorkspace) => as.patch(`/company/users/${to}/workspace-user-roles`, { role: 'reader' })
    const other = created(await ws.post('/roles', { name: 'Plain', key: 'plain', scopes: ['*:*'] }))
    const attempts: Record<string, () => Promise<ApiResponse>> = {
      create: () => ws.post('/roles', { name: 'New', scopes: NAMED }),
      change: () => ws.patch(`/roles/${other.id}`, { scopes: NAMED }),
      widen: () => ws.patch(`/roles/${role.id}`, { scopes: [...NAMED, 'personal-email:send'] }),
      give: () => give(person.userId, ws),
      'give to an admin': () => give(colleague.userId, ws),
      invite: () => ws.post('/company/users/invite', invite),
      'replace by it': () => ws.delete(`/roles/${other.id}?reassign_to=reader`),
      'a key': () => ws.post('/api-keys', { name: 'Key', scopes: ['personal-email:read'] }),
    }
    for (const [name, attempt] of Object.entries(attempts)) expect(await attempt(), name).toMatchObject(refusedGrant)
    const auditor = await ws.key({ role: 'reader', scopes: ['*:*'] })
    expect((await auditor.get(`/email/threads/${thread}`)).status).toBe(200)
    const made = asKey(await ws.post('/api-keys', { ...ALL, scopes: ['*:read'], user_id: auditor.userId }), auditor)
    expect((await made.get(`/email/threads/${thread}`)).status, 'a key by an admin for the auditor').toBe(404)
    await app.owner.query("update memberships set role = 'client_viewer' where user_id = $1 and workspace_id = $2", [auditor.userId, ws.id])

    await setPersonalScopes(app.owner, ws.id, 'client_admin', ['personal-email:read', 'personal-email:send'])
    expect((await colleague.get(`/email/threads/${thread}`)).status).toBe(200)
    found((await attempts.give?.()) as ApiResponse)
    expect((await attempts.invite?.())?.status).toBe(201)
    await setPersonalScopes(app.owner, ws.id, 'client_admin', [])
    expect((await colleague.get(`/email/threads/${thread}`)).status).toBe(404)
    await app.drain()
    await app.cron('* * * * *')
    await app.drain()
    const { rows } = await app.owner.query('select email from users where id = $1', [ws.userId])
    const emails = app.email.sent.filter(({ Subject }) => /can be read by others/.test(`${Subject}`))
    expect(emails.map(({ TextBody }) => /“(Admin|Reader)”/.exec(`${TextBody}`)?.[1]).toSorted()).toEqual(['Admin', 'Reader', 'Reader'])
    expect(new Set(emails.map(({ To }) => To))).toEqual(new Set([rows[0].email]))
  })
})
