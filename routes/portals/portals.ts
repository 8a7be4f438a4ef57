import { Hono } from 'hono'
import * as v from 'valibot'
import { portals } from '../../schema/index.ts'
import { renewPin, revokePortal } from '../../src/features/portals/plans/portals.ts'
import { createPortal, sendWorkStatus } from '../../src/features/portals/plans/send.ts'
import { NewPin, NewPortal, Portal, PortalSent, portalFilters, SendWorkStatus } from '../../src/features/portals/schemas/portals.ts'
import { scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'
import { workOrdersApi } from '../work-orders/work-orders.ts'

export const portalsRouter = new Hono<App>()
export const portalsApi = endpoints(portalsRouter, { path: CRM.portals, tag: 'Portals' })

const params = v.object({ portal_id: Id })
const SENT =
  'The address is sent by email, and the PIN separately: by SMS if the contact can be reached so, otherwise by a second email. ' +
  'The page at `/portal/<token>` asks for the PIN. Another call replaces the token and the PIN.'

workOrdersApi.post(
  '/send-work-status',
  {
    id: 'sendWorkStatus',
    summary: 'Send the client of an opportunity a page with the status of its work orders',
    description: `The opportunity must have work orders, and the workspace an email configuration. ${SENT}`,
    access: scopes('work-orders:write'),
    body: SendWorkStatus,
    returns: PortalSent,
    errors: ['INVALID_STATE', 'CHANNEL_NOT_CONFIGURED', 'RECIPIENT_UNREACHABLE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => sendWorkStatus(ctx, body),
)
resource(portalsApi, {
  name: 'portal',
  plural: 'portals',
  scope: 'work-orders',
  table: portals,
  returns: Portal,
  list: { filters: portalFilters },
  get: {},
  history: true,
})
portalsApi.post(
  '',
  {
    id: 'createPortal',
    summary: 'Send a stakeholder a page with the work that is shared with the stakeholder',
    description: `The contact must belong to a stakeholder type with portal_eligible. ${SENT}`,
    access: scopes('work-orders:write'),
    body: NewPortal,
    returns: PortalSent,
    errors: ['CHANNEL_NOT_CONFIGURED', 'RECIPIENT_UNREACHABLE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => createPortal(ctx, body),
)
portalsApi.post(
  '/:portal_id/revoke',
  {
    id: 'revokePortal',
    summary: 'Revoke a portal',
    description: 'Its page is closed at once, also for those who have entered the PIN.',
    access: scopes('work-orders:write'),
    params,
    returns: Portal,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => revokePortal(ctx, params.portal_id),
)
portalsApi.post(
  '/:portal_id/new-pin',
  {
    id: 'renewPortalPin',
    summary: 'Replace the PIN of a portal',
    description: 'The PIN is in this response only: tell it to the person. Former PINs and their sessions end.',
    access: scopes('work-orders:write'),
    params,
    returns: NewPin,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => renewPin(ctx, params.portal_id),
)
