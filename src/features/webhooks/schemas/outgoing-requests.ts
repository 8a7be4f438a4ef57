import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, SingleLine } from '../../../schemas/fields.ts'
import { PATH } from '../rules/mapping.ts'
import { OUTGOING_METHODS, OUTGOING_STATES } from '../rules/states.ts'

/** The largest body of a request, in characters of JSON. */
const MAX_BODY = 100_000

export const outgoingFields = {
  method: Enum(OUTGOING_METHODS, 'The method.'),
  url: describe(SingleLine(2000), 'A public web address.', 'https://example.com/orders'),
  headers: v.optional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/, 'must be the name of a header: letters, digits, - and _')),
        SingleLine(2000),
        'must be an object',
      ),
      v.check((headers) => Object.keys(headers).length <= 30, 'must be at most 30 headers'),
      v.description('Headers by name.'),
      v.examples([{ accept: 'application/json' }]),
    ),
  ),
  body: v.optional(
    v.pipe(
      v.union([v.string(), v.record(v.string(), v.unknown()), v.array(v.unknown())], 'must be text, an object or a list'),
      v.check((body) => JSON.stringify(body).length <= MAX_BODY, `must be at most ${MAX_BODY} characters of JSON`),
      v.description('The body: text as it is, and anything else as JSON.'),
      v.examples([{ order: 17 }]),
    ),
  ),
  webhook_id: v.optional(describe(Id, 'Signs the request with the secret of this webhook, as its deliveries are signed.')),
}
/** What an HTTP step returns of a response. */
export const requestOutput = v.optional(
  v.pipe(
    v.record(
      v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be up to 40 small letters, digits and underscores')),
      v.pipe(v.string(), v.regex(PATH, 'must be a path such as data.items.0.id'), v.maxLength(500)),
      'must be an object',
    ),
    v.check((output) => Object.keys(output).length <= 30, 'must be at most 30 values'),
    v.description('For each name in the output, the path of its value in the JSON of the response.'),
    v.examples([{ order_id: 'data.id' }]),
  ),
)
export const NewOutgoingRequest = v.pipe(
  v.strictObject(outgoingFields),
  v.forward(
    v.partialCheck([['method'], ['body']], ({ method, body }) => method !== 'GET' || body === undefined, 'A GET request has no body'),
    ['body'],
  ),
)
export type NewOutgoingRequest = v.InferOutput<typeof NewOutgoingRequest>

export const OutgoingRequest = named(
  'OutgoingRequest',
  v.object({
    id: Id,
    method: v.picklist(OUTGOING_METHODS),
    url: v.pipe(v.string(), v.description('The web address.'), v.examples(['https://example.com/orders'])),
    webhook_id: v.nullable(Id),
    state: v.pipe(v.picklist(OUTGOING_STATES), v.description('`done`: the other service returned a status of 2xx.')),
    attempts: v.pipe(v.number(), v.integer(), v.description('How often it was sent, always with the same Idempotency-Key: its id.')),
    response: v.pipe(
      v.nullable(
        v.object({
          status: v.pipe(v.number(), v.integer()),
          headers: v.pipe(
            v.record(v.string(), v.string()),
            v.description('Headers of the response, without those that may hold secrets.'),
            v.examples([{ 'content-type': 'application/json' }]),
          ),
          body: v.string(),
          truncated: v.pipe(v.boolean(), v.description('Whether there was more.')),
        }),
      ),
      v.description('The latest response. At most 64 KB of its body are read.'),
    ),
    error: v.pipe(v.nullable(v.object({ code: v.string(), message: v.string() })), v.description('Why the latest attempt failed.')),
    created_at: InstantOut,
    ended_at: v.nullable(InstantOut),
  }),
)
export type OutgoingRequest = v.InferOutput<typeof OutgoingRequest>
export const outgoingFilters = { state: v.optional(Enum(OUTGOING_STATES)) }
