import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Multiline, Name, optional, pageQuery, SingleLine } from '../../../schemas/fields.ts'
import { pathOf } from '../../../schemas/filters.ts'
import { ContactPatch } from '../../contacts/schemas/contacts.ts'
import { NewOpportunity } from '../../opportunities/schemas/opportunities.ts'
import { PATH } from '../rules/mapping.ts'
import { INCOMING_ACTIONS, INCOMING_STATES, MAX_INCOMING_BODY, SAMPLES, SIGNATURE_ENCODINGS, WEBHOOK_STATUSES } from '../rules/states.ts'
import type { Mapping } from '../rules/types.ts'

const MAX_MAPPED = 100
const Path = v.pipe(
  v.string('must be a path in the payload'),
  v.maxLength(500, 'must be at most 500 characters long'),
  v.regex(PATH, 'must be a path in the payload, such as data.email or items.0.sku'),
  v.description('A path in the payload.'),
  v.examples(['data.email']),
)

/** The fields that each action can fill. */
export const TARGETS: Partial<Record<(typeof INCOMING_ACTIONS)[number], readonly string[]>> = {
  upsert_contact: Object.keys(ContactPatch.entries),
  create_opportunity: Object.keys(NewOpportunity.entries),
  start_automation: ['contact_id', 'customer_id', 'opportunity_id'],
}

const MAPPING =
  'For each field of the record, the path of its value in the payload, such as `data.email`, or `{"value": …}` for a value of its own. ' +
  '`metadata.<key>` fills a custom field. A field without a value in the payload is left as it is. ' +
  'An automation can be given contact_id, customer_id and opportunity_id.'
const MappingSchema = v.pipe(
  v.record(v.string(), v.union([Path, v.strictObject({ value: v.unknown() })], 'must be a path in the payload, or {"value": …}')),
  v.check((mapping) => Object.keys(mapping).length <= MAX_MAPPED, `must have at most ${MAX_MAPPED} fields`),
  v.transform((mapping) => mapping as Mapping),
  v.description(MAPPING),
  v.examples([{ email: 'data.email', first_name: 'data.name', source: { value: 'form_submission' } }]),
)

const fields = {
  name: describe(Name(120), 'What sends to it.', 'Website form'),
  description: optional(Multiline(2000)),
  action: Enum(
    INCOMING_ACTIONS,
    '`record_only`: requests are only stored, to see what they look like; `upsert_contact`: creates a contact or updates the one that ' +
      'matches; `create_opportunity`; `start_automation`: starts a run whose trigger data is the payload.',
  ),
  automation_id: optional(describe(Id, 'The automation that it starts.')),
  mapping: describe(v.optional(MappingSchema), MAPPING),
  match_on: optional(
    v.pipe(
      v.array(v.picklist(['external_id', 'email', 'phone'], 'must be one of: external_id, email, phone')),
      v.minLength(1, 'must contain at least one field'),
      v.maxLength(3, 'must contain each field once'),
      v.description('The fields by which a contact is matched, in this order. By default external_id, email, phone.'),
      v.examples([['email']]),
    ),
  ),
  id_path: optional(
    describe(
      Path,
      'Where the payload has the id of the message. A request with the same id is stored once. ' +
        'The headers webhook-id and Idempotency-Key are used without it; with a secret, the signed webhook-id or else the body itself.',
      'id',
    ),
  ),
  signature_header: optional(
    describe(
      v.pipe(SingleLine(100), v.regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header, such as X-Signature')),
      'The header with the signature, which is X-Signature by default.',
      'X-Hub-Signature-256',
    ),
  ),
  signature_encoding: v.optional(Enum(SIGNATURE_ENCODINGS, 'How the signature is written. Defaults to `hex`.')),
  signature_secret: optional(
    v.pipe(
      v.string('must be text'),
      v.minLength(8, 'must have at least 8 characters'),
      v.maxLength(500, 'must have at most 500 characters'),
      v.regex(/^[\x20-\x7e]+$/, 'must have printable ASCII characters only'),
      v.description(
        'With a secret, a request must be signed as Standard Webhooks defines it, at most five minutes ago, or have the HMAC-SHA256 of ' +
          'its body as its signature. A secret that begins with whsec_ is base64. It is never shown.',
      ),
      v.examples(['a secret that the sender knows']),
    ),
  ),
}

/** Names the fields that the action cannot fill. */
function mappingFaults({ action, mapping = {} }: { action?: string; mapping?: Mapping | undefined }): string | undefined {
  const targets = TARGETS[action as keyof typeof TARGETS]
  if (!targets) return undefined
  const unknown = Object.keys(mapping).find(
    (name) => !targets.includes(name) && !(name.startsWith('metadata.') && targets.includes('metadata')),
  )
  return unknown === undefined
    ? undefined
    : `${unknown.slice(0, 80)} is not a field that ${action} can fill: use ${targets.slice(0, 6).join(', ')} or others of its request`
}

export const NewIncomingWebhook = v.pipe(
  v.strictObject(fields),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { action, automation_id, mapping } = dataset.value
    const at = (path: string) => ({ path: pathOf(dataset.value, path) })
    if (action === 'start_automation' && !automation_id) addIssue({ message: 'Send the automation that it starts', ...at('automation_id') })
    const fault = mappingFaults({ action, mapping })
    if (fault) addIssue({ message: fault, ...at('mapping') })
  }),
)
export type NewIncomingWebhook = v.InferOutput<typeof NewIncomingWebhook>
export const IncomingWebhookPatch = v.strictObject({
  ...v.partial(v.object(fields)).entries,
  status: v.optional(Enum(WEBHOOK_STATUSES, 'A disabled webhook refuses requests.')),
})
export type IncomingWebhookPatch = v.InferOutput<typeof IncomingWebhookPatch>

