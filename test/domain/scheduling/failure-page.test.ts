import { expect, test } from 'vitest'
import { AppError, type ErrorCode, STATUS_OF } from '../../../src/errors.ts'
import { failurePage } from '../../../src/features/scheduling/plans/page-visits.ts'

const UNKNOWN = [404, 'This page does not exist'] as const
const CHANGED = [409, 'This could not be done'] as const
/** What the page says of an error; of every other one, that something went wrong. */
const SAID: Partial<Record<ErrorCode, readonly [status: number, title: string]>> = {
  UNAUTHENTICATED: UNKNOWN,
  NOT_FOUND: UNKNOWN,
  VALIDATION_ERROR: UNKNOWN,
  RATE_LIMITED: [429, 'Too many requests'],
  CONFLICT: CHANGED,
  INVALID_STATE: CHANGED,
  FORBIDDEN: CHANGED,
  SLOT_UNAVAILABLE: CHANGED,
}

test.each(Object.entries(STATUS_OF))('the page for %s has its status and says what has happened', (name, own) => {
  const code = name as ErrorCode
  const { status, text } = failurePage(new AppError(code, 'It fails'), { url: 'https://api.test/book/acme', headers: new Headers() })
  const [expected, title] = SAID[code] ?? [own, 'Something went wrong']
  expect([status, text.includes(title)]).toEqual([expected, true])
  expect(text).not.toContain('It fails')
})

test.each([
  ['iframe', '*'],
  ['document', "'none'"],
])('the page for an error in a %s may be framed by %s, and is in the requested language', (where, ancestors) => {
  const headers = new Headers({ 'sec-fetch-dest': where, 'accept-language': 'de' })
  const page = (query: string) => failurePage(new AppError('NOT_FOUND', ''), { url: `https://api.test/book/acme${query}`, headers })
  expect(JSON.stringify(page('').headers)).toContain(`frame-ancestors ${ancestors}`)
  expect(page('').text).toContain('Diese Seite gibt es nicht')
  expect(page('?lang=en').text).toContain('This page does not exist')
})
