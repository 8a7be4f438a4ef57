import * as v from 'valibot'
import { APPROVAL_STATUSES } from '../../../domain/access.ts'
import { BulkIds } from '../../../schemas/bulk.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Id, InstantOut, Multiline, optional, SingleLine } from '../../../schemas/fields.ts'
import { EVIDENCE_TYPES } from '../rules/proposals.ts'

const Text = v.nullable(v.string())

export const Evidence = named(
  'Evidence',
  v.object({
    type: v.pipe(v.string(), v.description('What kind of thing it is.'), v.examples([EVIDENCE_TYPES[0]])),
    id: v.nullable(v.string()),
    url: v.pipe(Text, v.description('The address of a page.')),
    quote: v.pipe(Text, v.description('What it says, word for word.')),
  }),
)
const HeldRequest = v.object({
  params: v.record(v.string(), v.string()),
  query: v.record(v.string(), v.string()),
  body: v.optional(v.unknown()),
})
const HeldChanges = v.array(
  v.object({
    entity: v.string(),
    entity_id: Id,
    action: v.picklist(['created', 'updated', 'deleted']),
    version: v.pipe(v.number(), v.integer()),
    fields: v.record(v.string(), v.object({ before: v.optional(v.unknown()), after: v.optional(v.unknown()) })),
  }),
)

export const Approval = named(
  'Approval',
  v.object({
    id: Id,
    status: v.picklist(APPROVAL_STATUSES),
    resource: v.pipe(v.string(), v.description('The first segment of the path, such as contacts.'), v.examples(['contacts'])),
    method: v.string(),
    path: v.pipe(v.string(), v.description('The path of the endpoint, with :name for its parameters.')),
    request: v.pipe(HeldRequest, v.description('The request, as it was last edited.')),
    changes: v.pipe(
      HeldChanges,
      v.description('The changes that the request would have made when the approval was requested or edited, field by field.'),
    ),
    original: v.pipe(
      v.nullable(v.object({ request: v.pipe(HeldRequest, v.description('The request as it was made.')), changes: HeldChanges })),
      v.description('The request and its changes from before it was edited; null if it never was.'),
    ),
    proposal: v.pipe(
      v.nullable(
        v.object({
          id: Id,
          operation_id: v.pipe(v.string(), v.description('The operationId of the request.'), v.examples(['createContact'])),
          reason: v.string(),
          evidence: v.pipe(v.array(Evidence), v.description('What the reason relies on.')),
        }),
      ),
      v.description('Why an agent has proposed the request; null for one that was no proposal.'),
    ),
    edited_by: v.pipe(v.nullable(Id), v.description('The user who edited the request last.')),
    edited_key_id: v.pipe(v.nullable(Id), v.description('The key that edited the request last.')),
    edited_at: v.nullable(InstantOut),
    key_id: Id,
    requested_by: v.pipe(Id, v.description('The user who owns the key of the request.')),
    required_scopes: v.pipe(
      v.nullable(v.array(v.string())),
      v.description(
        'The scopes that the request needs, and that its approver needs too. Null for an approval that was created before this field.',
      ),
    ),
    requires_admin: v.pipe(v.boolean(), v.description('Whether the request, and so its approval, takes a client_admin.')),
    policy_ids: v.pipe(
      v.array(Id),
      v.description(
        'The approval policies that hold the request; they also say who may approve it. ' +
          'None if its key or the request itself asked for approval.',
      ),
    ),
    request_id: v.string(),
    expires_at: InstantOut,
    stale_at: v.pipe(
      v.nullable(InstantOut),
      v.description(
        'When it was noticed that another request has changed what this one changes, at most some minutes after that. ' +
          'To approve it then takes `force`, or an edit.',
      ),
    ),
    decided_by: v.nullable(Id),
    decided_key_id: v.pipe(v.nullable(Id), v.description('The key that decided.')),
    decided_at: v.nullable(InstantOut),
    reason: Text,
    forced: v.boolean(),
    executed_at: v.pipe(
      v.nullable(InstantOut),
      v.description('When the request ran. The approval is `approved` until its response is stored, then `executed`.'),
    ),
    response_status: v.nullable(v.pipe(v.number(), v.integer())),
    response_body: v.pipe(v.optional(v.unknown()), v.description('The body of the response to the executed request.')),
    ...timestamps,
  }),
)

/** At least one part: what is sent replaces that part as a whole. */
export const EditApproval = v.pipe(
  v.strictObject({
    params: v.optional(v.pipe(v.record(v.string(), SingleLine(255)), v.description('The parameters of the path.'))),
    query: v.optional(v.pipe(v.record(v.string(), SingleLine(255)), v.description('The query parameters.'))),
    body: v.optional(
      v.pipe(v.record(v.string(), v.unknown()), v.description('The whole body.'), v.examples([{ first_name: 'Ana', last_name: 'Lee' }])),
    ),
  }),
  v.check(({ params, query, body }) => Boolean(params ?? query ?? body), 'Send params, query or body'),
)

export const Approve = v.strictObject({
  force: v.optional(describe(Bool, 'Execute the request even if the affected records changed since the approval was requested.', false)),
  reason: optional(Multiline(2000)),
})
export const BulkApprove = v.strictObject({ ids: BulkIds(100), ...Approve.entries })
export const Reject = v.strictObject({
  reason: optional(describe(Multiline(2000), 'Why the request is rejected.', 'Duplicate of an existing contact.')),
})
export const BulkReject = v.strictObject({ ids: BulkIds(100), ...Reject.entries })

export const Decision = named(
  'ApprovalDecision',
  v.object({
    id: Id,
    status: v.picklist(APPROVAL_STATUSES),
    decided_by: v.pipe(v.nullable(Id), v.description('The user whose key decided.')),
    decided_at: v.nullable(InstantOut),
    reason: Text,
    forced: v.boolean(),
  }),
)
