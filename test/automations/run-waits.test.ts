import { afterAll, describe, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { approveIn } from '../routes/approving.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import type { TestWorkspace } from '../workspace.ts'
import { useAutomations } from './automation.ts'

/** Each wait of a run with each change around it. The expected outcomes are stated, not computed. */
const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
const { published, runs, elapse, settle } = useAutomations(crm)
const decided = approveIn(() => crm.app)

const WAIT = { type: 'wait', for: { amount: 1, unit: 'days' } }
const TASK = { type: 'create_task', fields: { title: 'Taken' } }
const CALL = { type: 'http_request', method: 'POST', url: `${receiver.url}/slow` }
const revoke = (key: TestWorkspace) => crm.app.owner.query('update api_keys set revoked_at = now() where id = $1', [key.keyId])
const revise = async (id: string, steps: Row[]) => found(await crm.ws.patch(`/automations/${id}`, { steps }))
const publish = async (id: string, body: Row = {}, ws = crm.ws) => ws.post(`/automations/${id}/publish`, body)
const purge = async (id: string) => found(await crm.ws.delete(`/contacts/${id}?purge=true`))
const mergeInto = async (winner: string, loser: string) =>
  found(await crm.ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser] }))

/** What a run waits for, and what lets it go on. */
const WAITS: Record<string, { step: Row; ends: (contact: string, run: Row) => Promise<unknown> }> = {
  time: { step: WAIT, ends: elapse },
  date: { step: { type: 'wait', until: '2099-01-01' }, ends: elapse },
  event: {
    step: { type: 'wait', event: { type: 'task.completed', timeout: { amount: 30, unit: 'days' } } },
    ends: async (contact) => {
      const { id } = created(await crm.ws.post('/tasks', { title: 'Awaited', contact_id: contact }))
      found(await crm.ws.patch(`/tasks/${id}`, { status: 'completed' }))
      await settle()
    },
  },
  approval: {
    step: { ...TASK, fields: { title: 'Held' }, require_approval: true },
    ends: async (_, { awaits }) => {
      if (awaits) await decided(crm.ws, awaits.slice(9))
      await crm.app.cron('* * * * *')
      await settle()
    },
  },
  answer: {
    step: CALL,
    ends: async () => {
      receiver.behaviours.set('/slow', 200)
      await crm.app.owner.query('update outgoing_requests set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
      await crm.app.cron('* * * * *')
      await settle()
    },
  },
}
type Change = {
  do: (scene: { id: string; contact: string; publisher: TestWorkspace }) => Promise<unknown>
  /** After the change and the end of the wait; of single waits where they differ. */
  after: Row
  but?: Record<string, Row>
  /** About which record the run then is. */
  about?: () => string
}
const DONE = { state: 'completed', reason: null }
const NO_RIGHTS = { state: 'waiting', reason: 'no_rights', error: null }
const REFUSED = { state: 'failed', error: { code: 'FORBIDDEN' } }
let winner = ''
const CHANGES: Record<string, Change> = {
  'no change': { do: settle, after: DONE },
  'a version without it': { do: async ({ id }) => revise(id, [TASK]).then(() => publish(id).then(found)), after: DONE },
  'a pause': { do: async ({ id }) => found(await crm.ws.post(`/automations/${id}/pause`)), after: { state: 'waiting', reason: null } },
  'a pause and its end': {
    do: async ({ id }) => {
      found(await crm.ws.post(`/automations/${id}/pause`))
      found(await crm.ws.post(`/automations/${id}/resume`))
    },
    after: DONE,
  },
  'a key that is revoked': { do: ({ publisher }) => revoke(publisher), after: NO_RIGHTS },
  // An approval does what its requester may do, who may do nothing any more.
  'a key that is replaced': { do: async ({ id, publisher }) => revoke(publisher).then(() => publish(id).then(found)), after: NO_RIGHTS },
  'a key that is replaced, with adoption': {
    do: async ({ id, publisher }) => revoke(publisher).then(() => publish(id, { adopt_runs: true }).then(found)),
    after: DONE,
    but: { approval: REFUSED },
  },
  'a member who is gone': {
    do: ({ publisher }) => crm.app.owner.query("update memberships set status = 'removed' where user_id = $1", [publisher.userId]),
    after: NO_RIGHTS,
  },
  'a merge of its record': {
    do: async ({ contact }) => {
      winner = (await crm.contact()).id
      await mergeInto(winner, contact)
    },
    after: DONE,
    // What was approved names the record that is gone.
    but: { approval: REFUSED },
    about: () => winner,
  },
  'the deletion of its record': {
    do: async ({ contact }) => found(await crm.ws.delete(`/contacts/${contact}`)),
    after: { state: 'cancelled', reason: 'record_deleted' },
  },
  'a deletion that is restored': {
    do: async ({ contact }) => {
      found(await crm.ws.delete(`/contacts/${contact}`))
      found(await crm.ws.post(`/contacts/${contact}/restore`))
    },
    after: { state: 'cancelled', reason: 'record_deleted' },
  },
  'the purge of its record': { do: ({ contact }) => purge(contact), after: { state: 'cancelled', reason: 'record_purged' } },
}

describe('a run that waits for a time, a date, an event, an approval or an answer, after', () => {
  test.each(Object.entries(CHANGES))('%s', async (_, change) => {
    receiver.behaviours.set('/slow', 503)
    const customer_id = await crm.company()
    const waiting = []
    for (const [kind, wait] of Object.entries(WAITS)) {
      const publisher = await crm.ws.key()
      const { id } = await published({ trigger: { type: 'manual' }, steps: [wait.step, TASK] }, publisher)
      const contact = (await crm.contact({ customer_id })).id as string
      found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact }))
      waiting.push({ kind, wait, id, contact, publisher })
    }
    for (const scene of waiting) expect(await runs(scene.id), scene.kind).toMatchObject([{ state: 'waiting', reason: null }])
    const before = await Promise.all(waiting.map(async ({ id }) => (await runs(id))[0] as Row))
    const about: string[] = []
    for (const scene of waiting) {
      await change.do(scene)
      about.push(change.about?.() ?? scene.contact)
    }
    const gone = change.after.state === 'cancelled'
    // The end of the first two lets the time of every wait come, so they are last.
    for (const [at, { kind, wait, id }] of [...waiting.entries()].toReversed()) {
      if (!gone || kind !== 'event') await wait.ends(about[at] as string, before[at] as Row)
      expect(await runs(id), kind).toMatchObject([change.but?.[kind] ?? change.after])
    }
  })
})

