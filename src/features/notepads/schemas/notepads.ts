import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { clean, text } from '../../../schemas/pipes.ts'
import { MAX_DEPTH } from '../rules/notepad-sections.ts'
import { ACCESS_LEVELS, MAX_ACCESS, MAX_CONTENT_BYTES, MAX_RESTRICTED, VISIBILITIES } from '../rules/notepads.ts'

const VISIBLE =
  '`private`: only its owner sees it. `workspace`: every member. `restricted`: its owner, and those in `access`; ' +
  `at most ${MAX_RESTRICTED} in a workspace.`
const CONTENT = `Markdown of at most ${MAX_CONTENT_BYTES / 1_000_000} MB, stored as sent.`
const SAMPLE = '# Kick-off\n\nThey want to start in March.\n\n## Open points\n\n- Access to the site\n'

/** Text that is stored exactly as it was sent. */
const Markdown = v.pipe(
  text('markdown text'),
  clean,
  v.check(
    (value) => value.length <= MAX_CONTENT_BYTES && new TextEncoder().encode(value).length <= MAX_CONTENT_BYTES,
    `must be at most ${MAX_CONTENT_BYTES / 1_000_000} MB: split it into several notepads`,
  ),
  v.description(CONTENT),
  v.examples([SAMPLE]),
)

const AccessEntry = v.pipe(
  v.strictObject({
    user_id: v.optional(v.nullable(describe(Id, 'A member of the workspace; null in an entry for a role.')), null),
    role: v.optional(
      v.nullable(describe(SingleLine(60), 'The key of a role, for all members with it; null in an entry for a member.')),
      null,
    ),
    level: describe(Enum(ACCESS_LEVELS), '`read`, or `write` for changing it too.', 'read'),
  }),
  v.examples([{ user_id: null, role: 'client_viewer', level: 'read' as const }]),
)
const Access = v.pipe(
  v.array(AccessEntry, 'must be a list of {user_id or role, level}'),
  v.maxLength(MAX_ACCESS, `must have at most ${MAX_ACCESS} entries: name a role instead of its members`),
  v.description('Who sees a restricted notepad beside its owner: members and roles.'),
  v.examples([[]]),
)

const links = {
  contact_id: optional(describe(Id, 'The contact that it is about.')),
  customer_id: optional(describe(Id, 'The company that it is about.')),
  opportunity_id: optional(describe(Id, 'The opportunity that it is about.')),
}
const fields = {
  title: describe(Name(200), 'What the notepad is called.', 'Kick-off with Harbour Renovations'),
  visibility: v.optional(describe(Enum(VISIBILITIES), VISIBLE, 'workspace')),
  access: v.optional(Access),
  ...links,
}
export const NewNotepad = v.strictObject({ ...fields, content: v.optional(Markdown) })
export type NewNotepad = v.InferOutput<typeof NewNotepad>
export const NotepadPatch = v.partial(v.strictObject(fields))
export type NotepadPatch = v.InferOutput<typeof NotepadPatch>

export const notepadFilters = {
  visibility: v.optional(describe(Enum(VISIBILITIES), 'Only notepads with this visibility.', 'workspace')),
  owner_id: v.optional(describe(Id, 'Only notepads of this member.')),
  contact_id: v.optional(Id),
  customer_id: v.optional(Id),
  opportunity_id: v.optional(Id),
}
export const NOTEPAD_SORTS = ['created_at', 'updated_at', 'title']

export const NotepadContent = v.strictObject({ content: Markdown })
export const NotepadAddition = v.strictObject({
  content: describe(
    v.pipe(Markdown, v.minLength(1, 'must not be empty')),
    'Markdown that is added on a line of its own.',
    '- Called: they confirm the date.',
  ),
})
export const NotepadSection = v.strictObject({
  path: v.pipe(
    v.array(describe(SingleLine(500), 'The text of a heading.', 'Open points'), 'must be a list of headings'),
    v.minLength(1, 'must name at least one heading'),
    v.maxLength(MAX_DEPTH, `must have at most ${MAX_DEPTH} headings`),
    v.description(
      'The headings from the outermost to that of the section, as plain text. Outer ones can be left out where one section remains.',
    ),
    v.examples([['Kick-off', 'Open points']]),
  ),
  content: describe(
    Markdown,
    'The new text below the heading, up to the next heading of the same or a higher level. Empty: none.',
    '- None any more',
  ),
})
export type NotepadSection = v.InferOutput<typeof NotepadSection>

const digest = {
  content_length: v.pipe(v.number(), v.integer(), v.description('The number of characters of the content.'), v.examples([72])),
  content_sha256: v.pipe(v.string(), v.description('The SHA-256 digest of the content in UTF-8, in hexadecimal.')),
}
const content = v.pipe(v.string(), v.description(CONTENT), v.examples([SAMPLE]))

const notepad = {
  id: Id,
  title: v.string(),
  visibility: v.pipe(v.picklist(VISIBILITIES), v.description(VISIBLE), v.examples(['workspace'])),
  access: v.pipe(
    v.array(v.object({ user_id: v.nullable(Id), role: v.nullable(v.string()), level: v.picklist(ACCESS_LEVELS) })),
    v.description('Who sees a restricted notepad beside its owner: members and roles.'),
    v.examples([[]]),
  ),
  owner_id: v.pipe(v.nullable(Id), v.description('The member who decides who sees it: who has made it.')),
  contact_id: v.nullable(Id),
  customer_id: v.nullable(Id),
  opportunity_id: v.nullable(Id),
  ...digest,
  ...timestamps,
}
export const Notepad = named('Notepad', v.object(notepad))
export type Notepad = v.InferOutput<typeof Notepad>
export const NotepadDetails = named('NotepadDetails', v.object({ ...notepad, content }))
export type NotepadDetails = v.InferOutput<typeof NotepadDetails>

const version = {
  id: Id,
  notepad_id: Id,
  notepad_version: v.pipe(v.number(), v.integer(), v.description('The version of the notepad that had this content.'), v.examples([1])),
  ...digest,
  replaced_by: v.pipe(v.nullable(Id), v.description('The member who has changed it.')),
  created_at: v.pipe(InstantOut, v.description('When it was changed.')),
}
export const NotepadVersion = named('NotepadVersion', v.object(version))
export type NotepadVersion = v.InferOutput<typeof NotepadVersion>
export const NotepadVersionDetails = named('NotepadVersionDetails', v.object({ ...version, content }))
export type NotepadVersionDetails = v.InferOutput<typeof NotepadVersionDetails>
