import { expect, test } from 'vitest'
import { innerFunctions, type SqlFunction, scopeOf, sqlFunctions, tenantTables } from './sql-text.ts'

/** What the text of functions shows that no other test would notice: a statement that reaches too far, or that reads what may change. */

/** Functions that run as their owner, or that only such functions call, and have statements about rows of all workspaces, by the reason. */
const OF_ALL: Record<string, string[]> = {
  'what has expired': ['expire_approvals', 'expire_auto_replies', 'expire_rows', 'expire_skill_runs', 'forget_unpaid_orders'],
  'what is due': [
    'claim_birthdays',
    'claim_waiting_list',
    'claim_zone_work',
    'mark_stale_approvals',
    'mark_stale_calendars',
    'send_reminders',
  ],
  'what is counted anew': ['check_record_times', 'fold_record_counts_after', 'fold_workspaces'],
  'a secret, a number, a channel or a client says of which workspace it is': [
    'authorize',
    'email_inbox_grant',
    'incoming_grant',
    'link_agency_client',
    'lock_agency_of',
    'notify_calendar',
    'public_file',
    'receive_webhook',
    'take_grant_request',
    'take_held_account',
    'voice_route',
    'whatsapp_token_grant',
  ],
  'numbers, accounts and addresses of any workspace': [
    'is_account_in_use',
    'queue_sms_reply',
    'read_ended_mailboxes',
    'reserve_phone_number',
    'unknown_suppressions',
  ],
  'whether any workspace has such a field': ['clear_custom_references'],
  'its condition has a name: goes': ['fit_rows', 'revert_moves'],
}

/** Functions that read a row without a lock before they write to it, by the reason. */
const UNLOCKED: Record<string, string[]> = {
  'who calls it has locked the row, or another row for it': [
    'add_recipients',
    'append_to_whiteboard',
    'attach_files',
    'begin_publication',
    'bind_whiteboard_elements',
    'claim_recipients',
    'claim_unclear',
    'conclude_booking_copy',
    'conclude_notetaker',
    'end_lead_enrolments',
    'end_request',
    'fire_lead_task',
    'fit_rows',
    'next_campaign_step',
    'outside_changes',
    'plan_merge',
    'publish_automation',
    'publish_queue',
    'read_booking_copies',
    'read_notetakers',
    'relink_custom_next',
    'relink_next',
    'replace_whiteboard',
    'restore_batch',
    'revert_moves',
    'save_import_rows',
    'save_list_members',
    'save_list_walk',
    'save_schedule_part',
    'settle_whatsapp_message',
    'supersede_memories',
    'undo_import',
    'unmerge_records',
  ],
  'it has an advisory lock': [
    'define_custom_field',
    'fold_opportunities',
    'fold_record_counts',
    'record_call_reports',
    'whatsapp_conversation_with',
  ],
  'either of two changes of the companies of a contact may come last': ['choose_main_company'],
  'another row decides, which it has locked': ['claim_webhook', 'end_auto_reply', 'withdraw_proposal'],
  'the write asks again, or it changes nothing that the row decides': [
    'begin_next_run',
    'change_subscription',
    'claim_waiting_list',
    'delete_linked_activities',
    'erase_traces',
    'forget_unpaid_orders',
    'mark_stale_approvals',
    'receive_webhook',
    'refuse_review_request',
  ],
}

/** How many times they do, if it is more than once. */
const SEVERAL: Record<string, number> = {
  attach_files: 2,
  erase_traces: 2,
  fire_lead_task: 2,
  fold_opportunities: 2,
  plan_merge: 2,
  restore_batch: 2,
  revert_moves: 3,
  save_list_members: 3,
  supersede_memories: 2,
  whatsapp_conversation_with: 2,
}

