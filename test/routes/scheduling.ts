import { randomUUID } from 'node:crypto'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, type Row } from './crm.ts'

const ENROLMENT = { mode: 'always', concurrency: 'parallel' }

/** Runs statements as a request of the workspace's owner would, without the API. */
async function asOwner(app: Harness, { id, keyId, userId }: TestWorkspace, ...statements: [string, unknown[]][]): Promise<Row[]> {
  const client = await app.owner.connect()
  try {
    await client.query('begin')
    await client.query(
      "select set_config('app.workspace_id', $1, true), set_config('app.key_id', $2, true), set_config('app.user_id', $3, true)",
      [id, keyId, userId],
    )
    let rows: Row[] = []
    for (const [text, values] of statements) rows = (await client.query(text, values)).rows
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** An automation without steps, published unless told otherwise. */
export async function automationIn(
  app: Harness,
  ws: TestWorkspace,
  { publish = true, enrolment = ENROLMENT as object } = {},
): Promise<string> {
  const id = randomUUID()
  const insert = `insert into automations (workspace_id, id, name, trigger, conditions, steps, enrolment)
    values ($1, $2, $3, '{"type": "schedule"}', '[]', '[]', $4)`
  await asOwner(
    app,
    ws,
    [insert, [ws.id, id, `Automation ${id}`, JSON.stringify(enrolment)]],
    ...(publish
      ? ([["select publish_automation($1, '{}', '{}', '{}'), note_start_rights($1, '{}', false)", [id]]] as [string, unknown[]][])
      : []),
  )
  return id
}

/** What the tests of schedules share: a workspace with a published automation. */
export function scheduling(app: Harness, ws: TestWorkspace, automation: string) {
  const path = (id: string) => `/auto-schedules/${id}`
  return {
    automation,
    schedule: async (fields: object = {}): Promise<Row> => {
      const body = { name: 'Digest', cron_expression: '* * * * *', audience_type: 'users', automation_id: automation, ...fields }
      return created(await ws.post('/auto-schedules', body))
    },
    /** Makes a schedule due since a time. */
    due: (id: string, at: string, fields: string = '') =>
      app.owner.query(`update auto_schedules set next_run_at = $2${fields} where id = $1`, [id, at]),
    read: async (id: string): Promise<Row> => found(await ws.get(path(id))),
    /** The fires of a schedule, oldest first. */
    fires: async (id: string): Promise<Row[]> => found(await ws.get(`${path(id)}/runs?limit=100`)).toReversed() as Row[],
    results: async (id: string, run: string): Promise<Row[]> => found(await ws.get(`${path(id)}/runs/${run}/results?limit=100`)),
    preview: async (id: string, sample = 50): Promise<Row> => found(await ws.get(`${path(id)}/audience-preview?sample=${sample}`)),
    /** The trigger data of the runs of a fire, in the order of the audience. */
    started: async (run: string): Promise<Row[]> => {
      const { rows } = await app.owner.query(
        `select record_id, contact_id, opportunity_id, trigger_data, due_at, source from automation_runs where source_id = $1
          order by dedupe_key collate "C"`,
        [run],
      )
      return rows
    },
    async tick(at: string | Date): Promise<void> {
      await app.cron('* * * * *', new Date(at))
      await app.drain()
    },
  }
}
