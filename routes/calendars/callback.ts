import { Hono } from 'hono'
import { type App, answer } from '../../src/http/serve.ts'
import { enqueueWake } from '../../src/http/wake.ts'
import { receiveGrant } from '../../src/services/calendars/callback.ts'

/** Where providers send a member back to after the consent. It is not documented among the endpoints, because only providers lead to it. */
export const calendarCallback = new Hono<App>()
  .get('/calendar-connections/callback', (c) =>
    receiveGrant(c.env, c.req.raw, (workspaceId) => c.executionCtx.waitUntil(enqueueWake(c.env, workspaceId, 'calendars.sync'))),
  )
  .onError((error, c) => answer(c, error))
