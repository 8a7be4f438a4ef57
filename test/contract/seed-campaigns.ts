import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, type Operation, operations } from './samples.ts'
import { sendSample } from './send.ts'

/** A campaign in each state, with a recipient, which nothing in the background finds; and somebody who unsubscribed. */
export async function addCampaigns(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const upload = operations.find(({ name }) => name === 'POST /email-campaigns') as Operation
  for (const state of ['ready', 'scheduled', 'sending', 'paused']) {
    const { id } = (await sendSample(app, ws, upload, {})).body.data
    ids[`${state}_email_campaign_id`] = id
    if (state !== 'ready')
      await app.owner.query(`begin; set local session_replication_role = replica;
        update email_campaigns set status = '${state}' where id = '${id}';
        insert into campaign_sends (workspace_id, campaign_id, is_resolved) values ('${ws.id}', '${id}', true);
        insert into campaign_recipients (workspace_id, campaign_id, contact_id, email, due_at)
          values ('${ws.id}', '${id}', '${ids.contact_id}', 'ana@example.com', null);
        commit`)
  }
  const clicked = await app.owner.query(
    `with link as (insert into campaign_links (workspace_id, campaign_id, url) values ($1, $2, 'https://example.com/') returning id)
      insert into campaign_clicks (workspace_id, link_id, recipient_id, clicked_at) select $1, link.id, r.id, now()
        from campaign_recipients r, link
        where r.campaign_id = $2 returning link_id`,
    [ws.id, ids.sending_email_campaign_id],
  )
  ids.link_id = clicked.rows[0].link_id
  await app.owner.query(
    "insert into unsubscribes (workspace_id, email, contact_id, reason) values ($1, 'ana@example.com', $2, 'link_click')",
    [ws.id, ids.contact_id],
  )
}
