import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { FOLLOWERS } from '../../src/domain/events.ts'
import { useQueues } from '../automations/queue.ts'
import { settled } from '../database.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { awaiting, end } from '../routes/feed-readers.ts'

/**
 * The readers of the outbox (a stream reads its pages as a request that waits does), and an event of a transaction that commits after a
 * later one.
 */
const receiver = await startWebhookReceiver()
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
afterAll(() => receiver.close())
const { published, runs, settle, queueOf, enrol, enrolment } = useQueues(crm)
const BOTH = ['Late', 'Next']
/** Lets everything in the background that is due happen. */
async function background() {
  for (let count = 0; count < 2; count++) {
    await crm.app.cron('* * * * *')
    await settle()
    await settled(crm.app.owner)
  }
}
type Reader = {
  /** What it has done about the two contacts, as their first names in its order. */
  seen: (names: Map<string, string>) => Promise<(string | undefined)[]>
}
const ofBoth = (names: string[]) => names.filter((name) => BOTH.includes(name))
const namesOf = (events: Row[]) => events.map(({ payload }) => payload.first_name)

/** By the name of the follower of the feed, or of what else reads the outbox. */
const READERS: Record<string, () => Promise<Reader>> = {
  async automations() {
    const { id } = await published({ trigger: { type: 'contact_created' }, steps: [] })
    return { seen: async () => ofBoth((await runs(id)).map(({ trigger_data }) => trigger_data.payload.first_name)) }
  },
  async webhooks() {
    const webhook = created(await crm.ws.post('/webhooks', { url: `${receiver.url}/late`, event_types: ['contact.created'] }))
    receiver.secrets.push(webhook.secret)
    // Requests that are sent at the same time may arrive in any order.
    return { seen: async () => ofBoth(receiver.received.map(({ body }) => body.data.payload.first_name)).toSorted() }
  },
  async lists() {
    const filter = { field: 'city', op: 'eq', value: 'Perth' }
    const { id } = created(
      await crm.ws.post('/lists', {
        name: 'Perth',
        object: 'contacts',
        kind: 'live',
        filter,
        visibility: 'shared',
        tracks_membership: true,
      }),
    )
    await settle()
    return {
      seen: async (names) =>
        (found(await crm.ws.get(`/events?order=asc&entity_id=${id}&type=list.entered`)) as Row[]).map(({ payload }) =>
          names.get(payload.record_id),
        ),
    }
  },
  async 'exits of auto queues'() {
    const exit = { type: 'event', event_types: ['task.created'] }
    const queue = await queueOf([{ delay: { amount: 1, unit: 'days' }, action: { type: 'create_task', fields: { title: 'Step' } } }], {
      exits: [exit],
    })
    const enrolled: [Row, string][] = []
    for (const first_name of BOTH) {
      const contact = await crm.contact({ first_name: `Of ${first_name}` })
      enrolled.push([await enrol(queue, { contact_id: contact.id }), contact.id])
    }
    exiting = enrolled.map(([, contact]) => contact)
    return {
      async seen() {
        const states = await Promise.all(enrolled.map(async ([one]) => (await enrolment(queue, one)).state))
        const endings = (await crm.events(queue.id)).filter(({ type }) => type === 'auto_queue.enrolment_ended')
        expect(endings).toHaveLength(states.filter((state) => state === 'exited').length)
        return endings.map(({ payload }) => BOTH[exiting.indexOf(payload.contact_id)])
      },
    }
  },
  async 'the feed'() {
    const after = await end(crm.app, crm.ws)
    return { seen: async () => namesOf(found(await crm.ws.get(`/events?order=asc&after=${after}&type=contact.created`)) as Row[]) }
  },
  async 'requests that wait'() {
    const after = await end(crm.app, crm.ws)
    return {
      async seen() {
        const all: Row[] = []
        for (let next = after; ; ) {
          const { body } = await awaiting(crm.ws, 1, `after=${next}&type=contact.created&limit=1`)
          if (body.data.length === 0) return namesOf(all)
          all.push(...body.data)
          next = body.page.next
        }
      },
    }
  },
  async listeners() {
    return {
      async seen(names) {
        const { rows } = await crm.app.owner.query(
          `select entity_id, attempts from outbox where workspace_id = $1 and type = 'attachment.deleted' and delivered_at is not null
            order by xid, id`,
          [crm.ws.id],
        )
        expect(rows.filter(({ attempts }) => attempts > 1)).toEqual([])
        return names.size === 0 ? [] : rows.map(({ entity_id }) => BOTH[files.indexOf(entity_id)])
      },
    }
  },
}
let exiting: string[] = []
const files = [crypto.randomUUID(), crypto.randomUUID()]

test('an event that is committed late is acted on once by every reader, before the events that were written after it', async () => {
  expect(Object.keys(READERS)).toEqual(expect.arrayContaining([...FOLLOWERS]))
  const readers: Record<string, Reader> = {}
  for (const [name, open] of Object.entries(READERS)) readers[name] = await open()
  await background()

  const writer = await crm.app.owner.connect()
  onTestFinished(() => writer.release(true))
  await writer.query('begin')
  await writer.query("select set_config('app.workspace_id', $1, true)", [crm.ws.id])
  const { rows } = await writer.query("insert into contacts (workspace_id, first_name, city) values ($1, 'Late', 'Perth') returning id", [
    crm.ws.id,
  ])
  await writer.query("insert into tasks (workspace_id, title, contact_id) values ($1, 'Late', $2)", [crm.ws.id, exiting[0]])
  await writer.query("select emit('attachment.deleted', 'attachment', $1)", [files[0]])
  const next = await crm.contact({ first_name: 'Next', city: 'Perth' })
  created(await crm.ws.post('/tasks', { title: 'Next', contact_id: exiting[1] }))
  await crm.app.owner.query("select set_config('app.workspace_id', $1, true), emit('attachment.deleted', 'attachment', $2)", [
    crm.ws.id,
    files[1],
  ])
  // Nobody reads past what is not there yet.
  for (let count = 0; count < 2; count++) {
    await crm.app.cron('* * * * *')
    await settle()
  }
  const all = async (names: Map<string, string>) => {
    const seen: Record<string, unknown> = {}
    for (const [name, reader] of Object.entries(readers)) seen[name] = await reader.seen(names)
    return seen
  }
  const each = (value: string[]) => Object.fromEntries(Object.keys(readers).map((name) => [name, value]))
  expect(await all(new Map())).toEqual(each([]))

  await writer.query('commit')
  await background()
  const names = new Map([
    [rows[0].id, 'Late'],
    [next.id, 'Next'],
  ])
  expect(await all(names)).toEqual(each(BOTH))
})
