import { describe, expect, test } from 'vitest'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** How often a step is tried, how many steps a run takes, and what of a batch of events counts for the enrolment. */

const crm = useCrm({ ownServer: true })
const { published, runs, steps, elapse, settle } = useAutomations(crm)
const TASK = { type: 'create_task', fields: { title: 'Taken' } }
const INVITATION = {
  type: 'api_request',
  method: 'POST',
  path: '/company/users/invite',
  body: { email: 'invited-{{ run.id }}@example.com' },
}
const TRIES = 8

/** As if the workspace had sent so many invitations today, of which 200 are allowed. */
const invited = (sent: number) =>
  crm.app.owner.query(
    `insert into invitation_counts (workspace_id, day, sent) values ($1, (now() at time zone 'UTC')::date, $2)
      on conflict (workspace_id) do update set day = excluded.day, sent = excluded.sent`,
    [crm.ws.id, sent],
  )
const attemptsOf = async (run: Row): Promise<number> =>
  (await crm.app.owner.query('select attempts from automation_runs where id = $1', [run.id])).rows[0].attempts

async function started(taken: Row[], more: Row = {}) {
  const { id } = await published({ trigger: { type: 'manual' }, steps: taken, ...more })
  const begun = Date.now()
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: (await crm.contact()).id }))
  const run = async () => (await runs(id))[0] as Row
  return { id, begun, run, first: await run() }
}

describe('a step that too many requests keep from being taken', () => {
  test('is tried again later each time, and the run fails after eight tries, from where a retry continues it', async () => {
    await invited(200)
    const { run, first, begun } = await started([INVITATION, TASK])
    const error = { code: 'RATE_LIMITED', message: expect.stringContaining('200 invitations') }
    expect(first).toMatchObject({ state: 'running', error, moves: 0 })
    const seconds = [(Date.parse(first.due_at) - begun) / 1000]
    for (let tries = 2; tries < TRIES; tries++) {
      const before = Date.now()
      await elapse()
      const now = await run()
      expect(now, `${tries} tries`).toMatchObject({ state: 'running', error, ended_at: null })
      seconds.push((Date.parse(now.due_at) - before) / 1000)
    }
    for (const [at, waited] of seconds.entries()) {
      expect(waited, `after ${at + 1} tries`).toBeGreaterThan(2 ** (at + 1) * 5 - 1)
      expect(waited, `after ${at + 1} tries`).toBeLessThan(2 ** (at + 1) * 5 + 60)
    }
    expect(await steps(first.id)).toEqual([])
    await elapse()
    const last = await run()
    expect(last).toMatchObject({ state: 'failed', error, due_at: null, ended_at: expect.any(String) })
    expect(await steps(first.id)).toMatchObject([{ sequence: 1, type: 'api_request', state: 'failed', error, attempts: TRIES }])
    await invited(0)
    found(await crm.ws.post(`/automation-runs/${first.id}/retry`))
    expect(await run()).toMatchObject({ state: 'completed', error: null })
    expect((await steps(first.id)).map(({ type, state }) => [type, state])).toEqual([
      ['api_request', 'failed'],
      ['api_request', 'done'],
      ['create_task', 'done'],
    ])
  })

  test('counts its tries from the beginning for the next step', async () => {
    await invited(200)
    const wait = { type: 'wait', for: { amount: 1, unit: 'days' } }
    const { run, first } = await started([INVITATION, wait, INVITATION])
    await elapse()
    await elapse()
    expect(await attemptsOf(first)).toBe(3)
    await invited(199)
    await elapse()
    expect(await run()).toMatchObject({ state: 'waiting', error: null, moves: 2 })
    expect(await attemptsOf(first)).toBe(0)
    await elapse()
    expect(await run()).toMatchObject({ state: 'running', error: { code: 'RATE_LIMITED' } })
    expect(await attemptsOf(first)).toBe(1)
  })
})

test.each([
  [TRIES - 1, { state: 'completed', error: null }, [{ type: 'create_task', state: 'done', attempts: TRIES }]],
  [TRIES, { state: 'failed', error: { code: 'UNAVAILABLE', message: 'The step could not be taken, in several tries' } }, []],
])('a run of which %i workers have died ends as %j', async (died, outcome, taken) => {
  const { run, first } = await started([{ type: 'wait', for: { amount: 1, unit: 'days' } }, TASK])
  await crm.app.owner.query('update automation_runs set attempts = $2 where id = $1', [first.id, died])
  await elapse()
  expect(await run()).toMatchObject(outcome)
  expect((await steps(first.id)).filter(({ type }) => type === 'create_task')).toMatchObject(taken)
})

