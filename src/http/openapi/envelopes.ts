import { errorSchemas } from './errors.ts'
import { type JsonSchema, object, ref } from './schemas.ts'

const header = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({ description, schema })

export const HEADERS: Record<string, JsonSchema> = {
  'X-Request-Id': header('Identifies this request in the logs and in `GET /requests/{request_id}`.', { type: 'string', format: 'uuid' }),
  ETag: header(
    'The record’s version, such as `"3"`: send it as If-Match with a later write. Of a list, a digest of its content: ' +
      'send it as If-None-Match with a later read, which then returns 304 if nothing has changed.',
  ),
  Location: header('The address of the new record, or of the approval.'),
  'Idempotency-Replayed': header('`true` when this is the response to an earlier request with the same Idempotency-Key.'),
  Deprecation: header('`true`: this path is deprecated.'),
  Link: header('The path to use instead, as `rel="successor-version"`.'),
  'X-Truncated': header('`1` when there are more rows than the response has.'),
  'Retry-After': header('Seconds to wait.', { type: 'integer' }),
  'WWW-Authenticate': header('How to authenticate: `Bearer realm="Workspace CRM"`.'),
  'RateLimit-Policy': header(
    'The limits that apply to the caller, such as `"default";q=100;w=10`: 100 requests in 10 seconds. ' +
      'Of a refused request, the limit that was reached.',
  ),
  RateLimit: header('The limit that was reached, and the seconds to wait: `"default";r=0;t=10`.'),
}

const text = (description: string): JsonSchema => ({ type: 'string', description })
const id = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description })

/** The schemas of what surrounds a record. */
export const ENVELOPES: Record<string, JsonSchema> = {
  ...errorSchemas(),
  Page: {
    ...object(
      {
        limit: { type: 'integer', description: 'The maximum number of items on a page.' },
        next: { type: ['string', 'null'], description: 'The cursor of the next page: send it as `after`. Null on the last page.' },
        has_more: {
          type: 'boolean',
          description: 'Only of events in ascending order, whose every page has `next`: whether the next page has events already.',
        },
        synced_until: {
          type: 'string',
          format: 'date-time',
          description:
            'Only of a list in the order of `updated_at`: send it as `updated_after` of the next read. ' +
            'It is the same on every page, and slightly in the past: no change before it is missing.',
        },
        count: {
          type: 'integer',
          description:
            'Only with `count=true`: the number of matching records, or if `count_exact` is false, the number that was counted of them.',
        },
        count_exact: { type: 'boolean', description: 'Only with `count=true`: false if there are more records than `count`.' },
      },
      ['limit', 'next'],
    ),
    description: 'The size of a page, and the cursor of the next one.',
  },
  Warning: {
    ...object(
      {
        code: text('Identifies the kind of warning.'),
        field: text('The field that was left out or adjusted.'),
        message: text('What happened to it and why.'),
        details: { description: 'Facts about the warning that a program can use.' },
      },
      ['code', 'field', 'message'],
    ),
    description: 'A value that was left out or adjusted. The rest of the request was executed.',
  },
  PendingApproval: {
    ...object(
      {
        approval_id: id('The approval: see `GET /approvals/{approval_id}`.'),
        status: { const: 'pending', type: 'string', description: 'The write waits for approval.' },
      },
      ['approval_id', 'status'],
    ),
    description: 'Status 202: the write waits for approval. Nothing has been changed.',
  },
  DryRun: {
    ...object(
      {
        changes: {
          type: 'array',
          description: 'The changes that the call would have made.',
          items: object(
            {
              entity: text('The kind of record.'),
              entity_id: id('The record.'),
              action: { type: 'string', enum: ['created', 'updated', 'deleted'], description: 'What would happen to the record.' },
              version: { type: 'integer', description: 'The version that the record would have.' },
              fields: { type: 'object', additionalProperties: true, description: 'Field by field, before and after.' },
            },
            ['entity', 'entity_id', 'action', 'version', 'fields'],
          ),
        },
        events: {
          type: 'array',
          description: 'The events that the call would have caused.',
          items: object({ type: ref('EventType'), entity: text('The kind of record.'), entity_id: id('The record.') }, [
            'type',
            'entity',
            'entity_id',
          ]),
        },
      },
      ['changes', 'events'],
    ),
    description: 'Only with `dry_run=true`: the changes and events that the call would have made. Nothing was changed.',
  },
}
