import { bookingsCopy } from '../kinds/copy-bookings.ts'
import { calendarsEnd, mailboxesEnd } from '../kinds/end-accounts.ts'
import { mediaFetch } from '../kinds/fetch-media.ts'
import { whatsappReact, whatsappRead } from '../kinds/mark-whatsapp.ts'
import { calendarsSync } from '../kinds/read-calendars.ts'
import { mailboxesSync } from '../kinds/read-mailboxes.ts'
import { notetakersRun } from '../kinds/run-notetakers.ts'
import { phoneAddresses, phoneBundles, phoneVoice } from '../kinds/sync-phone.ts'
import type { Kind } from './kind.ts'

/** The kinds of background work. */
export const KINDS = [
  mediaFetch,
  whatsappReact,
  whatsappRead,
  notetakersRun,
  bookingsCopy,
  calendarsSync,
  mailboxesSync,
  calendarsEnd,
  mailboxesEnd,
  phoneVoice,
  phoneAddresses,
  phoneBundles,
] as Kind<unknown>[]

const byName = new Map(KINDS.map((kind) => [kind.name, kind]))
export const KIND_NAMES = [...byName.keys()]

export function kindOf(name: string): Kind<unknown> {
  const kind = byName.get(name)
  if (!kind) throw new Error(`There is no kind of work named ${name}`)
  return kind
}
