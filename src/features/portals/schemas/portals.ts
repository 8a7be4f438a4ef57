import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, optional } from '../../../schemas/fields.ts'
import { PORTAL_KINDS } from '../rules/kinds.ts'

export const Portal = named(
  'Portal',
  v.object({
    id: Id,
    kind: v.pipe(
      v.picklist(PORTAL_KINDS),
      v.description('`work_status`: the progress of an opportunity. `stakeholder`: what is shared with a stakeholder.'),
    ),
    deal_id: v.pipe(v.nullable(Id), v.description('The opportunity of a portal of the kind work_status.')),
    contact_id: Id,
    expires_at: v.pipe(InstantOut, v.description('Until when its address works.')),
    revoked_at: v.nullable(InstantOut),
    last_viewed_at: v.pipe(v.nullable(InstantOut), v.description('When its page was last shown.')),
    ...timestamps,
  }),
)
export const portalFilters = {
  kind: v.optional(Enum(PORTAL_KINDS)),
  deal_id: v.optional(describe(Id, 'The opportunity.')),
  contact_id: v.optional(Id),
}

export const SendWorkStatus = v.strictObject({
  deal_id: describe(Id, 'The opportunity, which must have work orders.'),
  contact_id: optional(describe(Id, 'The client; by default the primary contact of the opportunity with an email address.')),
})
export type SendWorkStatus = v.InferOutput<typeof SendWorkStatus>
export const NewPortal = v.strictObject({
  contact_id: describe(Id, 'A member of a stakeholder type with portal_eligible.'),
})
export type NewPortal = v.InferOutput<typeof NewPortal>

export const PortalSent = named(
  'PortalSent',
  v.object({
    success: v.pipe(v.literal(true), v.description('True: the messages are on their way.'), v.examples([true])),
    portal_id: Id,
    token: v.pipe(
      v.string(),
      v.description('The secret part of the address `/portal/<token>`.'),
      v.examples(['q1Zx5pI0v3yKkq0y0m2bW8m6mG5h0S5mS4vI9n3cXoE']),
    ),
  }),
)
export const NewPin = named(
  'PortalPin',
  v.object({ id: Id, pin: v.pipe(v.string(), v.description('Six digits.'), v.examples(['048213'])) }),
)
