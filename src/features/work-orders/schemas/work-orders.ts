import * as v from 'valibot'
import { bulkOf } from '../../../schemas/bulk.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  HexColor,
  Id,
  Ids,
  InstantOut,
  Integer,
  IsoDate,
  Multiline,
  Name,
  optional,
  QueryBool,
  SingleLine,
} from '../../../schemas/fields.ts'
import { parse, text } from '../../../schemas/pipes.ts'
import { MAX_DURATION } from '../rules/schedule.ts'

/** `9:05`, `09:05` and `09:05:30`, as `HH:MM:SS`. */
function toTime(value: string): string | undefined {
  const [, hours, minutes, seconds = '00'] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(value.trim()) ?? []
  if (!hours || !minutes || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  return `${hours.padStart(2, '0')}:${minutes}:${seconds}`
}
const Time = v.pipe(
  text('a time in the form HH:MM:SS'),
  parse('time', toTime, 'must be a local time in the form HH:MM:SS, such as 09:30:00'),
  v.description('The local time, HH:MM:SS; HH:MM is accepted.'),
  v.examples(['09:30:00']),
)

export const workOrderFields = {
  deal_product_id: describe(Id, 'The line item of an opportunity that the work delivers; it cannot be changed.'),
  title: v.optional(describe(Name(200), 'What has to be done. Defaults to the name of the line item.', 'Install the solar panels')),
  description: optional(Multiline()),
  status: v.optional(
    describe(Name(80), 'The label of a status, regardless of case. Without it and status_id, the first one.', 'Scheduled'),
  ),
  status_id: v.optional(describe(Id, 'The status by its id, in place of the label.')),
  schedule_date: optional(describe(IsoDate, 'The day, in the time zone of the workspace; null: not scheduled.', '2026-03-31')),
  schedule_time: optional(describe(Time, 'The local time of this day; null: all day. A time that the clocks skip becomes the next one.')),
  duration_minutes: optional(describe(Integer(1, MAX_DURATION), 'How long the work takes, in minutes.', 90)),
  assigned_to: optional(describe(Id, 'The member who does the work; null: nobody.')),
  address: optional(describe(SingleLine(500), 'Where the work is done.', '12 Bridge Street, Sydney')),
  notes: optional(Multiline()),
}
export const NewWorkOrder = v.strictObject(workOrderFields)
export type NewWorkOrder = v.InferOutput<typeof NewWorkOrder>
const { deal_product_id, ...changeable } = workOrderFields
export const WorkOrderPatch = v.strictObject(changeable)
export type WorkOrderPatch = v.InferOutput<typeof WorkOrderPatch>

export const WorkOrder = named(
  'WorkOrder',
  v.object({
    id: Id,
    deal_product_id: v.pipe(Id, v.description('The line item that the work delivers.')),
    deal_id: v.pipe(Id, v.description('The opportunity of the line item.')),
    component_id: v.pipe(v.nullable(Id), v.description('The product component that the work is about.')),
    title: v.string(),
    description: v.nullable(v.string()),
    status_id: Id,
    status: v.pipe(v.string(), v.description('The label of the status.')),
    schedule_date: v.pipe(
      v.nullable(v.pipe(v.string(), v.metadata({ format: 'date' }))),
      v.description('The day, in the time zone of the workspace.'),
    ),
    schedule_time: v.pipe(v.nullable(v.string()), v.description('The local time, HH:MM:SS; null: all day.'), v.examples(['09:30:00'])),
    duration_minutes: v.nullable(v.pipe(v.number(), v.integer())),
    assigned_to: v.nullable(Id),
    address: v.nullable(v.string()),
    notes: v.nullable(v.string()),
    completed_at: v.pipe(v.nullable(InstantOut), v.description('When it got a status with is_done.')),
    ...timestamps,
  }),
)
export type WorkOrder = v.InferOutput<typeof WorkOrder>

/** The filters of the list that compare one column. */
export const workOrderFilters = {
  deal_product_id: v.optional(describe(Id, 'The line item.')),
  deal_id: v.optional(describe(Id, 'The opportunity.')),
  status_id: v.optional(Id),
  assigned_to: v.optional(describe(Id, 'The member who does the work.')),
  schedule_date: v.optional(describe(IsoDate, 'Scheduled on exactly this day.')),
}
/** Those that screens need besides. */
export const scheduleFilters = {
  scheduled_from: v.optional(describe(IsoDate, 'Scheduled on this day or later.')),
  scheduled_to: v.optional(describe(IsoDate, 'Scheduled on this day or earlier.')),
  unscheduled: v.optional(describe(QueryBool, '`true` returns work orders without a date, `false` those with one.')),
  overdue: v.optional(
    describe(QueryBool, '`true` returns work orders of days before today that are not done. `false` returns all others.'),
  ),
}

export const Reschedule = v.strictObject({
  id: Id,
  schedule_date: v.nullable(describe(IsoDate, 'The new day; null: not scheduled.', '2026-04-07')),
  schedule_time: changeable.schedule_time,
  assigned_to: changeable.assigned_to,
})
export const Reschedules = v.strictObject({ records: bulkOf(Reschedule) })

export const FromLineItem = v.strictObject({
  deal_product_id: describe(Id, 'The line item, of whose product every component gets a work order.'),
  schedule_date: changeable.schedule_date,
  assigned_to: changeable.assigned_to,
})
export type FromLineItem = v.InferOutput<typeof FromLineItem>
export const MadeWorkOrders = named(
  'MadeWorkOrders',
  v.object({
    made: v.pipe(v.array(WorkOrder), v.description('The work orders that the call has made.')),
    existing: v.pipe(v.number(), v.integer(), v.description('How many components had a work order already.')),
  }),
)

const ClashingOrder = v.object({
  id: Id,
  title: v.string(),
  schedule_date: v.pipe(v.string(), v.metadata({ format: 'date' })),
  schedule_time: v.string(),
  duration_minutes: v.nullable(v.pipe(v.number(), v.integer())),
})
export const Clash = named(
  'WorkOrderClash',
  v.object({
    ...ClashingOrder.entries,
    assigned_to: Id,
    clashes: v.pipe(v.array(ClashingOrder), v.description('The other work orders of the member at this time: at most 20.')),
  }),
)
export const clashQuery = v.strictObject({
  assigned_to: describe(Id, 'The member.'),
  from: describe(IsoDate, 'The first day.', '2026-03-01'),
  to: describe(IsoDate, 'The last day: at most 92 days later.', '2026-03-31'),
})

// Statuses

export const NewStatus = v.strictObject({
  label: describe(Name(80), 'The label; unique in the workspace, regardless of case.', 'Awaiting parts'),
  colour: optional(HexColor),
  is_done: v.optional(describe(Bool, 'Whether the work is done with this status.', false)),
  sort_order: v.optional(describe(Integer(0, 1000), 'The place among the statuses; by default after the others.', 4)),
})
export type NewStatus = v.InferOutput<typeof NewStatus>
export const StatusPatch = v.partial(NewStatus)

export const WorkOrderStatus = named(
  'WorkOrderStatus',
  v.object({
    id: Id,
    label: v.string(),
    colour: v.nullable(v.string()),
    is_done: v.boolean(),
    sort_order: v.pipe(v.number(), v.integer(), v.description('The place among the statuses.')),
    ...timestamps,
  }),
)
export const StatusOrder = v.strictObject({ status_ids: Ids(50) })
export const deleteStatusQuery = v.strictObject({
  replacement_id: v.optional(describe(Id, 'The status that its work orders get. Required if there are any.')),
})
export const StatusDeleted = named(
  'WorkOrderStatusDeleted',
  v.object({
    id: Id,
    deleted: v.pipe(v.boolean(), v.examples([true])),
    more: v.pipe(v.boolean(), v.description('Whether work orders still have the status: repeat the call.'), v.examples([false])),
  }),
)

// Calendars of members

export const NewFeed = v.strictObject({
  user_id: v.optional(
    describe(Id, 'The member; by default the owner of the key. For another member the key needs an owner with the role client_admin.'),
  ),
})
export type NewFeed = v.InferOutput<typeof NewFeed>
const feed = {
  id: Id,
  user_id: v.pipe(Id, v.description('The member whose work orders the calendar has.')),
  created_at: InstantOut,
  last_read_at: v.pipe(v.nullable(InstantOut), v.description('When a calendar last read it, to the hour.')),
}
export const WorkOrderFeed = named('WorkOrderFeed', v.object(feed))
export const IssuedFeed = named(
  'IssuedWorkOrderFeed',
  v.object({
    ...feed,
    calendar_path: v.pipe(
      v.string(),
      v.description('The secret path at which calendars read it, on the host of the API. It is in this response only.'),
    ),
  }),
)
