import { Hono } from 'hono'
import * as v from 'valibot'
import { notepads } from '../schema/index.ts'
import {
  addContent,
  getVersion,
  listVersions,
  replaceContent,
  replaceSectionOf,
  restoreVersion,
} from '../src/features/notepads/plans/contents.ts'
import {
  createNotepad,
  getNotepad,
  listNotepads,
  removeNotepad,
  restoreGuards,
  updateNotepad,
} from '../src/features/notepads/plans/notepads.ts'
import {
  NewNotepad,
  NOTEPAD_SORTS,
  Notepad,
  NotepadAddition,
  NotepadContent,
  NotepadDetails,
  NotepadPatch,
  NotepadSection,
  NotepadVersion,
  NotepadVersionDetails,
  notepadFilters,
} from '../src/features/notepads/schemas/notepads.ts'
import { created, one, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { DOCUMENTS } from './paths.ts'

export const notepadsRouter = new Hono<App>()
export const notepadsApi = endpoints(notepadsRouter, { path: DOCUMENTS.notepads, tag: 'Notepads' })

const params = v.object({ notepad_id: Id })
const versionParams = v.object({ notepad_id: Id, version_id: Id })
const read = scopes('notepads:read')
const write = scopes('notepads:write')
/** Text of 1 MB, as JSON, in which quotation marks and line breaks take two characters. */
const limits = { body: 4_000_000 }
const CHANGED = ['NOT_FOUND', 'FORBIDDEN', 'PRECONDITION_FAILED'] as const

resource(notepadsApi, {
  name: 'notepad',
  plural: 'notepads',
  table: notepads,
  returns: Notepad,
  record: NotepadDetails,
  list: {
    description: 'Without their content. `search` finds words of the title and of the first 2,000 characters.',
    filters: notepadFilters,
    sorts: NOTEPAD_SORTS,
    plan: listNotepads,
  },
  get: { description: 'With its content.', plan: getNotepad },
  update: {
    description:
      'Changes all but the content. Only its owner decides who sees a notepad; a client_admin may do so with one that every member ' +
      'sees, and owns it from then on.',
    body: NotepadPatch,
    plan: updateNotepad,
    errors: [...CHANGED],
  },
  remove: { plan: removeNotepad, errors: [...CHANGED] },
  restore: { guards: restoreGuards },
  history: true,
})
notepadsApi.post(
  '',
  {
    id: 'createNotepad',
    summary: 'Create a notepad',
    access: write,
    limits,
    body: NewNotepad,
    returns: created(NotepadDetails),
    errors: ['FORBIDDEN'],
  },
  ({ ctx, body }) => createNotepad(ctx, body),
)
notepadsApi.put(
  '/:notepad_id/content',
  {
    id: 'replaceNotepadContent',
    summary: 'Replace the content of a notepad',
    description:
      'Needs `If-Match` with the ETag of the notepad as it was read; `*` stands for any version. What was there before is a version.',
    access: write,
    limits,
    params,
    body: NotepadContent,
    returns: one(Notepad),
    errors: [...CHANGED],
  },
  ({ ctx, params, body }) => replaceContent(ctx, params.notepad_id, body.content),
)
notepadsApi.post(
  '/:notepad_id/append',
  {
    id: 'appendToNotepad',
    summary: 'Append to a notepad',
    description: 'Adds text at the end, on a line of its own. Of additions at the same time none is lost.',
    access: write,
    limits,
    params,
    body: NotepadAddition,
    returns: one(Notepad),
    errors: [...CHANGED],
  },
  ({ ctx, params, body }) => addContent(ctx, params.notepad_id, body.content, 'end'),
)
notepadsApi.post(
  '/:notepad_id/prepend',
  {
    id: 'prependToNotepad',
    summary: 'Prepend to a notepad',
    description: 'Adds text at the beginning, on a line of its own. Of additions at the same time none is lost.',
    access: write,
    limits,
    params,
    body: NotepadAddition,
    returns: one(Notepad),
    errors: [...CHANGED],
  },
  ({ ctx, params, body }) => addContent(ctx, params.notepad_id, body.content, 'start'),
)
notepadsApi.patch(
  '/:notepad_id/section',
  {
    id: 'updateNotepadSection',
    summary: 'Update a section of a notepad',
    description:
      'Replaces the text below a heading, and changes no other character. A heading within a code block, a list or a quotation is ' +
      'none. A path of several sections is CONFLICT, and details have their whole paths.',
    access: write,
    limits,
    params,
    body: NotepadSection,
    returns: one(Notepad),
    errors: [...CHANGED, 'CONFLICT'],
  },
  ({ ctx, params, body }) => replaceSectionOf(ctx, params.notepad_id, body),
)
notepadsApi.get(
  '/:notepad_id/versions',
  {
    id: 'listNotepadVersions',
    summary: "List a notepad's earlier contents",
    description:
      'The latest 20, newest first. Each replacement of text keeps what was there; where text is only added, ' +
      'one version in ten minutes is kept.',
    access: read,
    params,
    returns: one(v.array(NotepadVersion)),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => listVersions(params.notepad_id),
)
notepadsApi.get(
  '/:notepad_id/versions/:version_id',
  {
    id: 'getNotepadVersion',
    summary: "Get a notepad's earlier content",
    access: read,
    params: versionParams,
    returns: one(NotepadVersionDetails),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getVersion(params.notepad_id, params.version_id),
)
notepadsApi.post(
  '/:notepad_id/versions/:version_id/revert',
  {
    id: 'revertNotepad',
    summary: 'Revert a notepad to a version',
    description: 'The content that it replaces is a version then.',
    access: write,
    params: versionParams,
    returns: one(Notepad),
    errors: [...CHANGED],
  },
  ({ ctx, params }) => restoreVersion(ctx, params.notepad_id, params.version_id),
)
