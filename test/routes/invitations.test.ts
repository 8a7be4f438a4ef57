import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, refused, useCrm, uuid } from './crm.ts'
import { inviting, newEmail, tokenIn } from './invite.ts'
import { whileLocked } from './waiting.ts'

const crm = useCrm()
const { accept, emailsTo, invite, member, tokensOf } = inviting(crm)

test('an invited person becomes a member with what the invitation says, and gets an email with the link', async () => {
  await crm.ws.patch('/company', { name: 'Ana & Bo <Builders>' })
  const email = newEmail()
  const sent = {
    role: 'client_viewer',
    full_name: 'Ana Lee',
    job_title: 'Engineer',
    department: 'Works',
    phone: '0412 345 678',
    office: 'Perth',
    manager_user_id: crm.ws.userId,
  }
  const invited = await invite({ email: email.toUpperCase(), ...sent })
  expect(invited).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    email,
    ...sent,
    phone: '+61412345678',
    status: 'invited',
    joined_at: null,
    invitation: { status: 'waiting', sent_at: null },
  })
  expect(Date.parse(invited.invitation.expires_at) - Date.parse(invited.created_at)).toBe(7 * 86_400_000)
  await crm.app.drain()
  expect(emailsTo(email)).toMatchObject([
    { From: 'Workspace CRM <crm@example.com>', Tag: 'invitation', MessageStream: 'outbound', Metadata: { workspace_id: crm.ws.id } },
  ])
  const [message] = emailsTo(email)
  expect(message!.Subject).toMatch(/^Owner \w+ invites you to Ana & Bo <Builders>$/)
  expect(message!.TextBody).toContain('http://127.0.0.1:8787/invitations/')
  expect(message!.HtmlBody).toContain('Ana &amp; Bo &lt;Builders&gt;')
  expect(message!.HtmlBody).toContain(`http://127.0.0.1:8787/invitations/${tokenIn(message!)}`)
  expect(await member(invited.id)).toMatchObject({ invitation: { status: 'sent', sent_at: expect.any(String), error: null } })
  expect((await crm.events(invited.id)).map(({ type }) => type)).toEqual(['member.created', 'member.invited'])
})

test('without a role the person becomes an editor', async () => {
  expect(await invite()).toMatchObject({ role: 'client_editor', full_name: null })
})

test.each([
  [{ email: 'ana' }, 'email'],
  [{ email: null }, 'email'],
  [{ role: 'owner' }, 'role'],
  [{ phone: '12' }, 'phone'],
  [{ manager_user_id: nobody }, 'manager_user_id'],
  [{ zork: 1 }, 'zork'],
])('%j is refused, naming %s, and no email goes out', async (fields, path) => {
  const email = newEmail()
  expect(await crm.ws.post('/company/users/invite', { email, ...fields })).toMatchObject(refused(path))
  expect(await tokensOf(email)).toEqual([])
  expect(await crm.count('memberships')).toBe(1)
})