test('a version whose publisher lost its rights holds its own runs only, and adopting them takes the scopes of their steps', async () => {
  const publisher = await crm.ws.key()
  const { id } = await published({ trigger: { type: 'manual' }, steps: [WAIT, TASK] }, publisher)
  const contact_id = (await crm.contact()).id
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))
  await settle()
  await revoke(publisher)
  await elapse()
  expect(found(await crm.ws.get(`/automations/${id}`))).toMatchObject({ state: 'paused' })
  found(await publish(id))
  await settle()
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))
  await settle()
  await elapse()
  expect(await runs(id)).toMatchObject([{ state: 'waiting', reason: 'no_rights' }, { state: 'completed' }])
  expect(found(await crm.ws.get(`/automations/${id}`))).toMatchObject({ state: 'published', paused_reason: null })
  expect((await crm.events(id)).filter(({ type }) => type === 'automation.paused')).toHaveLength(1)
  const weak = await crm.ws.key({ scopes: ['automations:*', 'contacts:read'] })
  expect(await publish(id, { adopt_runs: true }, weak)).toMatchObject({
    status: 403,
    body: { error: { details: { missing_scopes: ['tasks:write'] } } },
  })
  found(await publish(id, {}, weak))
  await settle()
  expect(await runs(id)).toMatchObject([{ state: 'waiting', reason: 'no_rights' }, { state: 'completed' }])
  found(await publish(id, { adopt_runs: true }))
  await settle()
  expect(await runs(id)).toMatchObject([{ state: 'completed', reason: null }, { state: 'completed' }])
  expect(await crm.count('tasks')).toBe(2)
})

/** The same numbers in every run of the test. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
const TYPES = ['task.completed', 'opportunity.won', 'opportunity.lost', 'activity.created']
const triggering = (type: string) => ({ type: 'event', event_types: [type] })
const STARTING = ['task.reopened', 'opportunity.moved', 'list.entered', 'message.failed']
const awaiting = (type: string) => [WAIT, { type: 'wait', event: { type, timeout: { amount: 300, unit: 'days' } } }]

test.each([1, 2, 3])(
  'whatever happens to automations and their runs, the events that start them and that open runs await are read: sequence %i',
  async (seed) => {
    const next = numbers(seed)
    const pick = <T>(list: T[]): T => list[next(list.length)] as T
    const automations: string[] = []
    const contacts = [(await crm.contact()).id, (await crm.contact()).id, (await crm.contact()).id] as string[]
    const versionOf = new Map<string, string>()
    const eventIn = (steps: Row[]) => steps.flatMap(({ event }) => (event ? [event.type] : []))
    const open = async () => (found(await crm.ws.get('/automation-runs?limit=100')) as Row[]).filter(({ ended_at }) => ended_at === null)
    const any = async (verb: string, body?: Row) => automations.length > 0 && crm.ws.post(`/automations/${pick(automations)}/${verb}`, body)
    const acts: (() => Promise<unknown>)[] = [
      async () => automations.push((await published({ trigger: triggering(pick(STARTING)), steps: awaiting(pick(TYPES)) })).id),
      async () => {
        if (automations.length === 0) return
        const id = pick(automations)
        found(await crm.ws.patch(`/automations/${id}`, { trigger: triggering(pick(STARTING)), steps: awaiting(pick(TYPES)) }))
        await publish(id)
      },
      () => any('start', { contact_id: pick(contacts) }),
      () => any('start', { contact_id: pick(contacts) }),
      () => any('pause'),
      () => any('resume'),
      () => any('cancel-runs'),
      () => any('retry-failed'),
      elapse,
      async () => {
        const [run] = await open()
        if (run) await crm.ws.post(`/automation-runs/${run.id}/cancel`)
      },
      async () => {
        if (automations.length > 2) found(await crm.ws.delete(`/automations/${automations.shift()}`))
      },
      async () => {
        const gone = contacts.shift() as string
        found(await crm.ws.delete(`/contacts/${gone}`))
        contacts.push((await crm.contact()).id)
      },
    ]
    for (let count = 0; count < 30; count++) {
      await pick(acts)()
      const wanted = new Set<string>()
      for (const id of automations) {
        const versions = found(await crm.ws.get(`/automations/${id}/versions`)) as Row[]
        for (const version of versions) versionOf.set(version.id, eventIn(version.steps)[0])
        wanted.add(versions[0]?.trigger.event_types[0])
      }
      for (const { version_id } of await open()) wanted.add(versionOf.get(version_id) as string)
      const { rows } = await crm.app.owner.query('select automation_event_types($1) as types', [crm.ws.id])
      expect(rows[0].types, `after ${count}`).toEqual(expect.arrayContaining([...wanted]))
    }
  },
)
