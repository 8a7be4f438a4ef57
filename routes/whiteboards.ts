import { Hono } from 'hono'
import * as v from 'valibot'
import { opportunities, whiteboards } from '../schema/index.ts'
import { refersTo } from '../src/data/bulk.ts'
import { appendElements, replaceContent } from '../src/features/whiteboards/plans/content.ts'
import { duplicateWhiteboard, getWhiteboard, listVersions, revertWhiteboard } from '../src/features/whiteboards/plans/whiteboards.ts'
import {
  MAX_BODY,
  MAX_BODY_VALUES,
  MoreElements,
  NewWhiteboard,
  WHITEBOARD_SORTS,
  Whiteboard,
  WhiteboardContent,
  WhiteboardCopy,
  WhiteboardDetails,
  WhiteboardPatch,
  WhiteboardVersion,
  whiteboardFilters,
} from '../src/features/whiteboards/schemas/whiteboards.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { DOCUMENTS } from './paths.ts'

export const whiteboardsRouter = new Hono<App>()
export const whiteboardsApi = endpoints(whiteboardsRouter, { path: DOCUMENTS.whiteboards, tag: 'Whiteboards' })

const params = v.object({ whiteboard_id: Id })
const read = scopes('whiteboards:read')
const write = scopes('whiteboards:write')
const limits = { body: MAX_BODY, values: MAX_BODY_VALUES }

resource(whiteboardsApi, {
  name: 'whiteboard',
  plural: 'whiteboards',
  table: whiteboards,
  returns: Whiteboard,
  references: [refersTo('opportunity_id', opportunities)],
  list: { filters: whiteboardFilters, sorts: WHITEBOARD_SORTS, description: 'Without the contents.' },
  create: { description: 'The board is empty.', body: NewWhiteboard, errors: [] },
  update: { body: WhiteboardPatch, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { description: 'Its content and versions come back if it is restored.', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
whiteboardsApi.get(
  '/:whiteboard_id',
  {
    id: 'getWhiteboard',
    summary: 'Get a whiteboard',
    description: 'With its content, in the format of Excalidraw.',
    access: read,
    params,
    returns: WhiteboardDetails,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getWhiteboard(params.whiteboard_id),
)
whiteboardsApi.put(
  '/:whiteboard_id/content',
  {
    id: 'replaceWhiteboardContent',
    summary: 'Replace the content of a whiteboard',
    description:
      'Elements may have only what matters of them: the rest is added, as the editor would. ' +
      'What the board had before becomes a version. With If-Match, a board that has changed since is left as it is. ' +
      'A board that is open in an editor may overwrite this when it saves.',
    access: write,
    params,
    body: WhiteboardContent,
    returns: Whiteboard,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    limits,
  },
  ({ ctx, params, body }) => replaceContent(ctx, params.whiteboard_id, body),
)
whiteboardsApi.post(
  '/:whiteboard_id/elements',
  {
    id: 'addWhiteboardElements',
    summary: 'Add elements to a whiteboard',
    description:
      'Adds elements in front of all others; those that callers add at the same time are all kept. ' +
      'Arrows and texts can be bound to elements of the board. An id that the board has already is refused.',
    access: write,
    params,
    body: MoreElements,
    returns: Whiteboard,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    limits,
  },
  ({ ctx, params, body }) => appendElements(ctx, params.whiteboard_id, body),
)
whiteboardsApi.post(
  '/:whiteboard_id/duplicate',
  {
    id: 'duplicateWhiteboard',
    summary: 'Duplicate a whiteboard',
    description: 'The copy has the same content, and no versions.',
    access: write,
    params,
    body: WhiteboardCopy,
    returns: created(Whiteboard),
    errors: ['NOT_FOUND'],
  },
  ({ params, body }) => duplicateWhiteboard(params.whiteboard_id, body.name),
)
whiteboardsApi.get(
  '/:whiteboard_id/versions',
  {
    id: 'listWhiteboardVersions',
    summary: 'List the versions of a whiteboard',
    description: 'The last 20 contents that were replaced, the latest first. Adding elements makes no version.',
    access: read,
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(WhiteboardVersion),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listVersions(params.whiteboard_id, query),
)
whiteboardsApi.post(
  '/:whiteboard_id/versions/:whiteboard_version_id/revert',
  {
    id: 'revertWhiteboard',
    summary: 'Revert a whiteboard to a version',
    description: 'Makes the version the content again. What the board had before becomes a version.',
    access: write,
    params: v.object({ whiteboard_id: Id, whiteboard_version_id: Id }),
    returns: Whiteboard,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => revertWhiteboard(ctx, params.whiteboard_id, params.whiteboard_version_id),
)