test('the link makes the person a member, once', async () => {
  const email = newEmail()
  const { id } = await invite({ email, full_name: 'Ana', role: 'client_viewer' })
  const [token] = await tokensOf(email)
  const workspace = found(await crm.ws.get('/company'))
  expect(await accept(token, { full_name: 'Ana Lee' })).toEqual({
    status: 200,
    body: {
      data: {
        user_id: id,
        email,
        full_name: 'Ana Lee',
        role: 'client_viewer',
        workspace: { id: crm.ws.id, name: workspace.name, slug: workspace.slug },
      },
    },
  })
  expect(await member(id)).toMatchObject({ status: 'active', full_name: 'Ana Lee', invitation: null, joined_at: expect.any(String) })
  expect(await accept(token)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect((await crm.events(id)).map(({ type }) => type)).toEqual(['member.created', 'member.invited', 'member.updated', 'member.joined'])
  const [joined] = found(await crm.ws.get(`/company/users/${id}/history`))
  expect(joined).toMatchObject({ user_id: id, key_id: null, request_id: uuid, fields: { status: { before: 'invited', after: 'active' } } })
  await crm.app.drain()
  const { rows } = await crm.app.owner.query('select from outbox where entity_id = $1 and needs_delivery and delivered_at is null', [id])
  expect(rows, 'its events are delivered at once').toEqual([])
})

test('a link used twice at once works once', async () => {
  const email = newEmail()
  const { id } = await invite({ email })
  const [token] = await tokensOf(email)
  const answers = await whileLocked(crm, [['select from users where id = $1 for update', [id]]], [() => accept(token), () => accept(token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
})

test('a wrong, an expired and a revoked link are all unknown', async () => {
  const [one, two] = [newEmail(), newEmail()]
  const { id: expired } = await invite({ email: one })
  const { id: removed } = await invite({ email: two })
  const tokens = [...(await tokensOf(one)), ...(await tokensOf(two)), 'f'.repeat(64), 'x', '']
  await crm.app.owner.query('update invitations set expires_at = now() where user_id = $1', [expired])
  found(await crm.ws.delete(`/company/users/${removed}`))
  for (const token of tokens) expect(await accept(token)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await accept('x'.repeat(201))).toMatchObject(refused('token'))
  expect(await member(expired)).toMatchObject({ status: 'invited' })
})

test('the link is not stored anywhere', async () => {
  const email = newEmail()
  const { id } = await invite({ email })
  const [token] = await tokensOf(email)
  for (const table of ['invitations', 'memberships', 'outbox', 'changes']) {
    const { rows } = await crm.app.owner.query(`select to_jsonb(t)::text as row from ${table} t where workspace_id = $1`, [crm.ws.id])
    expect(rows.map(({ row }) => row).join(), table).not.toContain(token)
  }
  expect(crm.app.logs.join()).not.toContain(token)
  expect(JSON.stringify(await member(id))).not.toContain(token)
})

test('inviting again renews the link and keeps what is not sent', async () => {
  const email = newEmail()
  const first = await invite({ email, full_name: 'Ana', role: 'client_viewer', office: 'Perth' })
  const [old] = await tokensOf(email)
  const again = await invite({ email, job_title: 'Engineer' })
  expect(again).toMatchObject({
    id: first.id,
    role: 'client_viewer',
    full_name: 'Ana',
    office: 'Perth',
    job_title: 'Engineer',
    status: 'invited',
  })
  const [, fresh] = await tokensOf(email)
  expect(await accept(old)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await accept(fresh)).toMatchObject({ status: 200 })
  expect(await crm.ws.post('/company/users/invite', { email })).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { user_id: first.id } } },
  })
})

test('sending again makes a new link too, but only before it is accepted', async () => {
  const email = newEmail()
  const { id } = await invite({ email })
  await tokensOf(email)
  found(await crm.ws.post(`/company/users/${id}/resend-invitation`))
  const [old, fresh] = await tokensOf(email)
  expect(await accept(old)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await accept(fresh)).toMatchObject({ status: 200 })
  expect(await crm.ws.post(`/company/users/${id}/resend-invitation`)).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'active', allowed: ['invited'] } } },
  })
})

test('two invitations at once make one member, and one link that works', async () => {
  const email = newEmail()
  const answers = await Promise.all([1, 2, 3].map(() => crm.ws.post('/company/users/invite', { email })))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(ids(answers.map(created))).size).toBe(1)
  expect(await crm.count('memberships')).toBe(2)
  const statuses = []
  for (const token of await tokensOf(email)) statuses.push((await accept(token)).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
})

test('one who was removed is invited anew, and comes back without the old role and keys', async () => {
  const key = await crm.ws.key({ role: 'client_admin' })
  const { email } = await member(key.userId)
  found(await crm.ws.delete(`/company/users/${key.userId}`))
  expect(await invite({ email })).toMatchObject({ id: key.userId, role: 'client_editor', status: 'invited' })
  const [token] = await tokensOf(email)
  expect(await accept(token)).toMatchObject({ status: 200 })
  expect(await key.get('/contacts')).toMatchObject(failed(401, 'UNAUTHENTICATED'))
})

test('a person of another workspace shows nothing of themself before they accept', async () => {
  const other = await crm.app.workspace()
  await crm.app.owner.query(
    `update users set full_name = 'Secret Name', phone = '+61400000001', job_title = 'Secret', avatar_url = 'https://s.example'
      where id = $1`,
    [other.userId],
  )
  const { email } = found(await other.get(`/company/users/${other.userId}`))
  const invited = await invite({ email, full_name: 'Somebody' })
  expect(invited).toMatchObject({ id: other.userId, full_name: 'Somebody', phone: null, job_title: null, avatar_url: null })
  const profile = async () => found(await crm.ws.get(`/company/users/${other.userId}/personal-user-profile`))
  expect(await profile()).toMatchObject({
    full_name: 'Somebody',
    phone: null,
    avatar_url: null,
    job_title: null,
    status: 'invited',
    created_at: invited.created_at,
  })
  const [token] = await tokensOf(email)
  await accept(token)
  expect(await profile()).toMatchObject({ full_name: 'Secret Name', phone: '+61400000001', job_title: 'Secret', status: 'active' })
  expect(found(await other.get(`/company/users/${other.userId}`))).toMatchObject({ full_name: 'Secret Name', role: 'client_admin' })
})

