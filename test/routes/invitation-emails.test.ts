import { expect, test } from 'vitest'
import { created, found, useCrm } from './crm.ts'
import { inviting, newEmail } from './invite.ts'

const crm = useCrm({ own: true })
const { accept, emailsTo, invite, later, member, tokensOf } = inviting(crm)
const undelivered = async (id: string) =>
  (await crm.app.owner.query('select type from outbox where entity_id = $1 and needs_delivery and delivered_at is null', [id])).rows

test('a suppressed address is reported and not retried', async () => {
  const email = newEmail()
  crm.app.email.inactive.add(email)
  const { id } = await invite({ email })
  await crm.app.drain()
  expect((await member(id)).invitation).toMatchObject({ status: 'failed', sent_at: null, error: expect.stringContaining('inactive') })
  crm.app.email.inactive.delete(email)
  await later()
  expect(emailsTo(email)).toEqual([])
  expect(await undelivered(id)).toEqual([])
  found(await crm.ws.post(`/company/users/${id}/resend-invitation`))
  expect(await tokensOf(email)).toHaveLength(1)
})

test.each(['429', '401', '500', '503', 'drop'] as const)('after a failure (%s) the email is sent later, once', async (mode) => {
  const email = newEmail()
  crm.app.email.fail(mode)
  const { id } = await invite({ email })
  await crm.app.drain()
  expect(emailsTo(email)).toEqual([])
  expect((await member(id)).invitation).toMatchObject({ status: mode === '429' || mode === '401' ? 'waiting' : 'sending', sent_at: null })
  await later()
  const [token, ...more] = await tokensOf(email)
  expect(more).toEqual([])
  expect((await member(id)).invitation).toMatchObject({ status: 'sent', error: null })
  expect(await accept(token)).toMatchObject({ status: 200 })
})

test.each(['500', '503', 'drop'] as const)('an email that was sent although the answer was lost (%s) is not sent again', async (mode) => {
  const email = newEmail()
  crm.app.email.fail(mode, 1, true)
  const { id } = await invite({ email })
  await crm.app.drain()
  expect((await member(id)).invitation).toMatchObject({ status: 'sending' })
  await later()
  await later()
  const [token, ...more] = await tokensOf(email)
  expect(more).toEqual([])
  expect((await member(id)).invitation).toMatchObject({ status: 'sent', sent_at: expect.any(String) })
  expect(await accept(token)).toMatchObject({ status: 200 })
})

test('an attempt that may still be under way is left alone, however often the event comes', async () => {
  const email = newEmail()
  crm.app.email.fail('drop', 1, true)
  const { id } = await invite({ email })
  await crm.app.drain()
  await crm.app.owner.query('update outbox set claimed_at = null where entity_id = $1', [id])
  await crm.app.cron('* * * * *')
  expect((await member(id)).invitation).toMatchObject({ status: 'sending' })
  expect(emailsTo(email)).toHaveLength(1)
})

test('an event that comes twice, or after a later invitation, sends nothing and is done with', async () => {
  const email = newEmail()
  const { id } = await invite({ email })
  await crm.app.drain()
  crm.app.email.fail('429', 1)
  await invite({ email })
  await crm.app.drain()
  await invite({ email })
  await crm.app.drain()
  for (const round of ['late', 'again']) {
    await crm.app.owner.query('update outbox set delivered_at = null, claimed_at = null where entity_id = $1', [id])
    await later()
    expect(await tokensOf(email), `${round}: of the first invitation and the last`).toHaveLength(2)
    expect(await undelivered(id), round).toEqual([])
  }
})

test('one who is removed before the email goes out gets none', async () => {
  const email = newEmail()
  crm.app.email.fail('429')
  const { id } = await invite({ email })
  await crm.app.drain()
  found(await crm.ws.delete(`/company/users/${id}`))
  await later()
  expect(await tokensOf(email)).toEqual([])
})

test('a workspace sends 200 invitations in a day, repeated ones included, and learns when it may send more', async () => {
  const { id } = await invite()
  await crm.app.owner.query('update invitation_counts set sent = 199 where workspace_id = $1', [crm.ws.id])
  expect((await crm.ws.post('/company/users/invite?dry_run=true', { email: newEmail() })).status).toBe(200)
  found(await crm.ws.post(`/company/users/${id}/resend-invitation`))
  const email = newEmail()
  const refused = await crm.ws.post('/company/users/invite', { email })
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED', details: { limit: 'invitations' } } } })
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(86_400)
  expect((await crm.ws.post(`/company/users/${id}/resend-invitation`)).status).toBe(429)
  expect(await tokensOf(email)).toEqual([])
  await crm.app.owner.query('update invitation_counts set day = day - 1 where workspace_id = $1', [crm.ws.id])
  created(await crm.ws.post('/company/users/invite', { email }))
  expect(await tokensOf(email)).toHaveLength(1)
})

test('the email names a role that the workspace has made', async () => {
  const role = (await crm.ws.post('/roles', { name: 'Night shift', scopes: ['tasks:*'] })).body.data
  const email = newEmail()
  await invite({ email, role: role.key })
  await crm.app.drain()
  expect(emailsTo(email)[0]!.TextBody).toContain('where you have the role “Night shift”.')
})
