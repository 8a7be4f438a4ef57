import { expect, test } from 'vitest'
import { created, found, useCrm } from './crm.ts'
import { inviting } from './invite.ts'

const crm = useCrm()
const { inviteFromElsewhere } = inviting(crm)

test('what a record shows of an invited person is the name of the invitation, never their own one', async () => {
  const { ws } = crm
  const { id, own } = await inviteFromElsewhere({ full_name: 'New colleague' })
  const opportunity = await crm.opportunity()
  const contact = await crm.contact()
  created(await ws.post(`/contacts/${contact.id}/followers`, { user_id: id }))
  created(await ws.post(`/opportunities/${opportunity.id}/users`, { user_id: id }))
  const shown = async () => {
    const [follower] = found(await ws.get(`/contacts/${contact.id}/followers`))
    const [user] = found(await ws.get(`/opportunities/${opportunity.id}/users`))
    const [detail] = found(await ws.get(`/opportunities/${opportunity.id}`)).users
    return [follower, user, detail].map((row) => row?.full_name)
  }
  expect(await shown()).toEqual(['New colleague', 'New colleague', 'New colleague'])
  await crm.app.owner.query("update memberships set status = 'active', joined_at = now() where workspace_id = $1 and user_id = $2", [
    ws.id,
    id,
  ])
  expect(await shown()).toEqual([own, own, own])
})

test('an invited person without a name in the invitation has none', async () => {
  const { id } = await inviteFromElsewhere()
  const company = await crm.company()
  expect(created(await crm.ws.post(`/companies/${company}/followers`, { user_id: id }))).toMatchObject({ user_id: id, full_name: null })
})
