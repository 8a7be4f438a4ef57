import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { refuseAlone } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { Channel } from '../provider/port.ts'
import { type CalendarAccess, kindOf, withToken } from './grants.ts'
import type { Held } from './sync.ts'

/**
 * Opens the channel of a calendar, or renews it before it expires. The former one is stopped afterwards, so that no change is missed. A
 * failure leaves the calendar to the readings every five minutes. `address`: where the provider posts its notifications.
 */
export async function keepChannel(access: CalendarAccess, held: Held, address: string): Promise<void> {
  if (!held.is_channel_due || !kindOf(access, held.provider).notifies) return
  const { workspace_id, id, claim, outside_id } = held
  const [channel_id, secret] = [newId(), Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')]
  const hash = toHex(await hashKey(secret))
  const [isHeld] = await batch(access.database, [call('begin_calendar_channel', workspace_id, id, claim, channel_id, hash)])
  if (!isHeld) return
  const settle = async (channel: Channel | null) => {
    const [former] = await batch(access.database, [
      call('settle_calendar_channel', workspace_id, id, channel_id, channel && JSON.stringify(channel)),
    ])
    return former as { id: string; resource_id: string } | null
  }
  const request = { channel_id, secret, address: `${address}/${held.provider}` }
  const watched = withToken(access, held, ({ calendars }, token) => calendars.watch(token, outside_id, request).catch(refuseAlone))
  const channel = await watched.catch(async (error) => {
    await settle(null)
    if (error instanceof AccountFailure) return null
    throw error
  })
  const former = channel && (await settle(channel))
  if (former) await stop(access, held, former)
}

/** Stops the channel of a calendar that is no longer used. */
export async function stopChannel(access: CalendarAccess, held: Held): Promise<void> {
  if (!held.channel) return
  await stop(access, held, held.channel)
  await batch(access.database, [call('drop_calendar_channel', held.workspace_id, held.id, held.claim)])
}

/** A channel that is not stopped expires by itself, and its notifications are not known any more. */
async function stop(access: CalendarAccess, held: Held, channel: { id: string; resource_id: string }): Promise<void> {
  await withToken(access, held, ({ calendars }, token) => calendars.unwatch(token, channel).catch(refuseAlone)).catch((error) => {
    if (!(error instanceof AccountFailure)) throw error
  })
}
