import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const users = '/company/users'
const member = async (id: string) => found(await crm.ws.get(`${users}/${id}`))
const profile = async (id: string) => found(await crm.ws.get(`${users}/${id}/personal-user-profile`))
const person = (id: string, fields: Row) =>
  crm.app.owner.query(`update users set ${Object.keys(fields).map((name, at) => `${name} = $${at + 2}`)} where id = $1`, [
    id,
    ...Object.values(fields),
  ])

test('a member is shown with role, status and profile', async () => {
  const answer = await crm.ws.get(`${users}/${crm.ws.userId}`)
  expect(found(answer)).toEqual({
    id: crm.ws.userId,
    email: expect.stringMatching(/^owner-/),
    full_name: expect.stringMatching(/^Owner /),
    phone: null,
    job_title: null,
    department: null,
    office: null,
    manager_user_id: null,
    avatar_url: null,
    role: 'client_admin',
    status: 'active',
    joined_at: expect.any(String),
    invitation: null,
    version: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect(answer.headers.get('etag')).toBe('"1"')
})

test('the list has all members, newest first, in pages, by role and by status', async () => {
  const [editor, viewer] = [await crm.ws.key({ role: 'client_editor' }), await crm.ws.key({ role: 'client_viewer' })]
  const former = await crm.formerMember()
  const list = async (query = '') => ids(found(await crm.ws.get(`${users}${query}`)))
  expect(await list()).toEqual([viewer.userId, editor.userId, crm.ws.userId])
  expect(ids(await crm.walk(`${users}?limit=1`))).toEqual([viewer.userId, editor.userId, crm.ws.userId])
  expect(await list('?role=client_editor')).toEqual([editor.userId])
  expect(await list('?status=removed')).toEqual([former])
  expect(await list('?status=active&role=client_admin')).toEqual([crm.ws.userId])
  expect(await crm.ws.get(`${users}?role=owner`)).toMatchObject(refused('role'))
})

test('what the workspace says stands before what the person says, and only here', async () => {
  const { userId } = await crm.ws.key()
  await person(userId, { phone: '+61400000001', job_title: 'Engineer', department: 'Works', avatar_url: 'https://a.example/a.png' })
  expect(await member(userId)).toMatchObject({
    phone: '+61400000001',
    job_title: 'Engineer',
    department: 'Works',
    avatar_url: 'https://a.example/a.png',
  })
  const path = `${users}/${userId}/workspace-user-profile`
  expect(found(await crm.ws.get(path))).toEqual({
    phone: null,
    job_title: null,
    department: null,
    office: null,
    manager_user_id: null,
    version: 1,
    updated_at: expect.any(String),
  })
  const sent = { phone: '0412 345 678', job_title: 'Head of Sales', office: 'Perth', manager_user_id: crm.ws.userId }
  const kept = { ...sent, phone: '+61412345678' }
  expect(found(await crm.ws.patch(path, sent))).toMatchObject({ ...kept, department: null, version: 2 })
  expect(await member(userId)).toMatchObject({ ...kept, department: 'Works' })
  expect(await profile(userId)).toMatchObject({ phone: '+61400000001', job_title: 'Engineer' })
  found(await crm.ws.patch(path, { phone: null, job_title: '', manager_user_id: null }))
  expect(await member(userId)).toMatchObject({ phone: '+61400000001', job_title: 'Engineer', office: 'Perth', manager_user_id: null })
})

test('the personal profile is the person’s own', async () => {
  const { userId } = await crm.ws.key()
  await person(userId, { phone: '+61400000001', avatar_url: 'https://a.example/a.png' })
  expect(await profile(userId)).toEqual({
    id: userId,
    full_name: expect.stringMatching(/^Member /),
    email: expect.stringMatching(/^member-/),
    phone: '+61400000001',
    avatar_url: 'https://a.example/a.png',
    status: 'active',
    job_title: null,
    department: null,
    created_at: expect.any(String),
  })
})

test('a profile that is sent back keeps a manager who has left', async () => {
  const { userId } = await crm.ws.key()
  const manager = await crm.ws.key()
  const path = `${users}/${userId}/workspace-user-profile`
  found(await crm.ws.patch(path, { manager_user_id: manager.userId }))
  found(await crm.ws.delete(`${users}/${manager.userId}`))
  const sent = { manager_user_id: manager.userId, office: 'Perth' }
  expect(found(await crm.ws.patch(path, sent))).toMatchObject(sent)
  found(await crm.ws.patch(path, { manager_user_id: null }))
  expect(await crm.ws.patch(path, sent)).toMatchObject(refused('manager_user_id'))
})

test('a profile names no manager who is not there, nor the member itself', async () => {
  const { userId } = await crm.ws.key()
  const path = `${users}/${userId}/workspace-user-profile`
  const stranger = (await crm.app.workspace()).userId
  for (const manager_user_id of [nobody, stranger, await crm.formerMember(), userId]) {
    expect(await crm.ws.patch(path, { manager_user_id })).toMatchObject(refused('manager_user_id'))
  }
  expect(await crm.ws.patch(path, { phone: '12' })).toMatchObject(refused('phone'))
  expect(await crm.ws.patch(path, { full_name: 'X' })).toMatchObject(refused('full_name'))
})

test('a preference is a pipeline of the workspace, or none', async () => {
  const path = `${users}/${crm.ws.userId}/workspace-user-preferences`
  const { pipeline } = await crm.firstPipeline()
  expect(found(await crm.ws.get(path))).toMatchObject({ default_pipeline_id: null })
  expect(found(await crm.ws.patch(path, { default_pipeline_id: pipeline }))).toMatchObject({ default_pipeline_id: pipeline, version: 2 })
  expect(await crm.ws.patch(path, { default_pipeline_id: nobody })).toMatchObject(refused('default_pipeline_id'))
  expect(found(await crm.ws.patch(path, { default_pipeline_id: null }))).toMatchObject({ default_pipeline_id: null })
})

test('connections are listed with their aliases', async () => {
  const insert = `insert into member_connections (workspace_id, user_id, platform_type, platform_account_name,
    calendar_synced, mailbox_aliases) values ($1, $2, $3, $4, $5, $6)`
  for (const platform of ['google', 'microsoft'])
    await crm.app.owner.query(insert, [crm.ws.id, crm.ws.userId, platform, 'ana@example.com', true, '["sales@example.com"]'])
  const path = `${users}/${crm.ws.userId}/workspace-user-connections`
  const connection = {
    id: uuid,
    platform_account_name: 'ana@example.com',
    status: 'connected',
    calendar_synced: true,
    mailbox_aliases: ['sales@example.com'],
  }
  expect(await crm.walk(`${path}?limit=1`)).toMatchObject([
    { ...connection, platform_type: 'google' },
    { ...connection, platform_type: 'microsoft' },
  ])
  const { userId } = await crm.ws.key()
  expect(found(await crm.ws.get(`${users}/${userId}/workspace-user-connections`))).toEqual([])
})

test('a role bounds what the member’s keys may do, from the next request on', async () => {
  const key = await crm.ws.key({ role: 'client_editor' })
  const path = `${users}/${key.userId}/workspace-user-roles`
  created(await key.post('/contacts', { first_name: 'Ana' }))
  expect(found(await crm.ws.patch(path, { role: 'client_viewer' }))).toMatchObject({
    role: 'client_viewer',
    created_at: expect.any(String),
  })
  expect(found(await crm.ws.get(path))).toMatchObject({ role: 'client_viewer' })
  expect(await key.post('/contacts', { first_name: 'Bo' })).toMatchObject(failed(403, 'FORBIDDEN'))
  expect(await crm.ws.patch(path, { role: 'owner' })).toMatchObject(refused('role'))
  expect(await crm.ws.patch(path, {})).toMatchObject(refused('role'))
})

test('a removed member is no member: keys are dead, nothing new is given to them, and the past stays', async () => {
  const key = await crm.ws.key({ role: 'client_editor' })
  const company = created(await key.post('/companies', { name: 'Acme', assigned_to: key.userId }))
  expect(await crm.ws.delete(`${users}/${key.userId}`)).toMatchObject({ status: 200, body: { data: { id: key.userId, deleted: true } } })
  expect(await key.get('/contacts')).toMatchObject(failed(401, 'UNAUTHENTICATED'))
  const { rows } = await crm.app.owner.query('select revoked_at from api_keys where user_id = $1', [key.userId])
  expect(rows).toEqual([{ revoked_at: expect.any(Date) }])
  for (const rest of [
    '',
    '/personal-user-profile',
    '/workspace-user-profile',
    '/workspace-user-roles',
    '/workspace-user-preferences',
    '/workspace-user-connections',
  ]) {
    expect(await crm.ws.get(`${users}/${key.userId}${rest}`), rest).toMatchObject(failed(404, 'NOT_FOUND'))
  }
  expect(await crm.ws.delete(`${users}/${key.userId}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.post('/companies', { name: 'X', assigned_to: key.userId })).toMatchObject(refused('assigned_to'))
  expect(found(await crm.ws.get(`/companies/${company.id}`)).assigned_to).toBe(key.userId)
  expect((await crm.events(key.userId)).map(({ type }) => type)).toEqual(['member.created', 'member.updated', 'member.removed'])
  const [removal] = found(await crm.ws.get(`${users}/${key.userId}/history`))
  expect(removal).toMatchObject({ action: 'updated', user_id: crm.ws.userId, fields: { status: { before: 'active', after: 'removed' } } })
})

test('nobody removes themself, and a workspace keeps a client_admin', async () => {
  const me = `${users}/${crm.ws.userId}`
  const role = (role: string, as = crm.ws, id = as.userId) => as.patch(`${users}/${id}/workspace-user-roles`, { role })
  expect(await crm.ws.delete(me)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await role('client_editor')).toMatchObject(failed(409, 'CONFLICT'))
  found(await role('client_admin'))
  const second = await crm.ws.key({ role: 'client_admin' })
  found(await role('client_editor'))
  expect(await second.delete(`${users}/${second.userId}`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await role('client_viewer', second)).toMatchObject(failed(409, 'CONFLICT'))
  found(await second.delete(me))
})

test('an invited client_admin does not count as one, before they accept', async () => {
  created(await crm.ws.post(`${users}/invite`, { email: 'a@example.com', role: 'client_admin' }))
  expect(await crm.ws.patch(`${users}/${crm.ws.userId}/workspace-user-roles`, { role: 'client_editor' })).toMatchObject(
    failed(409, 'CONFLICT'),
  )
})

type Call = [method: string, path: string, body?: Row]
test.each<[string, (id: string) => Call, boolean]>([
  ['remove one another', (id) => ['DELETE', `${users}/${id}`], false],
  ['step down', (id) => ['PATCH', `${users}/${id}/workspace-user-roles`, { role: 'client_viewer' }], true],
])('of the last two client_admins who %s at once one stays', async (_, call, themselves) => {
  for (let round = 0; round < 5; round++) {
    const ws = await crm.app.workspace()
    const second = await ws.key({ role: 'client_admin' })
    const target = (own: string, other: string) => call(themselves ? own : other)
    const answers = await Promise.all([ws.call(...target(ws.userId, second.userId)), second.call(...target(second.userId, ws.userId))])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { rows } = await crm.app.owner.query(
      "select from memberships where workspace_id = $1 and role = 'client_admin' and status = 'active'",
      [ws.id],
    )
    expect(rows).toHaveLength(1)
  }
})

test('only a client_admin invites, removes and gives roles; each call needs its scope', async () => {
  const editor = await crm.ws.key({ role: 'client_editor' })
  const forbidden = failed(403, 'FORBIDDEN')
  expect(await editor.post(`${users}/invite`, { email: 'a@example.com' })).toMatchObject(forbidden)
  expect(await editor.post(`${users}/${crm.ws.userId}/resend-invitation`)).toMatchObject(forbidden)
  expect(await editor.delete(`${users}/${crm.ws.userId}`)).toMatchObject(forbidden)
  expect(await editor.patch(`${users}/${editor.userId}/workspace-user-roles`, { role: 'client_admin' })).toMatchObject(forbidden)
  found(await editor.patch(`${users}/${editor.userId}/workspace-user-profile`, { office: 'Perth' }))
  const reader = await crm.ws.key({ scopes: ['users:read'] })
  found(await reader.get(users))
  expect(await reader.delete(`${users}/${editor.userId}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})

test('an editor changes its own profile and preferences, and nobody else’s, not even the owner’s', async () => {
  const editor = await crm.ws.key({ role: 'client_editor' })
  const before = await member(crm.ws.userId)
  for (const [rest, change] of [
    ['workspace-user-profile', { job_title: 'Former owner', phone: '0412 345 678' }],
    ['workspace-user-preferences', { default_pipeline_id: null }],
  ] as const) {
    found(await editor.patch(`${users}/${editor.userId}/${rest}`, change))
    const ofOwner = `${users}/${crm.ws.userId}/${rest}`
    expect(await editor.patch(ofOwner, change)).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await editor.patch(`${ofOwner}?dry_run=true`, change)).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await editor.patch(ofOwner, { ...change, require_approval: true })).toMatchObject(failed(403, 'FORBIDDEN'))
    found(await crm.ws.patch(`${users}/${editor.userId}/${rest}`, change))
  }
  expect(await member(crm.ws.userId)).toEqual(before)
})

test('a removal may be held for approval, and If-Match guards the member', async () => {
  const { userId } = await crm.ws.key()
  expect(await crm.ws.delete(`${users}/${userId}?require_approval=true`)).toMatchObject(held)
  expect(await member(userId)).toMatchObject({ status: 'active' })
  found(await crm.ws.patch(`${users}/${userId}/workspace-user-profile`, { office: 'Perth' }, { 'if-match': '"1"' }))
  expect(await crm.ws.delete(`${users}/${userId}`, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
})

const paths: [string, string, Row?][] = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/personal-user-profile'],
  ['GET', '/workspace-user-profile'],
  ['PATCH', '/workspace-user-profile', { office: 'X' }],
  ['GET', '/workspace-user-connections'],
  ['GET', '/workspace-user-roles'],
  ['PATCH', '/workspace-user-roles', { role: 'client_viewer' }],
  ['GET', '/workspace-user-preferences'],
  ['PATCH', '/workspace-user-preferences', { default_pipeline_id: null }],
  ['POST', '/resend-invitation'],
]
test.each(paths)('%s /company/users/:userId%s knows no one of another workspace', async (method, rest, body) => {
  const other = await crm.app.workspace()
  for (const id of [nobody, other.userId])
    expect(await crm.ws.call(method, `${users}/${id}${rest}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.call(method, `${users}/ana${rest}`, body)).toMatchObject(refused('userId'))
})
