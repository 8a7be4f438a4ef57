import { Hono } from 'hono'
import { suppressions } from '../../schema/index.ts'
import { NewSuppression, Suppression, suppressionFilters } from '../../src/features/messages/schemas/suppressions.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { CRM } from '../paths.ts'

export const suppressionsRouter = new Hono<App>()
export const suppressionsApi = endpoints(suppressionsRouter, { path: CRM.suppressions, tag: 'Suppressions' })

resource(suppressionsApi, {
  name: 'suppression',
  plural: 'suppressions',
  scope: 'email',
  table: suppressions,
  returns: Suppression,
  list: { filters: suppressionFilters },
  get: {},
  create: {
    description:
      'From then on nothing is sent to the address through the channel, whichever contact has it. Messages that wait are not sent.',
    body: NewSuppression,
  },
  remove: {
    action: 'write',
    description:
      'Messages may be sent to the address again. An email address is lifted at the mail provider too, within minutes; ' +
      'what the provider keeps, such as after a complaint, is on the list again then, with the reason in `note`.',
  },
  history: true,
})
