import { RECORDS } from '../../../dev/dns-emulator.ts'

/** An answer that a provider documents, or that a client tells from others: its status and body. */
export type Refusal = readonly [status: number, body: unknown]

/** The status with the values of the body. */
export const nameOf = (status: number, body: unknown): string => [status, ...new Set(valuesIn(body))].join(' ')

const valuesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : value === FAILS ? [] : [JSON.stringify(value)]

const FAILS = 'It fails'
const emailCodes = [0, 10, 300, 400, 401, 402, 403, 405, 406, 409, 410, 411, 412, 429]
const google = (reason: string) => ({ error: { code: 403, message: FAILS, errors: [{ reason, domain: 'global' }] } })
const googleReasons = [
  ...['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded', 'calendarUsageLimitsExceeded'],
  ...['forbiddenForNonOrganizer', 'insufficientPermissions'],
]
const oauthErrors = ['invalid_grant', 'interaction_required', 'consent_required', 'invalid_client']
const grants: Refusal[] = [
  ...oauthErrors.map((error) => [400, { error, error_description: FAILS }] as const),
  [500, { error: 'invalid_grant', error_description: FAILS }],
]
const graphCodes = ['syncStateNotFound', 'syncStateInvalid', 'resyncRequired', 'fullSyncRequired', 'ErrorItemNotFound', 'ErrorAccessDenied']
const tokenErrors = [
  ...['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate', 'missing-input-secret', 'invalid-input-secret'],
  ...['bad-request', 'internal-error'],
]

/** Answers beyond those of a status alone, by the name of the provider's emulator. */
export const REFUSALS: Record<string, readonly Refusal[]> = {
  email: [
    ...emailCodes.map((ErrorCode) => [422, { ErrorCode, Message: FAILS }] as const),
    [200, { ErrorCode: 0, Message: 'OK', MessageID: 'm-1' }],
    [200, { ErrorCode: 0, Message: 'OK', MessageID: '' }],
    [200, { ErrorCode: 406, Message: 'OK', MessageID: 'm-1' }],
    [201, { ErrorCode: 0, Message: 'OK', MessageID: 'm-1' }],
    [422, {}],
    ...[0, 300, 406, 412].map(
      (code) => [200, [0, code, 0].map((ErrorCode, n) => ({ ErrorCode, Message: null, MessageID: `m-${n}` }))] as const,
    ),
    [200, [{ ErrorCode: 0, Message: 'OK', MessageID: 'm-1' }]],
  ],
  sms: [
    [400, { code: 21211, message: 'The number is invalid' }],
    [400, {}],
    [201, { sid: 'SM1' }],
    [200, { sid: 'SM1' }],
    [201, { sid: '' }],
  ],
  voice: [
    [422, { message: 'Cannot find requested asset under given api key' }],
    [422, { error_message: 'cannot find it' }],
    [400, { message: 'Cannot find it' }],
    [404, {}],
  ],
  whatsapp: [
    [400, { status: 400, response: { message: [{ exists: false, jid: '1@s.whatsapp.net', number: '1' }] } }],
    [400, { status: 400, response: { message: [{ exists: true, number: '1' }] } }],
    [404, { status: 404, response: { message: [{ exists: false, number: '1' }] } }],
    [400, { status: 400, response: { message: FAILS } }],
    [403, { status: 403, error: 'Forbidden', response: { message: ['This name is already in use'] } }],
  ],
  google: [...googleReasons.map((reason) => [403, google(reason)] as const), [400, google('rateLimitExceeded')], ...grants],
  microsoft: [
    ...graphCodes.map((code) => [400, { error: { code, message: FAILS } }] as const),
    [404, { error: { code: 'syncStateNotFound', message: FAILS } }],
    ...grants,
  ],
  stripe: [
    [400, { error: { type: 'invalid_request_error', code: 'parameter_invalid_integer', param: 'line_items[0]', message: FAILS } }],
    [402, { error: { type: 'card_error', code: 'card_declined', message: FAILS } }],
    [409, { error: { type: 'idempotency_error', message: FAILS } }],
  ],
  turnstile: [
    ...tokenErrors.map((code) => [200, { success: false, 'error-codes': [code] }] as const),
    [200, { success: false, 'error-codes': [] }],
    [200, { success: false, 'error-codes': ['invalid-input-response', 'invalid-input-secret'] }],
    [200, { success: true, action: 'another', hostname: 'elsewhere.example.com' }],
    [400, { success: false, 'error-codes': ['invalid-input-response'] }],
  ],
  dns: [
    [200, { Status: 0 }],
    [200, { Status: 3 }],
    [200, { Status: 2, [RECORDS]: [] }],
  ],
  speech: [[400, { err_code: 'Bad Request', err_msg: 'The audio is corrupt' }]],
}
