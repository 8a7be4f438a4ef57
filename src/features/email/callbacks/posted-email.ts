import { invalid } from '../../../errors.ts'
import type { Received } from '../../../http/modes.ts'
import { assertUtf8, parseBody, utf8In } from '../../../http/receive.ts'

const MAX_ID = 100

/** An email as the mail provider posts it: its bytes, and the provider's id of it. @throws VALIDATION_ERROR without an id. */
export function postedEmail({ bytes, headers }: Received): { bytes: Uint8Array; message_id: string } {
  const type = headers.get('content-type')
  assertUtf8(type)
  const posted = parseBody(utf8In(bytes), type)
  const message_id = (posted as { MessageID?: unknown } | null)?.MessageID
  if (typeof message_id !== 'string' || !/^[\x21-\x7e]+$/.test(message_id) || message_id.length > MAX_ID)
    throw invalid([{ path: 'MessageID', message: 'Required: the id of the email, as Postmark posts it' }])
  return { bytes, message_id }
}
