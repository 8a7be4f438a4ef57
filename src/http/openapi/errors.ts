import { type ErrorCode, MAX_ISSUES, STATUS_OF } from '../../errors.ts'
import { MOST_OCCURRENCES } from '../../features/scheduling/rules/limits.ts'
import { CHECKS } from '../../features/scheduling/rules/slots.ts'
import { type JsonSchema, object, ref } from './schemas.ts'

const CODES = Object.keys(STATUS_OF) as ErrorCode[]

const text = (description: string, example?: string): JsonSchema => ({
  type: 'string',
  description,
  ...(example && { examples: [example] }),
})
const id = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description })
const whole = (description: string): JsonSchema => ({ type: 'integer', description })
const list = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description })

const Issue = {
  ...object(
    { path: text('The field or parameter, with dots and indices: `lines.0.price`.', 'email'), message: text('What to send instead.') },
    ['path', 'message'],
  ),
  description: 'One value that was refused.',
}

const issues = {
  issues: list(ref('Issue'), `The first ${MAX_ISSUES} issues.`),
  more_issues: whole('How many issues there are beyond those listed.'),
}
const scopes = (description: string) => list(ref('Scope'), description)

/** The fields of `details` by code. Other codes have no details. */
const DETAILS: Partial<Record<ErrorCode, { properties: JsonSchema; required?: string[] }>> = {
  VALIDATION_ERROR: {
    properties: {
      ...issues,
      missing_entities: list(
        object({ field: text('The field of the body.', 'contact_id'), id: id('The id, which names no record.') }, ['field', 'id']),
        'Of POST /email/send: the records that do not exist in this workspace.',
      ),
    },
    required: ['issues'],
  },
  EMAIL_LOG_FAILED: { properties: { message_id: text('The id of the message at the provider.') }, required: ['message_id'] },
  INSUFFICIENT_SCOPE: {
    properties: {
      required_scopes: scopes('The scopes that the call needs.'),
      missing_scopes: scopes('Those of them that the key lacks.'),
    },
    required: ['required_scopes', 'missing_scopes'],
  },
  FORBIDDEN: {
    properties: {
      role: text('The role of the key’s owner, when that is what forbids the call.', 'client_viewer'),
      required_scopes: scopes('The scopes that the call needs.'),
      missing_scopes: scopes('Those of them that the owner’s role lacks.'),
      ids: list({ type: 'string', format: 'uuid' }, 'The approval policies that forbid the call.'),
      policies: list({ type: 'string' }, 'The names of the approval policies in `ids`.'),
      owner_id: { ...id('The owner of the notepad, who decides who sees it.'), type: ['string', 'null'] },
    },
  },
  INVALID_ATTENDEE_EMAIL: { properties: { index: whole('The place of the address in attendees, from 0.') } },
  RECIPIENT_UNREACHABLE: {
    properties: {
      reason: text('Why: archived, no_address, unsubscribed, suppressed, premium_number, quiet_hours, or no_recipient.', 'unsubscribed'),
      next_allowed_at: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'The end of the quiet hours.',
        examples: ['2026-03-31T09:30:00.000Z'],
      },
    },
    required: ['reason'],
  },
  CHANNEL_NOT_CONFIGURED: { properties: { channel: text('The channel.', 'sms') } },
  INSUFFICIENT_CREDITS: {
    properties: { required: whole('What it costs.'), balance: whole('What is left.') },
    required: ['required', 'balance'],
  },
  SLOT_UNAVAILABLE: {
    properties: {
      nearest_before: {
        anyOf: [{ $ref: '#/components/schemas/Slot' }, { type: 'null' }],
        description: 'The nearest earlier time that is free.',
      },
      nearest_after: {
        anyOf: [{ $ref: '#/components/schemas/Slot' }, { type: 'null' }],
        description: 'The nearest later time that is free.',
      },
      unavailable: {
        type: 'array',
        maxItems: MOST_OCCURRENCES,
        items: {
          type: 'object',
          properties: {
            key: { type: 'string', description: 'The start on the wall clock.' },
            starts_at: { type: ['string', 'null'], format: 'date-time', description: 'The start. Null where the clock skips it.' },
            failed: { type: 'array', items: { type: 'string', enum: [...CHECKS] }, description: 'The rules that the time does not pass.' },
          },
          required: ['key', 'starts_at', 'failed'],
          additionalProperties: false,
        },
        description: 'Of a series: the occurrences that cannot be booked.',
      },
    },
  },
  NOT_FOUND: {
    properties: {
      merged_into: id('The record that the requested one was merged into.'),
      purged_at: { type: 'string', format: 'date-time', description: 'When the requested record was purged.' },
    },
  },
  RATE_LIMITED: {
    properties: {
      limit: text(
        'The limit that was reached: `default` or `sends` (of the key), `workspace`, `address`, `readers` (that wait for events), ' +
          'or `invitations` (of the workspace, in a day).',
        'default',
      ),
      retry_after: whole('The seconds of `Retry-After`, for a limit by the day.'),
    },
  },
  CONFLICT: {
    properties: {
      ...issues,
      constraint: text('The rule that refused the value.', 'products_sku_key'),
      referenced_by: text('What still refers to the record.', 'opportunities'),
      field: text('The field that refers to it, or whose value another record has.', 'external_id'),
      id: id('The record that has the value.'),
      role: text('The role that cannot be changed.', 'client_admin'),
      user_id: id('The person who is a member already.'),
      ids: list({ type: 'string', format: 'uuid' }, 'The records that cause it, or that match: at most ten.'),
      policies: list({ type: 'string' }, 'The names of the approval policies in `ids`.'),
      members: whole('The number of members with the role.'),
      import: text('The state of the import.', 'running'),
      usage: { type: 'object', additionalProperties: true, description: 'What the workspace uses of a limit.' },
      limits: { type: 'object', additionalProperties: true, description: 'The limits of the workspace.' },
      reason: text('Why the record cannot be enrolled.', 'already_enrolled'),
      section_ids: list({ type: 'string', format: 'uuid' }, 'The sections that the template has now, in order.'),
      paths: list({ type: 'array', items: { type: 'string' } }, 'The whole paths of the sections that have the heading.'),
    },
  },
  INVALID_STATE: {
    properties: {
      state: text('The state of the record.', 'sent'),
      allowed: list({ type: 'string' }, 'The states in which the call is possible.'),
      merge_id: id('The later merge to undo first.'),
      merged_into: id('The record that the winner was merged into since.'),
    },
    required: ['state', 'allowed'],
  },
  CURSOR_EXPIRED: {
    properties: { oldest: text('The cursor before the oldest event that can still be read.') },
    required: ['oldest'],
  },
  PRECONDITION_FAILED: { properties: { version: whole('The version that the record has now.') }, required: ['version'] },
  UNSUPPORTED_MEDIA_TYPE: { properties: { allowed: list({ type: 'string' }, 'The media types that are accepted.') } },
  KNOWLEDGE_PROVIDER_UNAVAILABLE: {
    properties: { provider: text('The provider that cannot be reached.', 'voice'), reason: text('What went wrong.') },
  },
  PROVIDER_ERROR: {
    properties: {
      provider: text('The provider that failed.', 'email'),
      message_id: id('The entry of the email log.'),
      reason: text('What the provider said.'),
    },
  },
}

