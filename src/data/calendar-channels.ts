import { batch, type Database } from './batch.ts'
import { call } from './call.ts'

/** The channel of a notification, and SHA-256 of its secret. */
export type Notified = { channel: string; hash: string }

/** Has the calendars of channels read now, and returns those that there are. */
export async function notifyChannels(database: Database, notified: Notified[]): Promise<{ workspace_id: string; calendar_id: string }[]> {
  const found = await batch(
    database,
    notified.map(({ channel, hash }) => call('notify_calendar', channel, hash)),
  )
  return (found as ({ workspace_id: string; calendar_id: string } | null)[]).filter((one) => one !== null)
}
