import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, HexColor, Id, InstantOut, Name, optional, SingleLine } from '../../../schemas/fields.ts'

export const stakeholderTypeFields = {
  name: describe(Name(120), 'The name of the stakeholder type; unique in the workspace.', 'Installer'),
  colour: optional(HexColor),
  portal_eligible: v.optional(describe(Bool, 'Whether members of this type can have a portal.', true)),
  commission_eligible: v.optional(describe(Bool, 'Whether members of this type can earn commission.', false)),
  assignable_to_work_orders: v.optional(
    describe(Bool, 'Whether members of this type can become stakeholders of tasks and work orders.', true),
  ),
}
export const NewStakeholderType = v.strictObject(stakeholderTypeFields)
export const StakeholderTypePatch = v.partial(NewStakeholderType)

export const StakeholderType = named(
  'StakeholderType',
  v.object({
    id: Id,
    name: v.string(),
    colour: v.nullable(v.string()),
    portal_eligible: v.boolean(),
    commission_eligible: v.boolean(),
    assignable_to_work_orders: v.boolean(),
    ...timestamps,
  }),
)

const person = {
  contact_id: Id,
  first_name: v.string(),
  last_name: v.nullable(v.string()),
  email: v.nullable(v.string()),
  phone: v.nullable(v.string()),
}

export const OfContact = v.strictObject({ contact_id: Id })

export const StakeholderMember = named(
  'StakeholderMember',
  v.object({
    id: v.pipe(Id, v.description('The id of the membership (member_id in paths).')),
    type_id: Id,
    ...person,
    created_at: InstantOut,
  }),
)

export const TaskStakeholder = named('TaskStakeholder', v.object({ task_id: Id, ...person, created_at: InstantOut }))

export const WorkOrderStakeholder = named('WorkOrderStakeholder', v.object({ work_order_id: Id, ...person, created_at: InstantOut }))

export const NewDealStakeholder = v.strictObject({
  deal_id: describe(Id, 'The opportunity of the stakeholder.'),
  contact_id: Id,
  bucket_id: optional(describe(Id, 'The stakeholder type: one of which the contact is a member.')),
  role: optional(describe(SingleLine(80), 'What the contact does for the opportunity.', 'Installs the deck')),
})
export type NewDealStakeholder = v.InferOutput<typeof NewDealStakeholder>

export const DealStakeholder = named(
  'DealStakeholder',
  v.object({
    id: Id,
    deal_id: v.pipe(Id, v.description('The opportunity of the stakeholder.')),
    ...person,
    bucket_id: v.pipe(v.nullable(Id), v.description('The id of the stakeholder type.')),
    bucket_name: v.nullable(v.string()),
    role: v.nullable(v.string()),
    created_at: InstantOut,
    version: timestamps.version,
  }),
)