const pascal = (code: string) => code.replace(/(^|_)([A-Z])([A-Z]*)/g, (_, __, first: string, rest: string) => first + rest.toLowerCase())

/** `NotFoundError` for `NOT_FOUND`. */
export const errorName = (code: ErrorCode): string => `${pascal(code).replace(/Error$/, '')}Error`

function errorOf(code: ErrorCode): JsonSchema {
  const details = DETAILS[code]
  const required = ['code', 'message', ...(details?.required ? ['details'] : []), 'request_id', 'docs_url']
  return {
    ...object(
      {
        code: { const: code, type: 'string', description: 'Identifies the error. Unlike the message, it never changes.' },
        message: text('What is wrong and what to do about it, for a developer.'),
        ...(details && {
          details: { ...object(details.properties, details.required ?? []), description: `Facts about the error that a program can use.` },
        }),
        request_id: id('The request. Quote it when you ask for help.'),
        docs_url: {
          type: 'string',
          format: 'uri-reference',
          description: 'What causes this error and what to do about it, on the server that responded.',
        },
      },
      required,
    ),
    description: `Status ${STATUS_OF[code]}: ${WHEN[code]}`,
  }
}

/** The envelope of an error with one of these codes, distinguished by `code`. */
export function envelopeOfErrors(codes: ErrorCode[]): JsonSchema {
  const mapping = Object.fromEntries(codes.map((code) => [code, ref(errorName(code)).$ref]))
  const [only, ...others] = codes.map((code) => ref(errorName(code))) as [JsonSchema, ...JsonSchema[]]
  const error = {
    oneOf: [only, ...others],
    discriminator: { propertyName: 'code', mapping },
    description: 'The error. Its `code` says which details it has.',
  }
  return object({ error: others.length === 0 ? only : error }, ['error'])
}

