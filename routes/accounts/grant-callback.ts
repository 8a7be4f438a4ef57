import { type Context, Hono } from 'hono'
import { receiveConfirmation, receiveGrant } from '../../src/features/accounts/plans/callback.ts'
import { readFields } from '../../src/features/pages/plans/forms.ts'
import { bodyOf } from '../../src/http/receive.ts'
import { type App, answer } from '../../src/http/serve.ts'
import { wake } from '../../src/wake.ts'

/** A token and an answer. */
const MAX_FORM = 1_000

const wakeIn = (c: Context<App>) => (workspaceId: string, purpose: 'calendars' | 'mailbox') =>
  c.executionCtx.waitUntil(wake(c.env, purpose === 'mailbox' ? 'mailboxes.sync' : 'calendars.sync', workspaceId))

/**
 * Where providers send a member back to after the consent, and where the member confirms the account. Neither is documented among the
 * endpoints, because only providers lead there.
 */
export const grantCallback = new Hono<App>()
  .get('/:area/callback', (c) => receiveGrant(c.env, c.req.url, wakeIn(c)))
  .post('/:area/callback', (c) =>
    bodyOf(c.req.raw, MAX_FORM).then((bytes) =>
      receiveConfirmation(c.env, c.req.url, readFields({ bytes, headers: c.req.raw.headers }), wakeIn(c)),
    ),
  )
  .onError((error, c) => answer(c, error))
