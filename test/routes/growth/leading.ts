import type pg from 'pg'

/** A contact sends an email, as the background stores it. */
export async function receivesEmail(owner: pg.Pool, workspace: string, contact: string): Promise<void> {
  const { rows } = await owner.query(
    `insert into email_threads (workspace_id, subject, direction) values ($1, 'Re: Hello', 'inbound') returning id`,
    [workspace],
  )
  await owner.query(
    `insert into email_messages (workspace_id, thread_id, direction, contact_id, internet_id, from_email)
     values ($1, $2, 'inbound', $3, $4, 'someone@ends.example')`,
    [workspace, rows[0]?.id, contact, `${crypto.randomUUID()}@ends.example`],
  )
}
