import { Hono } from 'hono'
import { autoResponders } from '../schema/index.ts'
import { updateResponder, upsertResponder } from '../src/features/auto-responders/plans/responders.ts'
import {
  AutoResponder,
  AutoResponderPatch,
  AutoResponderUpsert,
  autoResponderFilters,
} from '../src/features/auto-responders/schemas/auto-responders.ts'
import { added, scopes } from '../src/http/modes.ts'
import { finderIn } from '../src/http/operations.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { AGENT_OPS } from './paths.ts'

export const autoRespondersRouter = new Hono<App>()
export const autoRespondersApi = endpoints(autoRespondersRouter, { path: AGENT_OPS.autoResponders, tag: 'Auto Responders' })

/** Loaded late, because the registry imports this file. */
const register = () => import('./index.ts').then(({ allEndpoints }) => allEndpoints())
const find = finderIn(register)

const ACTS =
  'It acts with the rights of the key that writes it last, which therefore needs the scopes of all that it does: `sms:send` or `email:send`, `tasks:write`, `knowledge:read` with a knowledge base, those of its context modules and tools.'

autoRespondersApi.post(
  '',
  {
    id: 'upsertAutoResponder',
    summary: 'Create or update the auto responder of a number or an address',
    description: `A phone number or an email config has one auto responder. The first call creates it; further calls change only what they send. ${ACTS}`,
    access: scopes('agent-ops:write'),
    body: AutoResponderUpsert,
    returns: added(AutoResponder),
    errors: ['CONFLICT', 'PRECONDITION_FAILED', 'INSUFFICIENT_SCOPE'],
  },
  ({ ctx, body }) => upsertResponder(ctx, body, find),
)
resource(autoRespondersApi, {
  name: 'auto_responder',
  plural: 'auto-responders',
  scope: 'agent-ops',
  table: autoResponders,
  returns: AutoResponder,
  list: { filters: autoResponderFilters },
  get: {},
  update: {
    description: `The number or the address stays. ${ACTS} To disable it, \`agent-ops:write\` is enough.`,
    body: AutoResponderPatch,
    plan: (ctx, id, patch) => updateResponder(ctx, id, patch, find),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INSUFFICIENT_SCOPE'],
  },
  remove: {
    description: 'The number or the address is then without one. Replies that are under way are not sent.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  restore: { description: 'It does nothing until a key writes it again, with whose rights it then acts.' },
  history: true,
})
