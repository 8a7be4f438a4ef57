import { invalid } from '../errors.ts'
import { findUncleanJson } from '../lib/text.ts'
import type { Received } from './modes.ts'
import { assertUtf8, parseBody, parseForm, utf8In } from './receive.ts'

const MAX_DEPTH = 20

/** A body that is JSON or a form: its bytes, for a signature, and its value. @throws VALIDATION_ERROR for what cannot be stored. */
export function jsonOrForm({ bytes, headers }: Received): { bytes: Uint8Array; payload: unknown; headers: Headers } {
  const type = headers.get('content-type')
  assertUtf8(type)
  const text = utf8In(bytes)
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '')
  const payload = isForm ? { ...parseForm(text, type) } : parseBody(text, type)
  const fault = findUncleanJson(payload, MAX_DEPTH)
  if (fault !== undefined)
    throw invalid([{ path: fault, message: `cannot be stored: malformed text, or objects nested deeper than ${MAX_DEPTH}` }])
  return { bytes, payload, headers }
}
