import type { Received } from '../../../http/modes.ts'
import { assertUtf8, parseBody, utf8In } from '../../../http/receive.ts'
import { readWhatsAppEvent, type WhatsAppEvent } from '../rules/events.ts'

/** What the provider of WhatsApp reports; undefined if it says nothing to this system. @throws INVALID_JSON. */
export function postedWhatsApp({ bytes, headers, now }: Received): { event: WhatsAppEvent | undefined } {
  const type = headers.get('content-type')
  assertUtf8(type)
  return { event: readWhatsAppEvent(parseBody(utf8In(bytes), type), now) }
}