/** What stands after a table that is no other name of it. */
const NO_NAME = 'where|set|on|join|left|cross|order|group|limit|offset|for|loop|using|union|returning|then|and|or|is|in|values|end|into'
const TABLES = new RegExp(`(?:\\b(from|join|update|using)|,)\\s+(?:only )?(\\w+)(?:\\s+(?:as )?(?!(?:${NO_NAME})\\b)([a-z_]\\w*))?`, 'g')
/** The workspace, or the places of rows that another select has chosen. */
const BOUND = /(?<![.\w])workspace_id\s*(=|in\b)|\(workspace_id,|=\s*workspace_id\b|\bctid = any\b/
const LOCK = /\bfor (no key )?(key )?(update|share)\b/

/** The tables of tenants in the statements of a function that do not say of which workspace. */
function unbound({ name, body }: SqlFunction): string[] {
  return [...body.matchAll(TABLES)].flatMap(({ index, 0: text, 1: word, 2: table = '', 3: other }) => {
    // A comma may stand before anything; `for update of` names no table.
    if (!tenantTables.has(table) || (!word && !other) || /\bfor (no key )?$/.test(body.slice(0, index))) return []
    const scope = scopeOf(body, index + text.length - 1)
    return BOUND.test(scope) || new RegExp(`\\b${other ?? table}\\.workspace_id\\b`).test(scope) ? [] : [`${name}: ${table}`]
  })
}

/** The first table of tenants that a select reads. */
const tableOf = (read: string) =>
  [...read.matchAll(/\b(?:from|join) (\w+)/g)].map(([, table]) => table as string).find((table) => tenantTables.has(table))

/** The tables that a function reads into a variable without a lock, and then writes to. */
function readUnlocked({ name, body }: SqlFunction): string[] {
  const reads = [/\bselect\b[^;]*?\binto\b[^;]*;/g, /:= (?:array)?\(select\b[^;]*;/g, /\bin select\b[\s\S]*?\bloop\b/g].flatMap((form) => [
    ...body.matchAll(form),
  ])
  return reads.flatMap(({ index, 0: read }) => {
    const table = tableOf(read)
    const isWritten = new RegExp(`\\b(update|delete from) ${table}\\b`).test(body.slice(index + read.length))
    return table && isWritten && !LOCK.test(read) ? [`${name}: ${table}`] : []
  })
}

test('each statement of a function that runs as its owner says of which workspace it reads and writes rows', () => {
  expect(tenantTables.size).toBeGreaterThan(200)
  const owners = sqlFunctions.filter(({ name, head }) => head.includes('security definer') || innerFunctions.has(name))
  expect(owners.length).toBeGreaterThan(400)
  const found = owners.flatMap(unbound)
  const expected = Object.values(OF_ALL).flat()
  expect(found.filter((one) => !expected.includes(one.split(':')[0] as string))).toEqual([])
  expect(expected.filter((name) => !found.some((one) => one.startsWith(`${name}:`)))).toEqual([])
})

test('a function that reads a row and then writes to its table locks it when it reads', () => {
  const found = Object.groupBy(sqlFunctions.flatMap(readUnlocked), (one) => one.split(':')[0] as string)
  const reads = Object.entries(found).map(([name, tables]) => [name, tables?.length ?? 0])
  const expected = Object.values(UNLOCKED).flat()
  expect(Object.fromEntries(reads)).toEqual(Object.fromEntries(expected.map((name) => [name, SEVERAL[name] ?? 1])))
})

test('what is selected for nothing but its locks is locked', () => {
  // It asks whether there is such a row.
  const locking = sqlFunctions.filter(({ name }) => name !== 'assert_mailbox_alias')
  const selects = locking.flatMap(({ name, body }) =>
    [...body.matchAll(/\bperform (?:\d+ )?from [^;]*;/g)].map(([text]) => `${name}: ${text}`),
  )
  expect(selects.length).toBeGreaterThan(50)
  expect(selects.filter((text) => !LOCK.test(text))).toEqual([])
})

test('a function that is named after its lock takes it in each of its selects', () => {
  // One selects the types of fields, and locks the records of each.
  const locking = sqlFunctions.filter(({ name }) => name.startsWith('lock_') && name !== 'lock_custom_targets')
  const reads = locking.flatMap(({ name, body }) => [...body.matchAll(/\bselect\b[^;]*?\binto\b[^;]*;/g)].map(([read]) => ({ name, read })))
  expect(reads.length).toBeGreaterThan(3)
  expect(reads.filter(({ read }) => tableOf(read) && !LOCK.test(read))).toEqual([])
})
