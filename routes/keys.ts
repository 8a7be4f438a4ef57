import { Hono } from 'hono'
import * as v from 'valibot'
import { apiKeys } from '../schema/index.ts'
import { created, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { ApiKey, IssuedKey, KeyPatch, Me, NewKey } from '../src/schemas/keys.ts'
import { createKey, getCurrentKey, getKey, revokeKey, rotateKey, updateKey } from '../src/services/access/keys.ts'
import { WORKSPACE } from './paths.ts'

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
      'The key itself is in this response and never again. Scopes, level and expiry must be within those of the calling key: an expiring key creates only keys that expire with it or earlier.',
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
    summary: "Update an API key's name, scopes, level or expiry",
    description:
      'A change that widens the key in anything must leave all of its scopes, level and expiry within those of the calling key. An expiry is extended to at most as long from now as the key was first created for.',
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
    description: 'The old one stops working at once. Scopes, level and expiry of the key must be within those of the calling key.',
    access: { scopes: ['api-keys:write'], ...decided },
    params,
    returns: IssuedKey,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => rotateKey(ctx, params.api_key_id),
)
keysApi.post(
  '/:api_key_id/revoke',
  {
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'It stops working at once and for good.',
    access: { scopes: ['api-keys:write'], ...decided },
    params,
    returns: ApiKey,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => revokeKey(ctx, params.api_key_id),
)
