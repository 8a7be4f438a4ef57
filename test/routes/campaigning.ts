import { reportOf } from '../../dev/email-reports.ts'
import { type Crm, created, found, type Row } from './crm.ts'

export const LINK = '<a href="{{unsubscribe_url}}">Unsubscribe</a>'
export const TOKEN = 'the-token-of-email-events'

/** Campaigns, their background, and what the provider reports. */
export function campaigning(crm: Crm) {
  const path = (id: string, rest = '') => `/email-campaigns/${id}${rest}`
  const show = async (id: string) => found(await crm.ws.get(path(id))) as Row
  /** The first sender of the workspace. */
  const sender = async (): Promise<Row> => {
    const [first] = found(await crm.ws.get('/email/configs')) as Row[]
    if (first) return first
    const handle = `news-${crm.ws.id.slice(-12)}`
    return created(
      await crm.ws.post('/email/configs', { from_email_handle: handle, from_name: 'Harbour', staff_email: 'team@example.com' }),
    )
  }
  return {
    sender,
    path,
    show,
    /** A campaign to every contact with the tag. */
    draft: async (fields: Row = {}) => {
      await sender()
      return created(
        await crm.ws.post('/email-campaigns', {
          name: 'Spring',
          subject: 'Hello {{first_name | there}}',
          body_html: `<p>Dear {{first_name}}</p>${LINK}`,
          segment_filter: { tags: ['News'] },
          ...fields,
        }),
      )
    },
    /** Contacts with the tag, inserted behind the API: their addresses begin with `prefix`. */
    people: async (count: number, prefix = 'person', tag = 'News') => {
      await crm.app.owner.query(
        `insert into contacts (workspace_id, first_name, email, tags) select $1, 'Person ' || n, $2 || n || '@example.com', $4::jsonb
          from generate_series(1, $3::int) n`,
        [crm.ws.id, `${prefix}-`, count, JSON.stringify([{ name: tag, color: null }])],
      )
    },
    send: async (id: string) => found(await crm.ws.post(path(id, '/send'))) as Row,
    /** As if the time until anything is due had gone by, and the cron job came. */
    later: async (times = 1) => {
      for (let n = 0; n < times; n++) {
        await crm.app.owner.query('update campaign_recipients set due_at = now() where due_at is not null and workspace_id = $1', [
          crm.ws.id,
        ])
        await crm.app.owner.query('update campaign_sends set due_at = now() where due_at is not null and workspace_id = $1', [crm.ws.id])
        await crm.app.cron('* * * * *')
        await crm.app.drain()
      }
    },
    recipients: (id: string, query = '') => crm.walk(`${path(id, '/recipients')}?limit=100${query}`),
    sentOf: (id: string) => crm.app.email.sent.filter(({ Metadata }) => Metadata?.campaign_id === id),
    report: (body: unknown, token = TOKEN) =>
      crm.app.fetch(`/email-events/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    reportOf,
  }
}
