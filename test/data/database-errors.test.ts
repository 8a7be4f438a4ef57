import { describe, expect, test } from 'vitest'
import { type DbError, failureKind, translate } from '../../src/data/database-errors.ts'
import { AppError } from '../../src/errors.ts'

const neonError = (fields: Partial<DbError>): DbError =>
  Object.assign(new Error(fields.message ?? 'an error'), { name: 'NeonDbError' }, fields)
const withStatus = (status: number, body: string) => neonError({ message: `Server error (HTTP status ${status}): ${body}` })

describe('by SQLSTATE', () => {
  test.each([
    ['deadlock, after several attempts', '40P01', 'busy'],
    ['serialization failure', '40001', 'busy'],
    ['lock_timeout', '55P03', 'busy'],
    ['statement_timeout', '57014', 'slow'],
    ['transaction_timeout', '25P04', 'unavailable'],
    ['idle_in_transaction_session_timeout', '25P03', 'unavailable'],
    ['connection failure', '08006', 'unavailable'],
    ['too many connections', '53300', 'unavailable'],
    ['disk full', '53100', 'unavailable'],
    ['shutdown by an administrator', '57P01', 'unavailable'],
    ['crash', '57P02', 'unavailable'],
    ['starting up', '57P03', 'unavailable'],
    ['input or output failed', '58030', 'unavailable'],
    ['wrong password', '28P01', 'fault'],
    ['unknown role', '28000', 'fault'],
    ['unknown database', '3D000', 'fault'],
    ['database dropped', '57P04', 'fault'],
    ['missing privileges', '42501', 'fault'],
    ['syntax error', '42601', 'fault'],
    ['unknown table', '42P01', 'fault'],
    ['protocol violation', '08P01', 'fault'],
    ['statement too complex', '54001', 'fault'],
    ['data corrupted', 'XX001', 'fault'],
    ['raised by PL/pgSQL', 'P0001', 'fault'],
    ['a read-only transaction', '25006', 'fault'],
  ])('%s (%s): %s', (_, code, kind) => expect(failureKind(neonError({ code }))).toBe(kind))
})

describe('without a SQLSTATE', () => {
  test.each([
    ['the endpoint is not reached', neonError({ sourceError: new TypeError('fetch failed') }), 'unavailable'],
    ['the response is cut off', new SyntaxError('Unexpected end of JSON input'), 'unavailable'],
    ['the session ended', neonError({ message: 'connection closed' }), 'unavailable'],
    ['the session ended during a message', neonError({ message: 'error communicating with the server: broken pipe' }), 'unavailable'],
    ['the endpoint cancelled it', neonError({ message: 'Query cancelled, connection was terminated', code: '08P01' }), 'unavailable'],
    [
      'too many connections',
      withStatus(500, '{"message":"Too many connections to this endpoint. Please try again later.","code":null}'),
      'unavailable',
    ],
    ['too many connections in PostgreSQL', withStatus(500, '{"message":"too many clients already","code":"53300"}'), 'unavailable'],
    ['too many requests', withStatus(429, ''), 'unavailable'],
    ['a gateway', withStatus(502, '<html>Bad gateway</html>'), 'unavailable'],
    ['Cloudflare', withStatus(522, 'error code: 522'), 'unavailable'],
    ['a wrong password', neonError({ message: "password authentication failed for user 'app'" }), 'fault'],
    [
      'another refusal of a login',
      neonError({ message: 'This IP address 192.0.2.1 is not allowed to connect to this endpoint.' }),
      'fault',
    ],
    ['an unknown database', withStatus(500, '{"message":"database \\"x\\" does not exist","code":"3D000"}'), 'fault'],
    [
      'a quota',
      withStatus(500, '{"message":"Your account or project has exceeded the compute time quota. Upgrade your plan to increase limits."}'),
      'fault',
    ],
    ['a response too large', withStatus(507, '{"message":"response is too large (max is 10485760 bytes)","code":null}'), 'fault'],
    ['a request too large', withStatus(413, '{"message":"request is too large (max is 10485760 bytes)"}'), 'fault'],
    ['an unknown path', withStatus(404, 'Not found'), 'fault'],
    [
      'a wrong DATABASE_URL',
      neonError({ message: 'Wrong URL scheme or missing user, host or database in connection parameters' }),
      'fault',
    ],
  ])('%s', (_, error, kind) => expect(failureKind(error as DbError)).toBe(kind))
})

test('what takes too long is 503 without Retry-After: it would take as long again', () => {
  expect(translate(neonError({ code: '57014' }))).toMatchObject({
    code: 'UNAVAILABLE',
    retryAfter: undefined,
    message: expect.stringContaining('ask for less'),
  })
})

test('what passes is 503 with Retry-After, a fault stays as it is', () => {
  const passing = [neonError({ code: '55P03' }), withStatus(503, '')].map(translate) as AppError[]
  expect(passing).toMatchObject([
    { code: 'UNAVAILABLE', retryAfter: 1 },
    { code: 'UNAVAILABLE', retryAfter: 2 },
  ])
  const fault = neonError({ code: '42501' })
  expect(translate(fault)).toBe(fault)
  expect(passing.every((error) => error instanceof AppError)).toBe(true)
})

test.each([
  [
    { code: '23503', constraint: 'contacts.customer_id', message: 'insert or update on table "contacts" …' },
    'VALIDATION_ERROR',
    'customer_id',
  ],
  [{ code: '23503', constraint: 'contacts.customer_id', message: 'update or delete on table "companies" …' }, 'CONFLICT', 'contacts'],
  [{ code: '23505', table: 'contacts', constraint: 'contacts_external_id_key' }, 'CONFLICT', 'external_id'],
  [{ code: '23514', constraint: 'slug_is_clean' }, 'VALIDATION_ERROR', 'slug_is_clean'],
  [{ code: '23502', column: 'name' }, 'VALIDATION_ERROR', 'name'],
  [{ code: '22003', column: 'value' }, 'VALIDATION_ERROR', 'value'],
  [{ code: 'WK000', detail: '{"code":"NOT_FOUND","details":{"id":"x"}}' }, 'NOT_FOUND', 'x'],
])('an error of the caller names the field: %j', (fields, code, named) => {
  const error = translate(neonError(fields)) as AppError
  expect(error.code).toBe(code)
  expect(JSON.stringify([error.message, error.details])).toContain(named)
})
