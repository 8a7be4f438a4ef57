import { Hono } from 'hono'
import * as v from 'valibot'
import { autoResponders } from '../schema/index.ts'
import { updateResponder, upsertResponder } from '../src/features/auto-responders/plans/responders.ts'
import { testResponder } from '../src/features/auto-responders/plans/test-responder.ts'
import {
  AutoResponder,
  AutoResponderPatch,
  AutoResponderTest,
  AutoResponderUpsert,
  autoResponderFilters,
  TestMessage,
} from '../src/features/auto-responders/schemas/auto-responders.ts'
import { added, scopes } from '../src/http/modes.ts'
import { finderIn, toolsIn } from '../src/http/operations.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { AGENT_OPS } from './paths.ts'

export const autoRespondersRouter = new Hono<App>()
export const autoRespondersApi = endpoints(autoRespondersRouter, { path: AGENT_OPS.autoResponders, tag: 'Auto Responders' })

/** Loaded late, because the registry imports this file. */
const register = () => import('./index.ts').then(({ allEndpoints }) => allEndpoints())
const find = finderIn(register)

const ACTS =
  'It acts with the rights of the key that writes it last, which therefore needs the scopes of all that it does: `sms:send` or ' +
  '`email:send`, `tasks:write`, `knowledge:read` with a knowledge base, those of its context modules and tools.'

autoRespondersApi.post(
  '',
  {
    id: 'upsertAutoResponder',
    summary: 'Create or update the auto responder of a number or an address',
    description:
      'A phone number or an email config has one auto responder. The first call creates it; further calls change only what they send. ' +
      `${ACTS}`,
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
autoRespondersApi.post(
  '/:auto_responder_id/test',
  {
    id: 'testAutoResponder',
    summary: 'Test an auto responder',
    description:
      'Sorts a message and drafts the reply, as for one that was received. Nothing is sent or queued, and no task is added. ' +
      'It costs the credits that the models take, at most 60. The key needs the scopes of all that the auto responder does.',
    access: { scopes: ['agent-ops:write'], direct: true },
    params: v.object({ auto_responder_id: Id }),
    body: TestMessage,
    returns: AutoResponderTest,
    errors: ['NOT_FOUND', 'CHANNEL_NOT_CONFIGURED', 'INSUFFICIENT_CREDITS', 'INSUFFICIENT_SCOPE', 'PROVIDER_ERROR'],
  },
  ({ ctx, params, body }) => testResponder(ctx, params.auto_responder_id, body, toolsIn(register, ctx)),
)
