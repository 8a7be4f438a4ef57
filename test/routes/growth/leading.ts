import type pg from 'pg'

/** A transaction of a workspace, as the background makes it. */
export async function inWorkspace<Out>(owner: pg.Pool, workspace: string, work: (client: pg.PoolClient) => Promise<Out>): Promise<Out> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query("select set_config('app.workspace_id', $1, true)", [workspace])
    const out = await work(client)
    await client.query('commit')
    return out
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** A contact sends an email, as the background stores it. */
export async function receivesEmail(owner: pg.Pool, workspace: string, contact: string): Promise<void> {
  await inWorkspace(owner, workspace, async (client) => {
    const { rows } = await client.query(
      `insert into email_threads (workspace_id, subject, direction) values ($1, 'Re: Hello', 'inbound') returning id`,
      [workspace],
    )
    await client.query(
      `insert into email_messages (workspace_id, thread_id, direction, contact_id, internet_id, from_email)
       values ($1, $2, 'inbound', $3, $4, 'someone@ends.example')`,
      [workspace, rows[0]?.id, contact, `${crypto.randomUUID()}@ends.example`],
    )
  })
}