/** One schema for each code, and the envelope that holds any of them. */
export function errorSchemas(): Record<string, JsonSchema> {
  return {
    ApiError: { ...envelopeOfErrors(CODES), description: 'Every response with a status of 400 or above.' },
    Issue,
    ...Object.fromEntries(CODES.map((code) => [errorName(code), errorOf(code)])),
  }
}

/** The condition of each error, for the descriptions of responses. */
export const WHEN: Record<ErrorCode, string> = {
  VALIDATION_ERROR:
    'a field or parameter is unknown, missing or not valid, or names a record that does not exist. ' +
    '`details.issues` lists the first 100 `{path, message}`; `details.more_issues` counts the others.',
  INVALID_JSON: 'the body is not JSON.',
  INVALID_EMAIL: 'the email address of the booker is not valid.',
  INVALID_ATTENDEE_EMAIL: 'the email address of an attendee is not valid. `details.index` says which.',
  FROM_EMAIL_NOT_WRITABLE: 'the request sends from_email, which is made of from_email_handle.',
  INVALID_FROM_EMAIL_HANDLE: 'from_email_handle is not the local part of an address, or is reserved.',
  ALIAS_NOT_CONNECTED: 'the address is no send-as address of a connected mailbox.',
  MAILBOX_NOT_CONNECTED: 'the member has not connected a mailbox of their own.',
  MAILBOX_USER_REQUIRED: 'a mailbox is to be used, and the request does not say whose.',
  INSUFFICIENT_CREDITS: 'the workspace has fewer credits than the message costs; nothing is sent.',
  UNAUTHENTICATED: 'the key is missing, malformed, unknown, expired or revoked.',
  INVALID_SIGNATURE: 'the key is valid, but the signature of a provider does not match the secret that is stored for it, or is too old.',
  INSUFFICIENT_SCOPE: 'the key lacks a scope. `details.required_scopes` and `details.missing_scopes` name them.',
  FORBIDDEN: 'the key’s level or its owner’s role does not allow it.',
  NOT_FOUND:
    'the record or path does not exist. `details.merged_into` names the record that a merged one is part of now; ' +
    '`details.purged_at` is the time of a purge.',
  METHOD_NOT_ALLOWED: 'the path has no such method; `Allow` lists those that it has.',
  CONFLICT:
    'another record has a value that must be unique (`details.field` and `details.id` name the field and the record), ' +
    'or still refers to this one.',
  INVALID_STATE: 'the record’s state does not allow it. `details.state` and `details.allowed` say why.',
  APPROVAL_STALE: 'the record changed, or its conversation went on, after the approval was requested.',
  SLOT_UNAVAILABLE: 'the time cannot be booked. `details.nearest_before` and `details.nearest_after` are the nearest times that can.',
  RECIPIENT_UNREACHABLE:
    'the contact cannot be reached through this channel now. ' +
    '`details.reason` says why, and `details.next_allowed_at` when quiet hours end.',
  CHANNEL_NOT_CONFIGURED: 'this service cannot send through the channel.',
  IDEMPOTENCY_IN_PROGRESS: 'the first request with this Idempotency-Key is still running.',
  CURSOR_EXPIRED:
    'the cursor is older than the events that are kept, so some may have been missed. ' +
    'Read the records again; `details.oldest` continues with the oldest event.',
  PRECONDITION_FAILED: 'the record has another version than `If-Match` names. `details.version` is the current one.',
  PAYLOAD_TOO_LARGE: 'the body is larger than 1 MB, or a file larger than its own limit.',
  ATTACHMENTS_TOO_LARGE:
    'the files of the email are larger than the mail provider accepts. `details.size` has their size in base64, `details.max` the limit.',
  UNSUPPORTED_MEDIA_TYPE:
    'the body is not declared as `application/json`, an upload not as `multipart/form-data`, or a file has a type that is not accepted.',
  EMAIL_LOG_FAILED:
    'the email was delivered, but that could not be recorded. Do not send it again: the record follows within minutes. ' +
    '`details.message_id` is the id at the provider.',
  IDEMPOTENCY_KEY_REUSED: 'this Idempotency-Key was used for another request.',
  RATE_LIMITED:
    'too many requests with this key, in this workspace, or from this address without a valid key or to paths that do not exist: ' +
    'wait as long as `Retry-After` says.',
  INTERNAL: 'something went wrong on our side. Quote `request_id`.',
  KNOWLEDGE_PROVIDER_UNAVAILABLE: 'the voice provider cannot be reached for its knowledge bases. Nothing was changed: try again later.',
  PROVIDER_ERROR: 'an outside provider failed. `details.provider` names it.',
  UNAVAILABLE:
    'the database is temporarily unavailable or the record is busy: try again after `Retry-After` seconds. ' +
    'Without this header the request asked for more than the time allows: ask for less at once.',
}
