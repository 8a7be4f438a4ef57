import { type SQL, sql } from 'drizzle-orm'
import { files } from '../../../../schema/index.ts'
import { fromSet } from '../../../data/list-scan.ts'
import { visibleSets } from '../../../data/lists.ts'
import { EMAIL_FOLDER, FILE_FOLDER, MEDIA_FOLDER, STORED_FOLDER } from '../../../domain/file-names.ts'

/**
 * The files of a workspace, whatever they belong to, as rows of `files`: this alone decides which there are and who may read them. Those of
 * a record or of a message need the right to read it. A file that was sent with a message is one of a record.
 */
type Kind = {
  /** The folder of its objects. */
  folder: string
  /** Where its rows are: conditions follow. */
  from: SQL
  /** The columns that differ from those of `files`. */
  columns: Record<string, SQL>
  /** Whether rows can be private to a member. */
  isPrivate?: true
}

const COLUMNS = [
  ...['id', 'workspace_id', 'type', 'name', 'content_type', 'size', 'sha256', 'width', 'height', 'state', 'uploaded_by'],
  ...['version', 'created_at', 'updated_at', 'record_type', 'record_id'],
]
const SECURE = { type: sql`'secure'::text`, width: sql`null::int`, height: sql`null::int` }
const RECEIVED = {
  ...SECURE,
  sha256: sql`null::text`,
  state: sql`'stored'::text`,
  uploaded_by: sql`null::uuid`,
  version: sql`1`,
  updated_at: sql`t.created_at`,
}

const attached = (record: string, column: string, scope: string): Kind => ({
  folder: FILE_FOLDER,
  from: sql.raw(`attachments t where t.${column} is not null and (select has_scopes(array['${scope}:read']))`),
  columns: { ...SECURE, record_type: sql.raw(`'${record}'::text`), record_id: sql.raw(`t.${column}`) },
})
const ofMessage = (channel: string): Kind => ({
  folder: MEDIA_FOLDER,
  from: sql.raw(
    `message_media t where t.status = 'stored' and t.${channel}_message_id is not null and (select has_scopes(array['${channel}:read']))`,
  ),
  columns: {
    ...RECEIVED,
    name: sql`coalesce(t.name, t.id::text)`,
    content_type: sql`coalesce(t.content_type, 'application/octet-stream')`,
    size: sql`coalesce(t.size, 0)`,
    record_type: sql.raw(`'${channel}_message'::text`),
    record_id: sql.raw(`t.${channel}_message_id`),
  },
})

const OWN: Kind = {
  folder: STORED_FOLDER,
  from: sql`files t where true`,
  columns: { record_type: sql`null::text`, record_id: sql`null::uuid` },
}
const KINDS: Kind[] = [
  OWN,
  attached('contact', 'contact_id', 'contacts'),
  attached('company', 'customer_id', 'companies'),
  attached('opportunity', 'opportunity_id', 'opportunities'),
  {
    folder: EMAIL_FOLDER,
    from: sql`email_attachments t where t.is_stored and (select has_scopes(array['email:read']))`,
    columns: { ...RECEIVED, record_type: sql`'email_message'::text`, record_id: sql`t.email_message_id` },
    isPrivate: true,
  },
  ofMessage('sms'),
  ofMessage('whatsapp'),
]

const columnsOf = ({ columns }: Kind): SQL =>
  sql.join(
    COLUMNS.map((name) => (columns[name] ? sql`${columns[name]} as ${sql.identifier(name)}` : sql`t.${sql.identifier(name)}`)),
    sql`, `,
  )
const selectOf = (kind: Kind): SQL => sql`select ${columnsOf(kind)} from ${kind.from}`

/** The sets of a list of files (see page), each of which an index gives in order. Only secure files are anywhere else than in `files`. */
export const setsOfFiles = (type: string | undefined): SQL[] =>
  (type === undefined || type === 'secure' ? KINDS : [OWN]).flatMap((kind) =>
    kind.isPrivate ? visibleSets(selectOf(kind), sql`t.private_to`) : [selectOf(kind)],
  )

const together = (selects: SQL[]): SQL => sql.join(selects, sql` union all `)

/** A select from `files`, of the file with this id. */
export const fromFile = (id: string, select: SQL): SQL =>
  fromSet(files, together(KINDS.map((kind) => sql`${selectOf(kind)} and t.id = ${id}`)), select)

/** Where the file with this id is stored: its folder and its workspace, with its name and its state. */
export const placeOfFile = (id: string): SQL =>
  together(
    KINDS.map(
      (kind) =>
        sql`select ${kind.folder}::text as folder, p.workspace_id, p.id, p.name, p.state from (${selectOf(kind)} and t.id = ${id}) p`,
    ),
  )
