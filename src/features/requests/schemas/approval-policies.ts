import * as v from 'valibot'
import { entityOf, eventTypesIn, faultInEventTypes } from '../../../domain/events.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, Currency, describe, Id, Integer, Money, Multiline, Name, optional, SAMPLE_ID } from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { Scope } from '../../../schemas/scopes.ts'
import { RoleKey } from '../../access/schemas/roles.ts'

const MAX_ENTRIES = 100
/** An approval is decided itself, so no policy is about its events or its scopes. */
const isDecision = (event: string) => entityOf(event) === 'approval'

const listOf = <S extends v.GenericSchema<unknown, string>>(item: S, description: string, example: string[], most = MAX_ENTRIES) =>
  v.optional(
    v.pipe(
      v.array(item, 'must be a list'),
      v.maxLength(most, `must have at most ${most} entries`),
      v.description(description),
      v.examples([example]),
      v.transform((entries): string[] => [...new Set(entries)]),
    ),
  )

const EventName = v.pipe(
  v.string('must be an event type, such as opportunity.won'),
  v.check(
    (name) => !name.includes(',') && faultInEventTypes(name) === undefined && !isDecision(name),
    ({ input }) =>
      isDecision(input)
        ? 'Approvals are decided themselves: no policy is about them'
        : (faultInEventTypes(input) ?? 'must be one event type'),
  ),
  v.description('An event type, or `contact.*` for every event of contacts.'),
  v.examples(['opportunity.won']),
)
const WriteScope = v.pipe(
  Scope,
  v.check((scope) => !scope.endsWith(':read'), 'must be a scope of writes: reads do not wait for approval'),
  v.check(
    (scope) => !/^(approvals|approval-policies):/.test(scope),
    'No policy is about the decisions of approvals and the changes of policies',
  ),
)

const fields = {
  name: describe(Name(120), 'The name of the policy, which is unique. Refusals name it.', 'Large deals'),
  description: optional(describe(Multiline(2000), 'What the policy is for.', 'A second person looks at large deals before they are won.')),
  is_active: v.optional(describe(Bool, 'Whether the policy holds writes. Defaults to true.', true)),
  events: v.optional(
    v.pipe(
      v.array(EventName, 'must be a list of event types'),
      v.maxLength(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`),
      v.description(
        'Writes that cause one of these events wait for approval, however they are sent: as a single or a bulk call, an upsert, ' +
          'a merge, an import or by an automation. `contact.*` stands for every event of contacts, `contact.purged` for their ' +
          'erasure. See GET /event-types.',
      ),
      v.examples([['opportunity.won', 'opportunity.deleted']]),
      v.transform((names) => [...new Set(names.flatMap((name) => eventTypesIn(name)))].toSorted()),
    ),
  ),
  scopes: listOf(
    WriteScope,
    'Writes that need one of these scopes wait for approval, also those without an event; `*:delete` and `*:*` are wildcards. ' +
      'With `events`, both conditions must hold. A policy needs one of the two.',
    [],
  ),
  more_than: optional(
    describe(
      Integer(0, 1_000_000),
      'Only writes that affect more records than this with the events of the policy; an import counts all its lines.',
      0,
    ),
  ),
  value_over: optional(
    describe(
      Money,
      'Only if the value of one of the opportunities is greater, before or after the write. For events of opportunities only.',
      50_000,
    ),
  ),
  currency: optional(
    describe(
      Currency,
      'Only opportunities in this currency count for `value_over`, before or after the write. By default those in any.',
      'AUD',
    ),
  ),
  requester_roles: listOf(
    RoleKey,
    'Only for requests of keys whose owner has one of these roles, or of `requester_key_ids`. Without both, for all requests.',
    ['client_editor'],
  ),
  requester_key_ids: listOf(
    Id,
    'Only for requests of these keys, or of `requester_roles`. A key that is created or rotated with one of them is added.',
    [],
    1_000,
  ),
  approver_roles: listOf(
    RoleKey,
    'The roles of which the approver must have one. By default everyone who may approve and has the rights that the request needs.',
    ['client_admin'],
  ),
  requester_may_approve: v.optional(
    describe(Bool, 'Whether the member who made or edited the request may approve it. Defaults to false.', false),
  ),
}

export const NewApprovalPolicy = v.pipe(
  v.strictObject(fields),
  v.check(({ events = [], scopes = [] }) => events.length + scopes.length > 0, 'Send events or scopes: the writes that wait for approval'),
)
export type NewApprovalPolicy = v.InferOutput<typeof NewApprovalPolicy>
export const ApprovalPolicyPatch = v.partial(v.strictObject(fields))
export type ApprovalPolicyPatch = v.InferOutput<typeof ApprovalPolicyPatch>

const ids = v.array(v.string())
export const ApprovalPolicy = named(
  'ApprovalPolicy',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    is_active: v.boolean(),
    events: v.pipe(v.array(v.string()), v.description('The event types, without wildcards.'), v.examples([['opportunity.won']])),
    scopes: v.array(Scope),
    more_than: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('The number of records that a write may affect at most without approval.'),
    ),
    value_over: v.pipe(v.nullable(moneyOut), v.description('The value of an opportunity up to which no approval is needed.')),
    currency: v.nullable(v.string()),
    requester_roles: v.pipe(ids, v.description('The roles that it is about. Without roles and keys it is about everyone.')),
    requester_key_ids: v.pipe(v.array(Id), v.description('The keys that it is about.'), v.examples([[SAMPLE_ID]])),
    approver_roles: v.pipe(ids, v.description('The roles of which an approver must have one; any if the list is empty.')),
    requester_may_approve: v.pipe(v.boolean(), v.description('Whether the member who made or edited the request may approve it.')),
    ...timestamps,
  }),
)
