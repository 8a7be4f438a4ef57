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

/** What is due at a tick in each workspace: what prepares it, the function that saves it, and the subject of its email. */
interface Due {
  prepare: (ws: TestWorkspace) => Promise<Row>
  saves: string
  at: string
  subject: RegExp
}
const DUE: Record<string, Due> = {
  'messages on birthdays': {
    async prepare(ws) {
      found(await ws.put('/company/birthday-messages', [{ year: 0, email_subject: 'Happy birthday!', email_body: 'All the best.' }]))
      const fields = { first_name: 'Ana', email: address(), date_of_birth: '1990-03-10', timezone: 'Australia/Sydney' }
      return created(await ws.post('/contacts', fields))
    },
    saves: 'save_birthdays',
    at: '2027-03-09T22:00:00Z',
    subject: /^Happy birthday!/,
  },
  'reminders of bookings': {
    async prepare(ws) {
      await eventType(ws)
      return created(await book(ws, { starts_at: nine, email: address() }))
    },
    saves: 'save_booking_notices',
    at: new Date(Date.parse(nine) - 1_439 * 60_000).toISOString(),
    subject: /^Reminder/,
  },
  'emails of waiting lists': {
    async prepare(ws) {
      await eventType(ws, { seats: 2, waiting_list: true, notices: [{ kind: 'reminder', is_enabled: false }] })
      for (let seat = 0; seat < 2; seat++) created(await book(ws, { starts_at: nine, email: address() }))
      const waits = { event_type: 'first-meeting', starts_at: nine, name: 'Wil Wu', email: address() }
      return created(await ws.post('/scheduling-waiting-list', waits))
    },
    saves: 'save_waiting_list',
    at: new Date(Date.now() + 300_000).toISOString(),
    subject: /^On the waiting list/,
  },
}

test.each(Object.entries(DUE))('%s of a workspace that fails hold up those of no other, and come later, once', async (_, due) => {
  const { prepare, saves, at, subject } = due
  const workspaces = [await crm.app.workspace(), await crm.app.workspace(), await crm.app.workspace()]
  const emails: string[] = []
  for (const ws of workspaces) emails.push((await prepare(ws)).email)
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
