import { beforeEach, expect, test } from 'vitest'
import { comeBack } from '../consenting.ts'
import { failed, found, useCrm } from '../crm.ts'
import { book, monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

/** A host makes the event of a booking a series. */
const crm = useCrm({ own: true })
const { booking, connect, copies, emailOf, event, eventType, google, later, read } = calendaring(crm)
beforeEach(() => {
  crm.app.google.clear()
  crm.app.microsoft.clear()
})

const PROVIDERS = {
  google: {
    connect: () => connect(),
    repeat: (): string => {
      const { id } = event()
      google().world.change(emailOf(), id, { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'] })
      return id
    },
    remove: (id: string) => google().world.delete(emailOf(), id),
  },
  microsoft: {
    async connect() {
      const { url } = found(await crm.ws.post('/calendar-connections/start', { provider: 'microsoft' }))
      const back = crm.app.microsoft.accounts.consent(new URL(url).searchParams, emailOf())
      expect((await comeBack(crm.app, back)).status).toBe(200)
      await crm.app.drain()
    },
    repeat: (): string => {
      const { id } = crm.app.microsoft.world.eventsOf(emailOf())[0]!
      crm.app.microsoft.world.change(emailOf(), id, { series: { days: 7, count: 3 } })
      return id
    },
    remove: (id: string) => crm.app.microsoft.world.delete(emailOf(), id),
  },
}
const readAll = async () => {
  await crm.app.owner.query('update connection_calendars set cursor = null where workspace_id = $1', [crm.ws.id])
  await later()
}
const flags = async () =>
  (await crm.app.owner.query("select 1 from outbox where workspace_id = $1 and type = 'booking.changed_outside'", [crm.ws.id])).rowCount

test.each(['google', 'microsoft'] as const)(
  'an event of %s that its host makes a series keeps its booking, until it is deleted, and its repetitions take time',
  async (name) => {
    const provider = PROVIDERS[name]
    await provider.connect()
    await eventType()
    const made = await booking()
    const id = provider.repeat()
    await later()
    await readAll()
    await readAll()
    expect(await read(made.id)).toMatchObject({ status: 'confirmed', starts_at: sydney(monday(), '10:00') })
    expect(await copies(made.id)).toMatchObject([{ state: 'synced', outside_id: id, flag: null }])
    expect(await flags()).toBe(0)
    for (const weeks of [3, 4])
      expect(await book(crm.ws, { starts_at: `${monday(weeks)} 10:00`, timezone: 'Australia/Sydney' })).toMatchObject(
        failed(409, 'SLOT_UNAVAILABLE'),
      )
    provider.remove(id)
    await later()
    await readAll()
    expect(await read(made.id)).toMatchObject({ status: 'cancelled' })
  },
)
