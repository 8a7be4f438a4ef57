import { Hono } from 'hono'
import { type App, answer } from '../src/http/serve.ts'
import { enqueueWake } from '../src/http/wake.ts'
import { receiveGrant } from '../src/services/accounts/callback.ts'

/** Where providers send a member back to after the consent. It is not documented among the endpoints, because only providers lead to it. */
export const grantCallback = new Hono<App>()
  .get('/:area/callback', (c) =>
    receiveGrant(c.env, c.req.raw, (workspaceId, purpose) =>
      c.executionCtx.waitUntil(enqueueWake(c.env, workspaceId, purpose === 'mailbox' ? 'mailboxes.sync' : 'calendars.sync')),
    ),
  )
  .onError((error, c) => answer(c, error))
