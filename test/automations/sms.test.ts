import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { texting } from '../routes/texting.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs, steps, settle } = useAutomations(crm)
const { conversations, credits, grant, number, report, sentTo } = texting(crm)
const awake = () => crm.ws.patch('/company/crm-settings', { quiet_hours: null })
const SMS = { type: 'send_sms', text: 'Hello {{ contact.first_name }}' }
let last = 0
const someone = () => `+6143${String(Date.now()).slice(-4)}${String(last++).padStart(3, '0')}`

test('an SMS step sends one message, and skips whoever has unsubscribed or has quiet hours', async () => {
  await awake()
  const from = await number()
  await grant(10)
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [SMS] })
  const [phone, gone] = [someone(), someone()]
  const contact = await crm.contact({ phone })
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'completed', error: null })
  expect((await steps(run?.id))[0]).toMatchObject({ state: 'done', output: { channel: 'sms', recipient: phone, purpose: 'automation' } })
  await crm.app.deliver('events', Array(3).fill({ type: 'work.run', kind: 'automations.run', workspace_id: crm.ws.id }))
  await settle()
  expect(sentTo(phone)).toMatchObject([{ from, body: 'Hello Ana' }])
  expect(await conversations(`?contact_id=${contact.id}`)).toMatchObject([
    { external_phone_number: phone, phone_number: from, direction: 'outbound' },
  ])

  await crm.contact({ phone: gone, sms_unsubscribed: true })
  const other = (await runs(id)).at(-1)
  expect((await steps(other?.id))[0]).toMatchObject({ state: 'skipped', error: { details: { reason: 'unsubscribed' } } })
  await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '00:00', to: '23:59' } })
  const quiet = someone()
  await crm.contact({ phone: quiet })
  const waiting = (await runs(id)).at(-1)
  expect(waiting).toMatchObject({ state: 'waiting', error: { details: { reason: 'quiet_hours' } } })
  expect([sentTo(gone), sentTo(quiet)]).toEqual([[], []])
  expect(await credits()).toMatchObject({ balance: 9, reserved: 0 })
})

// A day of 2055: what is to be sent on a day that has gone by is not sent.
test('a birthday SMS is sent in the morning, once, and not without credits', async () => {
  await number()
  await grant(1)
  found(await crm.ws.put('/company/birthday-messages', [{ year: 0, sms_body: 'Happy birthday, {first_name}!' }]))
  const celebrant = (phone: string) => crm.contact({ phone, date_of_birth: '1990-03-10', timezone: 'Australia/Sydney' })
  const [one, two] = [someone(), someone()]
  const contacts = [await celebrant(one), await celebrant(two)]
  for (const time of ['2055-03-09T22:00:00Z', '2055-03-09T22:01:00Z', '2055-03-10T00:00:00Z'])
    await crm.app.cron('* * * * *', new Date(time))
  await crm.app.drain()
  expect([...sentTo(one), ...sentTo(two)]).toMatchObject([{ body: 'Happy birthday, Ana!' }])
  const results = []
  for (const { id } of contacts)
    results.push(
      ...(found(await crm.ws.get(`/company/birthday-messages/deliveries?contact_id=${id}`)) as Row[]).map(({ result }) => result),
    )
  expect(results.toSorted()).toEqual(['failed', 'queued'])
  expect(await credits()).toMatchObject({ balance: 0, reserved: 0 })
})

test('the first failure of an automation notifies the numbers of the settings, as far as there are credits', async () => {
  await awake()
  const [one, two] = [someone(), someone()]
  found(
    await crm.ws.patch('/company/crm-settings', {
      automation_error_notify_phones: [one, two],
      automation_error_notify_emails: ['ops@example.com'],
    }),
  )
  const fails = { type: 'move_stage', stage_id: '{{ trigger.data.stage }}', record_id: '{{ trigger.data.deal }}' }
  const automations = []
  for (let n = 0; n < 3; n++) automations.push((await published({ trigger: { type: 'manual' }, steps: [fails] })).id)
  const start = async (id: string) => {
    found(await crm.ws.post(`/automations/${id}/start`, { data: { stage: 'none', deal: crypto.randomUUID() } }))
    await settle()
  }
  const counts = async () => [
    sentTo(one).length,
    sentTo(two).length,
    found(await crm.ws.get('/messages?purpose=automation_error&channel=email')).length,
  ]
  await start(automations[0])
  expect(await counts()).toEqual([0, 0, 1])
  await number()
  await grant(3)
  await start(automations[1])
  await start(automations[1])
  expect(await counts()).toEqual([1, 1, 2])
  expect(sentTo(one)[0]?.body).toContain('failed')
  await start(automations[2])
  expect(await counts()).toEqual([1, 1, 3])
  expect(await credits()).toMatchObject({ balance: 1, reserved: 0 })
})

test('a message that is refused or not delivered fails its step in run and funnel, and waits and branches can ask for it', async () => {
  await awake()
  await number()
  await grant(10)
  const event = {
    types: ['message.failed', 'message.undelivered', 'message.delivered'],
    where: { field: 'entity_id', op: 'eq', value: '{{ steps.sms.id }}' },
    timeout: { amount: 1, unit: 'days' },
  }
  const title = '{{ steps.outcome.event.type }} {{ steps.outcome.event.payload.error }}'
  const task = (more: string) => ({ type: 'create_task', key: more, fields: { title: `${title} ${more}` } })
  const { id } = await published({
    trigger: { type: 'contact_created' },
    steps: [
      { ...SMS, key: 'sms' },
      { type: 'wait', key: 'outcome', event },
      {
        type: 'branch',
        branches: [
          { if: [{ on: 'steps', filter: { field: 'outcome.ended', op: 'eq', value: 'time' } }], steps: [] },
          { if: [{ on: 'steps', filter: { field: 'sms.failure.code', op: 'eq', value: 'PROVIDER_ERROR' } }], steps: [task('lost')] },
        ],
        else: [task('reached')],
      },
      { type: 'create_activity', fields: { activity_type: 'note', subject: '{{ steps.lost.title }}{{ steps.reached.title }}' } },
    ],
  })
  const [refused, unreachable, reached] = [someone(), someone(), someone()]
  crm.app.sms.fail('21211')
  await crm.contact({ phone: refused })
  await settle()
  for (const phone of [unreachable, reached]) await crm.contact({ phone })
  await settle()
  await report(sentTo(unreachable)[0] as never, 'undelivered', 30003)
  await report(sentTo(reached)[0] as never, 'delivered')
  await settle()
  await crm.app.cron('* * * * *')
  await settle()
  const shown = []
  for (const run of await runs(id)) {
    const [sms, , , task, note] = await steps(run.id)
    expect(note?.input.subject).toBe(task?.input.title)
    shown.push([
      run.state,
      sms?.state,
      sms?.error?.code ?? null,
      task?.input.title.replace(/ [^ ]* ?.*(21211|30003).* /, ' $1 ').replace(/ {2,}/, ' '),
    ])
  }
  expect(shown).toEqual([
    ['completed', 'failed', 'PROVIDER_ERROR', 'message.failed 21211 lost'],
    ['completed', 'failed', 'PROVIDER_ERROR', 'message.undelivered 30003 lost'],
    ['completed', 'done', null, 'message.delivered reached'],
  ])
  expect(found(await crm.ws.get(`/automations/${id}/funnel`)).steps[0]).toMatchObject({ done: 1, failed: 2 })
})
