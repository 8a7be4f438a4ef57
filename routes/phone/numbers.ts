import { Hono } from 'hono'
import * as v from 'valibot'
import { phoneNumbers } from '../../schema/index.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { buyNumber, releaseNumber, searchNumbers } from '../../src/features/phone/plans/numbers.ts'
import { updateNumber } from '../../src/features/phone/plans/settings.ts'
import {
  AvailableNumbers,
  NumberSearch,
  PhoneNumber,
  PhoneNumberPatch,
  PhoneNumberToBuy,
} from '../../src/features/phone/schemas/phone-numbers.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { PHONE } from '../paths.ts'

export const phoneNumbersRouter = new Hono<App>()
export const phoneNumbersApi = endpoints(phoneNumbersRouter, { path: PHONE.numbers, tag: 'Phone' })

phoneNumbersApi.post(
  '/search',
  {
    id: 'searchAvailablePhoneNumbers',
    summary: 'Search the phone numbers that can be bought now',
    access: scopes('phone:read'),
    effect: 'read',
    body: NumberSearch,
    returns: AvailableNumbers,
    errors: ['CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => searchNumbers(ctx, body),
)
phoneNumbersApi.get(
  '/search',
  {
    id: 'searchPhoneNumbers',
    summary: 'Search phone numbers that can be bought',
    description: 'As POST /phone/numbers/search, with the search in the query.',
    access: scopes('phone:read'),
    query: NumberSearch,
    returns: AvailableNumbers,
    errors: ['CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, query }) => searchNumbers(ctx, query),
)
phoneNumbersApi.post(
  '/buy',
  {
    id: 'buyPhoneNumber',
    summary: 'Buy a phone number',
    description:
      'From then on the workspace sends and receives SMS with it. If the outcome at the provider is unclear, repeat the request: ' +
      'the provider is asked before the number is bought again.',
    access: scopes('phone:write'),
    body: PhoneNumberToBuy,
    returns: created(PhoneNumber),
    errors: ['CONFLICT', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => buyNumber(ctx, body),
)
resource(phoneNumbersApi, {
  name: 'phone_number',
  plural: 'phone-numbers',
  scope: 'phone',
  table: phoneNumbers,
  returns: PhoneNumber,
  list: {},
  get: {},
  update: {
    body: PhoneNumberPatch,
    plan: updateNumber,
    description:
      'With a voice agent in the body, the agents are handed to the voice provider at once, and `voice_provider_last_synced_at` and ' +
      '`voice_provider_last_sync_error` show the outcome. If that fails, the settings are stored all the same, and the agents are ' +
      'handed over again in the background, up to six times.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT', 'CHANNEL_NOT_CONFIGURED'],
  },
  history: true,
})
const release = {
  access: scopes('phone:write'),
  params: v.object({ phone_number_id: Id }),
  returns: Deleted,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'] as ErrorCode[],
}
phoneNumbersApi.delete(
  '/:phone_number_id',
  {
    ...release,
    id: 'deletePhoneNumber',
    summary: 'Delete a phone number',
    description: 'The number is given back to the provider. Its conversations remain.',
  },
  ({ ctx, params }) => releaseNumber(ctx, params.phone_number_id),
)
phoneNumbersApi.post(
  '/:phone_number_id/release',
  { ...release, id: 'releasePhoneNumber', summary: 'Release a phone number', description: 'As DELETE /phone/numbers/:phone_number_id.' },
  ({ ctx, params }) => releaseNumber(ctx, params.phone_number_id),
)
