import { expect } from 'vitest'
import type { EmulatedBot } from '../../../dev/notetaker-bots.ts'
import { type Crm, created, found, type Row } from '../crm.ts'
import { book, eventType, monday } from './scheduling.ts'

export const LINK = 'https://meet.example.com/first'

/** What the tests of notetakers do. The bots of a test are those of its own workspace. */
export function notetaking(crm: Crm) {
  const path = (booking: Row | string) => `/scheduling-bookings/${typeof booking === 'string' ? booking : booking.id}/notetaker`
  const helpers = {
    path,
    /** An event type with a meeting link, hours, credits, and the setting that notetakers need. */
    async prepare({ credits = 100_000, fields = {} }: { credits?: number; fields?: Row } = {}): Promise<void> {
      found(await crm.ws.patch('/company/crm-settings', { notetaker_enabled: true, quiet_hours: null }))
      await eventType(crm.ws, { meeting_link: LINK, ...fields })
      if (credits > 0) await helpers.grant(credits)
    },
    grant: (credits: number, reference: string = crypto.randomUUID()) =>
      crm.app.owner.query('select grant_credits($1, $2, $3)', [crm.ws.id, credits, reference]),
    booking: async (time = '10:00', fields: Row = {}): Promise<Row> =>
      created(await book(crm.ws, { starts_at: `${monday()} ${time}`, timezone: 'Australia/Sydney', ...fields })),
    async request(booking: Row): Promise<Row> {
      const notetaker = found(await crm.ws.post(path(booking)))
      await crm.app.drain()
      return notetaker
    },
    read: async (booking: Row | string): Promise<Row> => found(await crm.ws.get(path(booking))),
    bots: (): EmulatedBot[] => crm.app.notetaker.bots.filter(({ metadata }) => metadata.workspace_id === crm.ws.id),
    live: (): EmulatedBot[] => helpers.bots().filter(({ deleted }) => !deleted),
    bot(): EmulatedBot {
      const bots = helpers.live()
      expect(bots).toHaveLength(1)
      return bots[0] as EmulatedBot
    },
    /** Hands a report of the provider to the Worker. */
    async report(bot: EmulatedBot, event: string, options?: { id?: string; at?: Date; secret?: string }) {
      const response = await crm.app.fetch('/notetaker-events', crm.app.notetaker.report(bot, event, options))
      await crm.app.drain()
      return response.status
    },
    /** The provider's status of a bot, with its report. */
    async status(bot: EmulatedBot, code: string, subCode?: string): Promise<void> {
      crm.app.notetaker.status(bot, code, subCode)
      expect(await helpers.report(bot, `bot.${code}`)).toBe(200)
    },
    /** A whole meeting of so many seconds, and its reports. */
    async meet(bot: EmulatedBot, options?: Parameters<Crm['app']['notetaker']['meet']>[1]): Promise<void> {
      crm.app.notetaker.meet(bot, options)
      expect(await helpers.report(bot, 'bot.done')).toBe(200)
    },
    /** Lets everything be due, and the cron job and the queue do it. */
    async later(): Promise<void> {
      await crm.app.owner.query(
        `update notetakers set due_at = now() - interval '1 second', claimed_until = null,
          bot_requested_at = bot_requested_at - interval '2 minutes'
          where workspace_id = $1 and due_at is not null`,
        [crm.ws.id],
      )
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
    credits: async (): Promise<Row> => found(await crm.ws.get('/billing/credits')),
    entries: async (): Promise<Row[]> => found(await crm.ws.get('/billing/credits/entries?kind=charge')),
  }
  return helpers
}