test('a run takes more steps than one claim allows, each once and in order', async () => {
  const one = { type: 'condition', if: [{ on: 'trigger', filter: { field: 'data.none', op: 'is_empty' } }] }
  const items = Array.from({ length: 100 }, (_, at) => at)
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [{ type: 'for_each', items: '{{ trigger.data.items }}', steps: Array(6).fill(one) }, TASK],
  })
  found(await crm.ws.post(`/automations/${id}/start`, { data: { items } }))
  await settle()
  await crm.app.cron('* * * * *')
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'completed', moves: 602 })
  const { rows } = await crm.app.owner.query(
    `select count(*)::int as n, count(distinct sequence)::int as of, max(sequence) as last from automation_steps
      where run_id = $1 and state = 'done'`,
    [run?.id],
  )
  expect(rows).toEqual([{ n: 602, of: 602, last: 602 }])
})

test('an automation whose long name is cut within a character notifies of its failures', async () => {
  found(
    await crm.ws.patch('/company/crm-settings', {
      automation_error_notify_emails: ['ops@example.com'],
      automation_error_notify_phones: ['+61412345678'],
    }),
  )
  const name = `${'a'.repeat(59)}\u{1F600} is long`
  const { first, id } = await started([{ type: 'move_stage', stage_id: '{{ run.id }}' }], { name })
  expect(first).toMatchObject({ state: 'failed', error: { code: 'VALIDATION_ERROR' } })
  expect(found(await crm.ws.get('/messages?purpose=automation_error'))).toMatchObject([{ subject: `The automation "${name}" failed` }])
  expect((await crm.events(id)).map(({ type }) => type)).toContain('automation.run_failed')
})

test.each([
  ['once', { mode: 'once' }, [8, 0], ['too_deep']],
  ['skip', { mode: 'always', concurrency: 'skip' }, [8, 0], ['too_deep']],
  ['replace', { mode: 'always', concurrency: 'replace' }, [0, 8], ['too_deep']],
  ['once, of two that count', { mode: 'once' }, [0, 0], ['enrolled_before']],
  ['skip, of two that count', { mode: 'always', concurrency: 'skip' }, [0, 0], ['already_running']],
  ['replace, of two that count', { mode: 'always', concurrency: 'replace' }, [0, 0], ['already_running']],
])('enrolment "%s" counts only those events of a batch that may start a run', async (_, enrolment, depths, reasons) => {
  const contact = await crm.contact()
  const wait = { type: 'wait', for: { amount: 1, unit: 'days' } }
  const { id } = await published({ trigger: { type: 'record_updated', record: 'contact' }, enrolment, steps: [wait] })
  await settle()
  await crm.app.capture(true)
  for (const [at, depth] of depths.entries()) {
    found(await crm.ws.patch(`/contacts/${contact.id}`, { city: `City ${at}` }))
    await crm.app.owner.query(
      `update outbox set depth = $2 where workspace_id = $1
        and id = (select max(id::text)::uuid from outbox where workspace_id = $1 and type = 'contact.updated')`,
      [crm.ws.id, depth],
    )
  }
  await crm.app.capture(false)
  await crm.app.cron('* * * * *')
  expect(await runs(id)).toMatchObject([{ state: 'waiting', contact_id: contact.id }])
  const { rows } = await crm.app.owner.query('select reason from automation_skips where automation_id = $1', [id])
  expect(rows.map(({ reason }) => reason)).toEqual(reasons)
  found(await crm.ws.post(`/automations/${id}/pause`))
})

test('a run whose contact is in a zone that no longer exists fails alone, and a retry continues it', async () => {
  const { id } = await published({ trigger: { type: 'manual' }, steps: [{ ...TASK, fields: { title: 'On {{ today }}' } }] })
  const contacts = [await crm.contact(), await crm.contact(), await crm.contact()]
  const zone = (local_zone: string) => crm.rewrite('contacts', contacts[1]?.id, { local_zone })
  await zone('Atlantis/Capital')
  await crm.app.capture(true)
  for (const { id: contact_id } of contacts) found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))
  await crm.app.capture(false)
  await crm.app.cron('* * * * *')
  const error = { code: 'INTERNAL' }
  const all = await runs(id)
  expect(all).toMatchObject([{ state: 'completed' }, { state: 'failed', error }, { state: 'completed' }])
  await zone('Australia/Perth')
  found(await crm.ws.post(`/automation-runs/${all[1]?.id}/retry`))
  expect((await runs(id)).map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])
})
