import { expect, test } from 'vitest'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { messaging } from './messaging.ts'
import { book, eventType, monday, sydney } from './scheduling/scheduling.ts'

const crm = useCrm({ own: true })
const { emailsTo } = messaging(crm)

let people = 0
const address = () => `held-up-${++people}@example.com`
const nine = sydney(monday(), '09:00')

/** What is due at a tick: what prepares its workspace, what adds one, the function that saves it, and the subject of its email. */
interface Due {
  prepare: (ws: TestWorkspace) => Promise<unknown>
  add: (ws: TestWorkspace) => Promise<Row>
  /** What is noted of one whose message the database refuses. */
  noted?: (ws: TestWorkspace, id: string) => Promise<unknown>
  saves: string
  at: string
  subject: RegExp
}
const DUE: Record<string, Due> = {
  'messages on birthdays': {
    prepare: async (ws) =>
      found(await ws.put('/company/birthday-messages', [{ year: 0, email_subject: 'Happy birthday!', email_body: 'All the best.' }])),
    async add(ws) {
      const fields = { first_name: 'Ana', email: address(), date_of_birth: '1990-03-10', timezone: 'Australia/Sydney' }
      return created(await ws.post('/contacts', fields))
    },
    noted: async (ws, id) => found(await ws.get(`/company/birthday-messages/deliveries?contact_id=${id}`))[0]?.result,
    saves: 'save_birthdays',
    at: '2027-03-09T22:00:00Z',
    subject: /^Happy birthday!/,
  },
  'reminders of bookings': {
    prepare: (ws) => eventType(ws, { seats: 5 }),
    add: async (ws) => created(await book(ws, { starts_at: nine, email: address() })),
    async noted(ws, id) {
      const notices = found(await ws.get(`/scheduling-bookings/${id}/notices`)) as Row[]
      return notices.find(({ kind, state }) => kind === 'reminder' && state === 'skipped')?.reason
    },
    saves: 'save_booking_notices',
    at: new Date(Date.parse(nine) - 1_439 * 60_000).toISOString(),
    subject: /^Reminder/,
  },
  'emails of waiting lists': {
    async prepare(ws) {
      await eventType(ws, { seats: 2, waiting_list: true, notices: [{ kind: 'reminder', is_enabled: false }] })
      for (let seat = 0; seat < 2; seat++) created(await book(ws, { starts_at: nine, email: address() }))
    },
    async add(ws) {
      const waits = { event_type: 'first-meeting', starts_at: nine, name: 'Wil Wu', email: address() }
      return created(await ws.post('/scheduling-waiting-list', waits))
    },
    saves: 'save_waiting_list',
    at: new Date(Date.now() + 300_000).toISOString(),
    subject: /^On the waiting list/,
  },
}

test.each(Object.entries(DUE))('%s of a workspace that fails hold up those of no other, and come later, once', async (_, due) => {
  const { prepare, add, saves, at, subject } = due
  const workspaces = [await crm.app.workspace(), await crm.app.workspace(), await crm.app.workspace()]
  const emails: string[] = []
  for (const ws of workspaces) {
    await prepare(ws)
    emails.push((await add(ws)).email)
  }
  await crm.app.drain()
  const received = () => emails.map((email) => emailsTo(email).filter(({ Subject }) => subject.test(Subject)).length)
  const tick = async (minutes: number) => {
    await crm.app.cron('* * * * *', new Date(Date.parse(at) + minutes * 60_000))
    await crm.app.drain()
  }
  // Two of them lose the answers of the database, whichever are served first.
  const failing = new Set<string>()
  crm.app.proxy.onRequest = (request) => {
    for (const { query, params } of 'queries' in request ? request.queries : [request]) {
      if (!query.includes(saves)) continue
      const ws = workspaces.find(({ id }) => params?.includes(id))
      if (ws && (failing.has(ws.id) || failing.size < 2)) {
        failing.add(ws.id)
        throw new Error('The connection is lost')
      }
    }
  }
  await tick(0)
  const spared = workspaces.map(({ id }) => (failing.has(id) ? 0 : 1))
  expect([failing.size, received()]).toEqual([2, spared])
  crm.app.proxy.onRequest = undefined
  for (const minutes of [6, 7]) await tick(minutes)
  expect(received()).toEqual([1, 1, 1])
})

test.each(Object.entries(DUE))(
  'of %s that are due together, one that the database refuses keeps none of the others back',
  async (_, due) => {
    const { prepare, add, noted, at, subject } = due
    const emails: string[] = []
    await prepare(crm.ws)
    const records: Row[] = []
    for (let n = 0; n < 5; n++) records.push(await add(crm.ws))
    emails.push(...records.map(({ email }) => email))
    await crm.app.drain()
    await crm.app.owner.query(`create or replace function refuse_message() returns trigger language plpgsql as
      $$ begin raise exception 'this message is refused'; end $$;
    create or replace trigger refuse before insert on messages for each row
      when (new.recipient = '${emails[2]}') execute function refuse_message()`)
    const received = () => emails.map((email) => emailsTo(email).filter(({ Subject }) => subject.test(Subject)).length)
    crm.app.logs.length = 0
    for (const minutes of [0, 1, 8]) {
      await crm.app.cron('* * * * *', new Date(Date.parse(at) + minutes * 60_000))
      await crm.app.drain()
      expect(received(), `after ${minutes} minutes`).toEqual([1, 1, 0, 1, 1])
    }
    const refusals = crm.app.logs.filter((line) => line.includes('"level":"error"') && line.includes('this message is refused'))
    expect(refusals).toHaveLength(1)
    if (noted) expect(await noted(crm.ws, records[2]?.id)).toBe('failed')
  },
)
