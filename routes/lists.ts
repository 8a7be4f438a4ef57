import { Hono } from 'hono'
import * as v from 'valibot'
import { lists } from '../schema/index.ts'
import { createList, updateList } from '../src/features/lists/plans/lists.ts'
import { addMembers, listMembers, removeMembers } from '../src/features/lists/plans/members.ts'
import { MAX_LIST_DEPTH, MAX_MEMBERS } from '../src/features/lists/rules/lists.ts'
import {
  AddedMember,
  List,
  ListPatch,
  listFilters,
  Member,
  MemberIds,
  membersQuery,
  NewList,
  RemovedMember,
} from '../src/features/lists/schemas/lists.ts'
import { forEachId } from '../src/http/bulk-ids.ts'
import { listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const listsRouter = new Hono<App>()
export const listsApi = endpoints(listsRouter, { path: CRM.lists, tag: 'Lists' })

const params = v.object({ list_id: Id })

resource(listsApi, {
  name: 'list',
  plural: 'lists',
  table: lists,
  returns: List,
  list: {
    description: 'Private lists of other members are listed only for keys whose owner has the role client_admin.',
    filters: listFilters,
    sorts: ['created_at', 'name'],
  },
  get: {},
  create: {
    description:
      `A static list has up to ${MAX_MEMBERS} members, which are added and removed; for more records, give them a tag, and make a live ` +
      'list of that tag. A live list has the records that its filter and its search words match; its filter may name other lists, ' +
      `at most ${MAX_LIST_DEPTH} deep. Conditions on related records also need their scope.`,
    body: NewList,
    plan: createList,
  },
  update: { body: ListPatch, errors: ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'PRECONDITION_FAILED'], plan: updateList },
  remove: { description: 'Filters that name the list are refused from then on. Its members stay as they are.' },
  history: true,
})

listsApi.get(
  '/:list_id/members',
  {
    id: 'listListMembers',
    summary: 'List the members of a list',
    description:
      'Returns the records as their own list does. It also needs the scope to read them, such as `contacts:read`, and for a live list ' +
      'those of the related records in its filter.',
    access: scopes('lists:read'),
    params,
    query: membersQuery,
    returns: listOf(Member),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => listMembers(ctx, params.list_id, query),
)
listsApi.post(
  '/:list_id/members',
  {
    id: 'addListMembers',
    summary: 'Add up to 100 records to a static list',
    description: `It also needs the scope to read the records. A list has at most ${MAX_MEMBERS} members. The call can be repeated safely.`,
    access: scopes('lists:write'),
    params,
    body: MemberIds,
    returns: bulkResult(AddedMember),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => forEachId(body.ids, (ids) => addMembers(ctx, params.list_id, ids)),
)
listsApi.post(
  '/:list_id/members/remove',
  {
    id: 'removeListMembers',
    summary: 'Remove up to 100 records from a static list',
    description: 'It also needs the scope to read the records, which stay as they are. The call can be repeated safely.',
    access: scopes('lists:write'),
    params,
    body: MemberIds,
    returns: bulkResult(RemovedMember),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => forEachId(body.ids, (ids) => removeMembers(ctx, params.list_id, ids)),
)