const text = v.nullable(v.string())
export const IncomingWebhook = named(
  'IncomingWebhook',
  v.object({
    id: Id,
    name: v.string(),
    description: text,
    action: v.picklist(INCOMING_ACTIONS),
    automation_id: v.nullable(Id),
    mapping: v.pipe(v.record(v.string(), v.unknown()), v.examples([{ email: 'data.email' }])),
    match_on: v.pipe(v.nullable(v.array(v.string())), v.description('The fields by which a contact is matched.'), v.examples([null])),
    id_path: v.pipe(text, v.description('Where the payload has the id of the message.')),
    signature_header: v.pipe(text, v.description('The header with the signature; X-Signature if it is null.'), v.examples([null])),
    signature_encoding: Enum(SIGNATURE_ENCODINGS, 'How the signature is written.'),
    is_signed: v.pipe(v.boolean(), v.description('Whether requests must be signed.')),
    status: v.picklist(WEBHOOK_STATUSES),
    key_id: v.pipe(Id, v.description('The key whose rights it has: that of the last call that created or changed it.')),
    ...timestamps,
  }),
)
export type IncomingWebhook = v.InferOutput<typeof IncomingWebhook>
export const IssuedIncomingWebhook = named(
  'IssuedIncomingWebhook',
  v.object({
    ...IncomingWebhook.entries,
    path: v.pipe(
      text,
      v.description(
        'The path that requests are sent to, below the host of this API. It is shown only once: null when the request is replayed.',
      ),
      v.examples(['/v1/hooks/3f1b2c']),
    ),
  }),
)

export const incomingQuery = v.strictObject({ ...pageQuery })
const request = {
  id: Id,
  webhook_id: Id,
  message_id: v.pipe(text, v.description('The sender’s id of the message.')),
  state: Enum(INCOMING_STATES, '`held`: what it does waits for approval.'),
  result_id: v.pipe(v.nullable(Id), v.description('The record, the run of the automation, or the approval.')),
  error_code: text,
  error_message: text,
  has_payload: v.pipe(v.boolean(), v.description(`Whether the payload is kept: that of the last ${SAMPLES}.`)),
  created_at: InstantOut,
  ended_at: v.nullable(InstantOut),
}
export const IncomingRequest = named('IncomingRequest', v.object(request))
export const IncomingRequestDetails = named(
  'IncomingRequestDetails',
  v.object({
    ...request,
    payload: v.pipe(
      v.unknown(),
      v.description('The payload, as JSON. Null when it is no longer kept.'),
      v.examples([{ email: 'ana@example.com' }]),
    ),
  }),
)
export const ReceivedRequest = named(
  'ReceivedRequest',
  v.object({ id: Id, duplicate: v.pipe(v.boolean(), v.description('Whether a request with this id was received before.')) }),
)
export const INCOMING_LIMIT = `Up to ${MAX_INCOMING_BODY / 1024} KB of JSON, or a form.`
