import { createHash } from 'node:crypto'
import type pg from 'pg'
import { tenantTables } from '../contract/state.ts'

type Row = Record<string, unknown>

/**
 * Members, keys and settings differ between workspaces, and no message changes them; requests share rows by the time at which they arrive.
 */
const LEFT_OUT = ['api_key_uses', 'api_keys', 'crm_settings', 'feed_followers', 'idempotency', 'memberships', 'requests', 'roles']
/** Entries that no longer hold may be left over, and are skipped by readers. */
const DERIVED = ['record_time_checks', 'record_times']
/** What counts attempts and durations, or is random: columns of any table, or of one. */
const VOLATILE = new Set(
  `attempts turn automation_triggers.since booking_copies.event_id campaign_windows.taken claim_id claimed_at credit_entries.balance \
custom_indexes.cursor custom_indexes.done custom_indexes.total duration_ms leased_until log messages.version notetakers.version \
notetakers.webhook_ids response sealed_secret sealed_token
  search_words.typo_keys since_xid token_hash whatsapp_reads.until_id workspace_id xid`.split(/\s+/),
)
/**
 * The history of a message or a notetaker says which of its attempts were unclear, and that of a conversation in which order its messages
 * were processed.
 */
const BY_WAY = ['message', 'notetaker', 'whatsapp_conversation', 'conversation']
/** Each workspace and its keys have other names. */
const isRecordCompared = ({ entity, action, type }: Row): boolean =>
  !['api_key', 'workspace'].includes(entity as string) &&
  !(BY_WAY.includes(entity as string) && (action === 'updated' || type === `${entity}.updated`))

/** A list names the last change of a record before it was looked at, which may be a later one than that by which it entered. */
const CAUSE = ['cause_id', 'cause_type', 'depth', 'key_id', 'request_id', 'user_id']

function isCompared(table: string, row: Row, column: string): boolean {
  if (['list.entered', 'list.left'].includes(row.type as string) && CAUSE.includes(column)) return false
  // The report of a provider may settle a message whose answer was lost.
  if (column === 'cause_type' || column === 'cause_id') return row.cause_type !== 'provider' && row.cause_type !== null
  return column !== 'id' && !VOLATILE.has(column) && !VOLATILE.has(`${table}.${column}`)
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
/** What providers give out, and what names the workspace: numbers, ids of numbers, messages, calls and bots, its name and its address. */
const OUTSIDE =
  /\+6149\d{7}|\b(?:AD|PN|SM|call_|crm\+)[0-9a-f]{32,33}\b|(?<=\+)[0-9a-f]{32}(?=@)|\b3EB0[0-9A-F]{18}\b|(?<=Workspace |Workspace%20|Owner |workspace-|owner-)[0-9a-f]{8}\b/g
const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)/g
const ROUNDS = 4

/**
 * All rows of a workspace, as sorted texts that are the same for workspaces in which the same happened. Times are left out. In `linked`, an
 * id is replaced by what its rows have, and those that they refer to, so that different references make different texts; `rows` has no ids,
 * which makes differences readable.
 */
export async function canonicalState(owner: pg.Pool, workspaceId: string): Promise<{ rows: string[]; linked: string[] }> {
  const tables = (await tenantTables(owner)).filter((table) => ![...LEFT_OUT, ...DERIVED].includes(table))
  const select = tables.map((table) => `select '${table}' as "table", to_jsonb(t) as row from ${table} t where workspace_id = $1`)
  const { rows } = await owner.query<{ table: string; row: Row }>(select.join(' union all '), [workspaceId])
  const recorded = rows.filter(({ row }) => isRecordCompared(row))
  const texts = recorded.map(({ table, row }) => {
    const kept = Object.entries(row).filter(([column]) => isCompared(table, row, column))
    return {
      id: row.id as string | undefined,
      text: `${table} ${JSON.stringify(Object.fromEntries(kept)).replace(INSTANT, '@').replace(OUTSIDE, '@')}`,
    }
  })
  let names = new Map<string, string>()
  for (let round = 0; round < ROUNDS; round++) {
    const own = Map.groupBy(
      texts.filter(({ id }) => id !== undefined),
      ({ id }) => id as string,
    )
    const named = (text: string) => text.replace(ID, (id) => names.get(id) ?? '#')
    names = new Map(
      [...own].map(([id, of]) => [
        id,
        hashed(
          of
            .map(({ text }) => named(text))
            .toSorted()
            .join('\n'),
        ),
      ]),
    )
  }
  const all = (nameOf: (id: string) => string) => texts.map(({ text }) => text.replace(ID, nameOf)).toSorted()
  return { rows: all(() => '#'), linked: all((id) => names.get(id) ?? '#') }
}

const hashed = (text: string) => createHash('sha1').update(text).digest('hex').slice(0, 8)
