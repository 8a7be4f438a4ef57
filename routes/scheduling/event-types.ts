import { Hono } from 'hono'
import * as v from 'valibot'
import { scheduledEventTypes } from '../../schema/index.ts'
import {
  createEventType,
  duplicateEventType,
  eventTypeReferences,
  setActive,
  setHosts,
  updateEventType,
} from '../../src/features/scheduling/plans/event-types.ts'
import { EventTypePatch, Hosts, NewEventType, ScheduledEventType } from '../../src/features/scheduling/schemas/event-types.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Id, Name, QueryBool } from '../../src/schemas/fields.ts'
import { SCHEDULING } from '../paths.ts'

export const eventTypesRouter = new Hono<App>()
export const scheduledEventTypesApi = endpoints(eventTypesRouter, { path: SCHEDULING.eventTypes, tag: 'Scheduling' })

const params = v.object({ event_type_id: Id })
const CHANGES = ['NOT_FOUND', 'PRECONDITION_FAILED'] as const

resource(scheduledEventTypesApi, {
  name: 'scheduled_event_type',
  plural: 'scheduled_event_types',
  param: 'event_type_id',
  scope: 'scheduling',
  table: scheduledEventTypes,
  returns: ScheduledEventType,
  references: eventTypeReferences,
  list: {
    filters: { is_active: v.optional(describe(QueryBool, 'Whether it can be booked.', true)) },
    sorts: ['created_at', 'updated_at', 'name'],
  },
  get: {},
  create: {
    description: 'Only name is required. Without hosts, or while every host is away, nothing can be booked.',
    body: NewEventType,
    plan: createEventType,
  },
  update: { body: EventTypePatch, plan: updateEventType },
  remove: { action: 'write', description: 'An event type with bookings cannot be deleted: disable it.' },
  history: true,
})
scheduledEventTypesApi.put(
  '/:event_type_id/hosts',
  {
    id: 'setScheduledEventTypeHosts',
    summary: 'Replace the hosts of an event type',
    access: scopes('scheduling:write'),
    params,
    body: v.strictObject({ hosts: Hosts }),
    returns: ScheduledEventType,
    errors: [...CHANGES],
  },
  ({ ctx, params, body }) => setHosts(ctx, params.event_type_id, body.hosts),
)
scheduledEventTypesApi.post(
  '/:event_type_id/duplicate',
  {
    id: 'duplicateScheduledEventType',
    summary: 'Copy an event type',
    access: scopes('scheduling:write'),
    params,
    body: v.strictObject({ name: describe(Name(120), 'The name of the copy, which is unique.', 'First meeting, online') }),
    returns: created(ScheduledEventType),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ params, body }) => duplicateEventType(params.event_type_id, body.name),
)
for (const [action, isActive] of [
  ['disable', false],
  ['enable', true],
] as const)
  scheduledEventTypesApi.post(
    `/:event_type_id/${action}`,
    {
      id: `${action}ScheduledEventType`,
      summary: isActive ? 'Enable an event type' : 'Disable an event type',
      description: isActive ? 'It can be booked again.' : 'It can no longer be booked. Existing bookings stay.',
      access: scopes('scheduling:write'),
      params,
      returns: ScheduledEventType,
      errors: [...CHANGES],
    },
    ({ ctx, params }) => setActive(ctx, params.event_type_id, isActive),
  )
