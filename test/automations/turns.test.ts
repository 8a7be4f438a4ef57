import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs, steps } = useAutomations(crm)

test('an assignment to three members gives each of them four of twelve records, whatever happens at the same time', async () => {
  const members = [await crm.ws.key(), await crm.ws.key(), await crm.ws.key()].map(({ userId }) => userId)
  const assign = { type: 'assign', record: 'contact', user_ids: members }
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [assign, { ...assign, user_ids: members.slice(1) }] })
  await crm.app.drain()
  const message = { type: 'work.run', kind: 'automations.run', workspace_id: crm.ws.id }
  await Promise.all([
    ...Array.from({ length: 12 }, () => crm.contact()),
    ...Array.from({ length: 4 }, () => crm.app.deliver('events', [message, message])),
  ])
  const all = await runs(id)
  expect(all.map(({ state }) => state)).toEqual(Array(12).fill('completed'))
  const taken = await Promise.all(all.map((run) => steps(run.id)))
  const counts = (step: number) => Map.groupBy(taken, (own) => own[step]?.output.assigned_to as string)
  expect(members.map((member) => counts(0).get(member)?.length)).toEqual([4, 4, 4])
  expect(members.map((member) => counts(1).get(member)?.length)).toEqual([undefined, 6, 6])
  const { steps: funnel } = found(await crm.ws.get(`/automations/${id}/funnel`))
  expect(funnel[0]).toMatchObject({ type: 'assign', done: 12 })
  expect(funnel[0]).not.toHaveProperty('turn')
})

test('a turn that was drawn before a crash is not drawn again', async () => {
  const members = [await crm.ws.key(), await crm.ws.key()].map(({ userId }) => userId)
  const { id } = await published({
    trigger: { type: 'contact_created' },
    steps: [{ type: 'assign', record: 'contact', user_ids: members }],
  })
  await crm.app.drain()
  const owners: string[] = []
  for (let count = 0; count < 4; count++) {
    let begun = false
    crm.app.proxy.onRequest = (request) => {
      // The answer about the first turn is lost.
      crm.app.proxy.outage = count === 0 && !begun && JSON.stringify(request).includes('take_turn') ? 'lose_answer' : 'none'
      begun ||= crm.app.proxy.outage !== 'none'
    }
    const contact = await crm.contact()
    await crm.app.drain()
    Object.assign(crm.app.proxy, { onRequest: undefined, outage: 'none' })
    await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
    await crm.app.cron('* * * * *')
    await runs(id)
    owners.push((found(await crm.ws.get(`/contacts/${contact.id}`)) as Row).assigned_to)
  }
  expect(owners).toEqual([members[0], members[1], members[0], members[1]])
})

test('the steps of a run show no secrets', async () => {
  const notes = 'Login with Bearer abcdefghijkl at https://a.example/?token=12345'
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [{ type: 'update_contact', fields: { notes } }] })
  const contact = await crm.contact()
  const [run] = await runs(id)
  const shown = 'Login with Bearer [redacted] at https://a.example/?token=[redacted]'
  expect(await steps(run?.id)).toMatchObject([{ input: { notes: shown }, output: { notes: shown } }])
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ notes })
})
