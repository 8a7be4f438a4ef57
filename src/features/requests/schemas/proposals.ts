import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, Multiline, optional, SingleLine, Url } from '../../../schemas/fields.ts'
import { EVIDENCE_TYPES, MAX_EVIDENCE, MAX_HOURS, PROPOSAL_STATUSES } from '../rules/proposals.ts'
import { Approval, Evidence } from './approvals.ts'

const OPERATION = 'The operationId of the write, as in the OpenAPI document: any that can wait for approval.'
const REASON = 'Why the write is proposed, for the person who decides.'

const SentEvidence = v.pipe(
  v.strictObject({
    type: describe(Enum(EVIDENCE_TYPES), 'What kind of thing it is.', 'conversation'),
    id: optional(describe(Id, 'Its id; a page and other things have none.')),
    url: optional(describe(Url, 'The address of a page.', 'https://example.com/returns')),
    quote: optional(describe(Multiline(2_000), 'What it says, word for word.', 'What would a deck in Oslo cost?')),
  }),
  v.check(({ id, url, quote }) => (id ?? url ?? quote) != null, 'must have an id, a url or a quote'),
)
export const NewProposal = v.strictObject({
  operation_id: describe(v.pipe(SingleLine(80), v.minLength(1, 'must not be empty')), OPERATION, 'createContact'),
  params: v.optional(v.pipe(v.record(v.string(), SingleLine(255)), v.description('The parameters of its path.'), v.examples([{}]))),
  query: v.optional(v.pipe(v.record(v.string(), SingleLine(255)), v.description('Its query parameters.'), v.examples([{}]))),
  body: v.optional(
    v.pipe(v.record(v.string(), v.unknown()), v.description('Its body.'), v.examples([{ first_name: 'Ana', city: 'Oslo' }])),
  ),
  reason: describe(v.pipe(Multiline(2_000), v.regex(/\S/, 'must not be empty')), REASON, 'She asked for a quote.'),
  evidence: v.pipe(
    v.array(SentEvidence, 'must be a list of {type, id, url, quote}'),
    v.minLength(1, 'must have at least one entry'),
    v.maxLength(MAX_EVIDENCE, `must have at most ${MAX_EVIDENCE} entries`),
    v.description('What the reason relies on.'),
  ),
  expires_in_hours: v.optional(
    describe(Integer(1, MAX_HOURS), 'After how many hours it expires without a decision.', MAX_HOURS),
    MAX_HOURS,
  ),
})
export type NewProposal = v.InferOutput<typeof NewProposal>

export const proposalFilters = {
  operation_id: v.optional(describe(SingleLine(80), 'Only proposals of this write.', 'updateContact')),
}

const Text = v.nullable(v.string())
const { method, path, request, changes, expires_at, decided_by, decided_at } = Approval.entries
export const AgentProposal = named(
  'AgentProposal',
  v.object({
    id: Id,
    approval_id: v.pipe(Id, v.description('The approval that decides about it, by which it is approved, rejected and edited.')),
    status: v.pipe(v.picklist(PROPOSAL_STATUSES), v.description('That of its approval, or `withdrawn`.')),
    operation_id: v.pipe(v.string(), v.description(OPERATION), v.examples(['createContact'])),
    reason: v.pipe(Text, v.description(`${REASON} Null for a key that may not read all that the write is about.`)),
    evidence: v.pipe(v.array(Evidence), v.description('What the reason relies on, as it was sent. Empty for such a key.')),
    method,
    path,
    request,
    changes,
    proposed_by: v.pipe(Id, v.description('The user whose key proposed it.')),
    key_id: v.pipe(Id, v.description('The key that proposed it, with whose rights and those of the approver it is executed.')),
    expires_at,
    decided_by,
    decided_at,
    decision_reason: v.pipe(Text, v.description('The reason of the decision.')),
    withdrawn_at: v.nullable(InstantOut),
    created_at: InstantOut,
  }),
)
export type AgentProposal = v.InferOutput<typeof AgentProposal>
