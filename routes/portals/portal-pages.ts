import { Hono } from 'hono'
import * as v from 'valibot'
import { readFields } from '../../src/features/pages/plans/forms.ts'
import { enterPortal, leavePortal, portalFailure, portalVisitor, showPortal } from '../../src/features/portals/plans/pages.ts'
import { html, raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { SingleLine } from '../../src/schemas/fields.ts'
import { visitorQuery as query } from '../../src/schemas/visitor-query.ts'

const router = new Hono<App>()
const pages = endpoints(router, { base: '', path: '/portal', tag: 'Portals' })

const params = v.object({ token: SingleLine(120) })
const access = { scopes: [], principal: portalVisitor }
const returns = html(portalFailure)
const body = raw(readFields)
const limits = { body: 10_000 }

pages.get(
  '/:token',
  { id: 'showPortal', summary: 'Show a portal, or the form for its PIN', access, params, query, returns },
  ({ ctx, params, query }) => showPortal(ctx, params.token, query.lang),
)
pages.post(
  '/:token',
  { id: 'enterPortal', summary: 'Enter the PIN of a portal', access, params, query, body, returns, limits },
  ({ ctx, params, body }) => enterPortal(ctx, params.token, body),
)
pages.post(
  '/:token/leave',
  { id: 'leavePortal', summary: 'End the session of a portal', access, params, query, body, returns, limits },
  ({ ctx, params, body }) => leavePortal(ctx, params.token, body),
)

/** The pages of portals. They are not documented among the endpoints, because people reach them by links. */
export const portalPages = new Hono<App>().route('/portal', router)
