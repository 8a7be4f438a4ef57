import { Hono } from 'hono'
import * as v from 'valibot'
import { waitingListEntries } from '../../schema/index.ts'
import { BY_START } from '../../src/features/scheduling/plans/by-start.ts'
import { cancelWaiting, createWaiting, getWaiting, listWaiting, WAITING_SORTS } from '../../src/features/scheduling/plans/waiting-list.ts'
import { WAITING_STATES } from '../../src/features/scheduling/rules/states.ts'
import { NewWaitingListEntry, WaitingListEntry } from '../../src/features/scheduling/schemas/waiting-list.ts'
import { listQuery } from '../../src/http/lists.ts'
import { added, listOf, one, scopes } from '../../src/http/modes.ts'
import { history } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Enum, Id, QueryInstant } from '../../src/schemas/fields.ts'
import { SCHEDULING } from '../paths.ts'

export const waitingListRouter = new Hono<App>()
export const waitingListApi = endpoints(waitingListRouter, { path: SCHEDULING.waitingList, tag: 'Scheduling Bookings' })

const params = v.object({ entry_id: Id })
const of = (what: string) => v.optional(describe(Id, `Only entries ${what}.`))

waitingListApi.get(
  '',
  {
    id: 'listWaitingListEntries',
    summary: 'List the entries of waiting lists',
    access: scopes('company:read'),
    query: listQuery(
      waitingListEntries,
      {
        state: v.optional(Enum(WAITING_STATES, 'Only entries in this state.')),
        event_type_id: of('of this event type'),
        contact_id: of('of this contact'),
        starts_after: v.optional(v.pipe(QueryInstant, v.description('Only entries for times that start at this time or later.'))),
        starts_before: v.optional(v.pipe(QueryInstant, v.description('Only entries for times that start at this time or earlier.'))),
      },
      WAITING_SORTS,
      BY_START,
    ),
    returns: listOf(WaitingListEntry),
  },
  ({ query }) => listWaiting(query),
)
waitingListApi.post(
  '',
  {
    id: 'createWaitingListEntry',
    summary: 'Add a person to the waiting list of a time',
    description:
      'The time must be full, and its event type must have `waiting_list`. The contact is found by any of its email addresses, ' +
      'else by any of its phone numbers, else created. Whoever is first in line is offered the next free seat by email. ' +
      'A person who is on the list already keeps the place: the entry is returned.',
    access: scopes('company:write'),
    body: NewWaitingListEntry,
    returns: added(WaitingListEntry),
    errors: ['INVALID_EMAIL', 'CONFLICT'],
  },
  ({ ctx, body }) => createWaiting(ctx, body),
)
waitingListApi.get(
  '/:entry_id',
  {
    id: 'getWaitingListEntry',
    summary: 'Get an entry of a waiting list',
    access: scopes('company:read'),
    params,
    returns: one(WaitingListEntry, true),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getWaiting(params.entry_id),
)
waitingListApi.post(
  '/:entry_id/cancel',
  {
    id: 'cancelWaitingListEntry',
    summary: 'Take a person off a waiting list',
    description: 'A seat that the person was offered goes to the next in line.',
    access: scopes('company:write'),
    params,
    returns: WaitingListEntry,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => cancelWaiting(ctx, params.entry_id),
)
history(waitingListApi, '/:entry_id/history', {
  entity: 'waiting_list_entry',
  table: waitingListEntries,
  param: 'entry_id',
  scopes: ['company:read'],
})
