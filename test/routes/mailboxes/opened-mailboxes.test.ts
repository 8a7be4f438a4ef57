import { expect, test } from 'vitest'
import { setPersonalScopes } from '../../../dev/workspace.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { connecting } from './connecting.ts'

/** Who gets an email when others can read a mailbox. */
const crm = useCrm({ ownServer: true })
const box = connecting(crm)

test('each current member with a mailbox, or with conversations from one, gets one email when another member can read it', async () => {
  const { ws } = crm
  const addressOf = async ({ userId }: TestWorkspace): Promise<string> =>
    (await crm.app.owner.query('select email from users where id = $1', [userId])).rows[0].email
  const [former, removed, reader] = [await ws.key(), await ws.key(), await ws.key({ role: 'client_editor' })]
  // A member without a mailbox hears nothing.
  await ws.key()
  const mailboxes: Row[] = []
  for (const [n, one] of [ws, former, removed, reader].entries()) mailboxes.push(await box.connect(one, `member-${n}@gmail.example`))
  const contact = await crm.contact({ email: 'client@opened.example' })
  found(await box.send({ contact_id: contact.id }, former))
  found(await former.delete(`/mailboxes/${mailboxes[1]?.id}`))
  await crm.app.owner.query("update memberships set status = 'removed' where user_id = $1", [removed.userId])
  const role = created(await ws.post('/roles', { name: 'Auditor', key: 'auditor', scopes: ['*:read'] }))
  await setPersonalScopes(crm.app.owner, ws.id, role.key, ['personal-email:read'])
  await setPersonalScopes(crm.app.owner, ws.id, 'client_admin', ['personal-email:read'])
  const emailed = async () => {
    // An event of a request has those that were written without one handed over too.
    created(await ws.post('/company/users/invite', { email: `${crypto.randomUUID()}@example.com`, role: 'client_viewer' }))
    await crm.app.drain()
    await crm.app.cron('* * * * *')
    await crm.app.drain()
    const emails = crm.app.email.sent.filter(({ Subject }) => /can be read by others/.test(`${Subject}`))
    crm.app.email.clear()
    return emails.map(({ To, TextBody }) => [To, /“(Admin|Auditor)”/.exec(`${TextBody}`)?.[1]]).toSorted()
  }
  const [owner, other, third] = await Promise.all([ws, former, reader].map(addressOf))
  expect(await emailed()).toEqual([owner, other, third].map((address) => [address, 'Admin']).toSorted())
  found(await ws.patch(`/company/users/${reader.userId}/workspace-user-roles`, { role: 'auditor' }))
  expect(await emailed()).toEqual([owner, other].map((address) => [address, 'Auditor']).toSorted())
})
