import { AppError } from '../../../errors.ts'
import type { Typed } from '../rules/form-fields.ts'

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/**
 * The fields of a form in either of its encodings, because mail programs choose one when they unsubscribe (RFC 8058). Undefined for
 * anything else.
 */
export async function readAnyForm({ bytes, headers }: { bytes: Uint8Array; headers: Headers }): Promise<Typed | undefined> {
  const body = new Response(bytes as BodyInit, { headers: { 'content-type': headers.get('content-type') ?? '' } })
  const form = await body.formData().catch(() => undefined)
  return form && Object.fromEntries([...form].map(([name, value]) => [name, String(value)]))
}

/** The fields of a page's form; of a field that is sent twice, the last one. @throws UNSUPPORTED_MEDIA_TYPE */
export function readFields({ bytes, headers }: { bytes: Uint8Array; headers: Headers }): Typed {
  if (!FORM.test(headers.get('content-type') ?? '')) throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as a form')
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)))
}
