import { Hono } from 'hono'
import * as v from 'valibot'
import { changeSubscription, linkHolder, readChoice, showUnsubscribe } from '../../src/features/campaigns/plans/unsubscribe.ts'
import { html, raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Id, SingleLine } from '../../src/schemas/fields.ts'

const router = new Hono<App>()
const unsubscribeApi = endpoints(router, { base: '', path: '/unsubscribe', tag: 'Email Campaigns' })

const params = v.object({ workspace_id: Id, recipient_id: Id })
const query = v.strictObject({
  expires: describe(SingleLine(20), 'Until when the link works.', '2100000000'),
  signature: describe(SingleLine(100), 'The signature of the link.', 'x'),
})
const access = { scopes: [], principal: linkHolder }

unsubscribeApi.get(
  '/:workspace_id/:recipient_id',
  {
    id: 'showUnsubscribePage',
    summary: 'Show the unsubscribe page',
    description: 'The page that the unsubscribe link of a campaign leads to. It changes nothing until its button is pressed.',
    access,
    params,
    query,
    returns: html(),
    errors: ['UNAUTHENTICATED'],
  },
  ({ params }) => showUnsubscribe(params.recipient_id),
)
unsubscribeApi.post(
  '/:workspace_id/:recipient_id',
  {
    id: 'changeSubscription',
    summary: 'Unsubscribe, or get emails again',
    description:
      'What the button of the page sends, and what mail programs send for one-click unsubscribe (RFC 8058: ' +
      '`List-Unsubscribe=One-Click`). An address that bounced or complained stays blocked.',
    access,
    params,
    query,
    body: raw(readChoice),
    returns: html(),
    errors: ['UNAUTHENTICATED'],
  },
  ({ params, body }) => changeSubscription(params.recipient_id, body),
)

/** The page for recipients of campaigns. It is not documented among the endpoints, because only the links in emails lead to it. */
export const unsubscribePages = new Hono<App>().route('/unsubscribe', router)
