import { Hono } from 'hono'
import * as v from 'valibot'
import { apiKeys } from '../../schema/index.ts'
import { createKey, getCurrentKey, getKey, keyFields, revokeKey, rotateKey, updateKey } from '../../src/features/access/plans/keys.ts'
import { ApiKey, IssuedKey, KeyPatch, Me, NewKey, Rotate } from '../../src/features/access/schemas/keys.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const keysRouter = new Hono<App>()
export const keysApi = endpoints(keysRouter, { path: WORKSPACE.keys, tag: 'API keys' })
export const meRouter = new Hono<App>()
export const meApi = endpoints(meRouter, { path: WORKSPACE.me, tag: 'API keys' })

const params = v.object({ api_key_id: Id })
const decided = { admin: true, direct: true } as const

meApi.get('', { id: 'getCurrentKey', summary: 'Get the calling key, its user and its workspace', access: scopes(), returns: Me }, () =>
  getCurrentKey(),
)

resource(keysApi, {
  name: 'api_key',
  plural: 'api-keys',
  table: apiKeys,
  returns: ApiKey,
  computed: keyFields,
  list: { filters: { user_id: v.optional(Id) }, sorts: ['created_at'] },
  history: true,
  admin: true,
})
keysApi.get(
  '/:api_key_id',
  {
    id: 'getApiKey',
    summary: 'Get an API key',
    access: { ...scopes('api-keys:read'), admin: true },
    params,
    returns: ApiKey,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getKey(params.api_key_id),
)
keysApi.post(
  '',
  {
    id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'The secret key is returned only in this response. Its scopes, level, expiry and addresses must be within those of the calling ' +
      'key; an expiring key creates only keys that expire at the same time or earlier. A key for another member does not act for that ' +
      'member in person: it does not lead into the mailbox.',
    access: { scopes: ['api-keys:write'], ...decided },
    body: NewKey,
    returns: created(IssuedKey),
  },
  ({ ctx, body }) => createKey(ctx, body),
)
keysApi.patch(
  '/:api_key_id',
  {
    id: 'updateApiKey',
    summary: "Update an API key's name, scopes, level, expiry or addresses",
    description:
      'If a change extends the key’s rights, the resulting scopes, level, expiry and addresses must be within those of the calling ' +
      'key. An expiry can be extended by at most the key’s original lifetime, counted from now.',
    access: { scopes: ['api-keys:write'], ...decided },
    params,
    body: KeyPatch,
    returns: ApiKey,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateKey(ctx, params.api_key_id, body),
)
keysApi.post(
  '/:api_key_id/rotate',
  {
    id: 'rotateApiKey',
    summary: "Rotate an API key's secret",
    description:
      'The old secret stops working immediately, or with overlap_minutes up to a day later, so that the new one can be distributed ' +
      'first. At most one old secret works: rotating again ends it, and so does revoking the key. ' +
      'The key’s scopes, level, expiry and addresses must be within those of the calling key.',
    access: { scopes: ['api-keys:write'], ...decided },
    params,
    body: Rotate,
    returns: IssuedKey,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params, body }) => rotateKey(ctx, params.api_key_id, body),
)
keysApi.post(
  '/:api_key_id/revoke',
  {
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'The key stops working immediately and cannot be restored.',
    access: { scopes: ['api-keys:write'], ...decided },
    params,
    returns: ApiKey,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => revokeKey(ctx, params.api_key_id),
)