test('nothing is sent by a dry run, nor before an approval', async () => {
  const email = newEmail()
  expect(await crm.ws.post('/company/users/invite?dry_run=true', { email })).toMatchObject({
    status: 200,
    body: { data: { email, status: 'invited' } },
  })
  expect(await crm.ws.post('/company/users/invite', { email, require_approval: true })).toMatchObject(held)
  expect(await tokensOf(email)).toEqual([])
  const { rows } = await crm.app.owner.query('select from users where email = $1', [email])
  expect(rows).toEqual([])
})

test('a dry run reveals nothing about an address, whether or not it is registered in another workspace', async () => {
  const other = await crm.app.workspace()
  const [known, unknown] = [found(await other.get(`/company/users/${other.userId}`)).email, newEmail()]
  const { rows } = await crm.app.owner.query(
    'select version from (select uuid_extract_version(id) as version from users where email = $1) u',
    [known],
  )
  expect(rows).toEqual([{ version: 4 }])
  const rehearse = async (email: string) => {
    const { body } = await crm.ws.post('/company/users/invite?dry_run=true', { email })
    const { created_at, updated_at, invitation, ...data } = body.data
    const { entity_id, fields } = body.dry_run.changes[0]
    return { data, shape: Object.keys(fields).sort(), id: entity_id, userId: fields.user_id.after }
  }
  const [first, again, stranger] = [await rehearse(known), await rehearse(known), await rehearse(unknown)]
  expect(first.data).toMatchObject({ id: null, email: known, full_name: null })
  expect({ ...first.data, email: '' }).toEqual({ ...stranger.data, email: '' })
  expect(first.shape).toEqual(stranger.shape)
  expect(new Set([first.id, again.id, stranger.id, first.userId, again.userId, other.userId]).size).toBe(4)
  const approval = await crm.ws.post('/company/users/invite', { email: known, require_approval: true })
  expect(approval).toMatchObject(held)
  expect(JSON.stringify(found(await crm.ws.get(`/approvals/${approval.body.approval_id}`)))).not.toContain(other.userId)
  expect(created(await crm.ws.post('/company/users/invite', { email: known })).id).toBe(other.userId)
})

test('a dry run for a member of the workspace says so', async () => {
  const { email } = found(await crm.ws.get(`/company/users/${crm.ws.userId}`))
  expect(await crm.ws.post('/company/users/invite?dry_run=true', { email })).toMatchObject(failed(409, 'CONFLICT'))
})

test('skip_automations keeps no invitation back', async () => {
  const email = newEmail()
  await invite({ email, skip_automations: true })
  expect(await tokensOf(email)).toHaveLength(1)
})

test('a person who has not joined has no other name than that of the invitation, wherever members are named', async () => {
  const email = newEmail()
  const elsewhere = await crm.app.workspace()
  await crm.app.owner.query("insert into users (email, full_name, avatar_url) values ($1, 'Secret Name', 'https://example.com/face.png')", [
    email,
  ])
  const { id } = await invite({ email })
  const contact = await crm.contact()
  found(await crm.ws.post(`/contacts/${contact.id}/followers`, { user_id: id }))
  expect(found(await crm.ws.get(`/contacts/${contact.id}/followers`))).toMatchObject([{ user_id: id, email, full_name: null }])
  const sale = await crm.opportunity({ users: [{ user_id: id }] })
  expect(sale.users).toMatchObject([{ user_id: id, full_name: null }])
  expect(found(await crm.ws.get(`/opportunities/${sale.id}/users`))).toMatchObject([{ user_id: id, full_name: null }])
  const profile = async (workspace: string) =>
    (await crm.app.owner.query('select name, picture from member_profile($1, $2)', [workspace, id])).rows
  expect(await profile(crm.ws.id)).toEqual([{ name: null, picture: null }])
  expect(await profile(elsewhere.id)).toEqual([])
  expect(await accept((await tokensOf(email)).at(-1))).toMatchObject({ status: 200 })
  expect(found(await crm.ws.get(`/opportunities/${sale.id}/users`))).toMatchObject([{ user_id: id, full_name: 'Secret Name' }])
  expect(await profile(crm.ws.id)).toEqual([{ name: 'Secret Name', picture: 'https://example.com/face.png' }])
})
