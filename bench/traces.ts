import { id, OWNERS, one, oneOf } from './values.ts'

/** The times by which records are sorted, of all of the workspace (see record-times.sql). */
const times = (sort: string, column: string, time: string, rows: string) =>
  `insert into record_times (workspace_id, sort, number, record_id)
    select workspace_id, '${sort}', extract(epoch from ${time}) * 1000, ${column}
    from ${rows} and workspace_id = current_workspace() and ${column} is not null group by workspace_id, ${column} on conflict do nothing`
const TIMES = [
  ...['contacts contact_id', 'companies customer_id', 'opportunities deal_id'].map((names) => {
    const [plural, column] = names.split(' ') as [string, string]
    return times(`${plural}.last_activity_at`, column, 'max(occurred_at)', 'activities where true')
  }),
  ...['contacts contact_id', 'companies customer_id', 'opportunities opportunity_id'].map((names) => {
    const [plural, column] = names.split(' ') as [string, string]
    const open = `tasks where status <> 'completed' and not archived and due_at is not null`
    return times(`${plural}.next_task_due_at`, column, 'min(due_at)', open)
  }),
]

/** The rows that triggers would have written: the creation of each record, and the link of a contact to its company. */
export const traces = (made: string) => {
  const entity = `(array['contact', 'opportunity'])[1 + i]`
  const entityId = `case i when 0 then ${id('contact', 'n')} else ${id('opportunity', 'n')} end`
  const each = `from added, generate_series(0, 1) i order by n, i`
  return [
    `insert into changes (id, entity, entity_id, action, fields, version, request_id, at)
      select ${id('change', 'n * 2 + i')}, ${entity}, ${entityId}, 'created', '{"name": {"after": "x"}}', 1,
      ${id('request', 'n')}, ${made} ${each}`,
    `insert into outbox (id, type, entity, entity_id, payload, request_id, at, delivered_at)
      select ${id('change', 'n * 2 + i')}, ${entity} || '.created', ${entity}, ${entityId}, '{}', ${id('request', 'n')},
      ${made}, ${made} ${each}`,
    `insert into requests (id, key_id, user_id, method, path, endpoint, status, outcome, duration_ms)
      select ${id('request', 'n')}, ${one('user', 20)}, ${one('user', OWNERS)},
      ${oneOf('GET', 'GET', 'POST', 'PATCH')}, '/contacts/' || n % 5000,
        '/contacts/:contact_id', case when random() < 0.05 then 404 else 200 end, 'done', 20 from added`,
    `insert into employers (id, contact_id, customer_id) select ${id('employer', 'n')}, c.id, c.customer_id from added
      join contacts c on c.id = ${id('contact', 'n')} and c.workspace_id = current_workspace() where c.customer_id is not null`,
    `insert into stage_moves (id, opportunity_id, to_stage_name, moved_at)
      select ${id('stageMove', 'n')}, ${id('opportunity', 'n')}, 'New', ${made} from added`,
    `insert into timeline_changes (record_id, at, change_id) select ${id('opportunity', 'n')}, ${made}, ${id('change', 'n * 2 + 1')}
      from added`,
    `insert into birthday_deliveries (contact_id, year, channel, day, result, created_at)
      select ${id('contact', 'n')}, extract(year from ${made}), 'email', (${made})::date, 'queued', ${made} from added`,
    `insert into idempotency (key_id, key, request_hash, outcome, at) select ${id('user', '1')}, 'key-' || n, 'hash',
      jsonb_build_object('mode', 'run', 'request_id', ${id('request', 'n')},
        'answer', jsonb_build_array(jsonb_build_array(${id('contact', 'n')}, 'person' || n || '@example.com'))), now() from added`,
    `insert into purged_records (id, entity, purged_at) select ${id('erased', 'n')}, 'contact', ${made} from added where n % 20 = 0`,
    `insert into merges (id, entity, winner_id, losers, created_at)
      select ${id('merge', 'n')}, 'contact', ${id('contact', 'n')},
      jsonb_build_array(jsonb_build_object('id', ${id('erased', 'n')}, 'name', 'Ana')), now() from added where n % 20 = 0`,
    `insert into merge_entries (merge_id, table_name, row_id, action, place, before, after)
      select ${id('merge', 'n')}, table_name, ${id('erased', 'n')}, action, 0,
      jsonb_build_object('contact_id', ${id('erased', 'n')}), jsonb_build_object('contact_id', ${id('contact', 'n')})
        from added, (values ('contacts', 'merged'), ('tasks', 'moved')) as kinds(table_name, action) where n % 20 = 0`,
    `insert into auto_queue_list_enrolments (id, auto_queue_id, list_id, state, key_id, enrolled, created_at, ended_at)
      select ${id('listEnrolment', 'n')}, ${id('queue', '1')},
      (select id from lists where workspace_id = current_workspace() limit 1), 'completed', ${id('user', '1')}, 100, ${made}, ${made}
        from added where n % 20 = 0`,
    `insert into imports (id, state, object, file_name, size, sha256, mapping, date_format, created_by)
      select ${id('import', 'n')}, 'completed', 'contacts', 'people.csv', 1000, 'x', '{}', 'YYYY-MM-DD', ${id('user', '1')}
      from added where n = 1`,
    `insert into import_files (import_id, encoding, delimiter, has_header, columns, suggestions, preview, total, first_byte,
      first_line, next_byte, next_line)
      select ${id('import', 'n')}, 'utf-8', ',', true, '[]', '{}', '[]', 1000, 0, 1, 1000, 1000 from added where n = 1`,
    `insert into import_rows (id, import_id, line, status, record_id, values) select ${id('importRow', 'n')}, ${id('import', '1')}, n,
      case when n % 10 = 0 then 'failed' else 'created' end, case when n % 10 > 0 then ${id('contact', 'n')} end,
        case when n % 10 = 0 then jsonb_build_object('email', 'line' || n || '@example.com') end from added`,
    ...TIMES,
  ]
}
