import { AppError } from '../../../errors.ts'
import type { Typed } from '../rules/form-fields.ts'

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** The fields of a page's form; of a field that is sent twice, the last one. @throws UNSUPPORTED_MEDIA_TYPE */
export function readFields({ bytes, headers }: { bytes: Uint8Array; headers: Headers }): Typed {
  if (!FORM.test(headers.get('content-type') ?? '')) throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as a form')
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)))
}
