import { Hono } from 'hono'
import * as v from 'valibot'
import { phoneAddresses, phoneBundles } from '../../schema/index.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { addAddress } from '../../src/features/phone/plans/addresses.ts'
import { addBundle, getBundle, submitBundle } from '../../src/features/phone/plans/bundles.ts'
import { deleteAddress, deleteBundle } from '../../src/features/phone/plans/delete-compliance.ts'
import {
  PhoneAddress,
  PhoneAddressToAdd,
  PhoneBundle,
  PhoneBundleDetail,
  PhoneBundleToAdd,
} from '../../src/features/phone/schemas/phone.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { PHONE } from '../paths.ts'

const UNCLEAR =
  'If the outcome at the provider is unclear, its status is `creating`: the provider is asked in the background before ' +
  'anything is created again.'

const FOR_GOOD =
  'It is deleted at the provider too, and cannot be restored. After PROVIDER_ERROR it is still there: repeat the request, ' +
  'unless the provider refuses because one of its numbers uses it.'
const DELETE_ERRORS: ErrorCode[] = ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR']

export const addressesRouter = new Hono<App>()
export const addressesApi = endpoints(addressesRouter, { path: PHONE.addresses, tag: 'Phone' })
addressesApi.post(
  '',
  {
    id: 'createPhoneAddress',
    summary: 'Create a regulatory address',
    description: UNCLEAR,
    access: scopes('phone:write'),
    body: PhoneAddressToAdd,
    returns: created(PhoneAddress),
    errors: ['CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => addAddress(ctx, body),
)
resource(addressesApi, {
  name: 'phone_address',
  plural: 'phone-addresses',
  scope: 'phone',
  table: phoneAddresses,
  returns: PhoneAddress,
  list: { summary: 'List regulatory addresses' },
  get: { summary: 'Get a regulatory address' },
  history: true,
})

addressesApi.delete(
  '/:phone_address_id',
  {
    id: 'deletePhoneAddress',
    summary: 'Delete a regulatory address',
    description: `${FOR_GOOD} An address that a bundle names, or that is still being created, cannot be deleted.`,
    access: scopes('phone:write'),
    params: v.object({ phone_address_id: Id }),
    returns: Deleted,
    errors: DELETE_ERRORS,
  },
  ({ ctx, params }) => deleteAddress(ctx, params.phone_address_id),
)

export const bundlesRouter = new Hono<App>()
export const bundlesApi = endpoints(bundlesRouter, { path: PHONE.bundles, tag: 'Phone' })
const params = v.object({ phone_bundle_id: Id })
bundlesApi.post(
  '',
  {
    id: 'createPhoneBundle',
    summary: 'Create a regulatory bundle',
    description: `The provider gets the bundle, its end user and its documents. ${UNCLEAR}`,
    access: scopes('phone:write'),
    body: PhoneBundleToAdd,
    returns: created(PhoneBundle),
    errors: ['CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => addBundle(ctx, body),
)
bundlesApi.post(
  '/:phone_bundle_id/submit',
  {
    id: 'submitPhoneBundle',
    summary: 'Submit a regulatory bundle',
    description:
      'The provider evaluates the bundle first: requirements that it does not fulfil are named, and nothing is submitted. ' +
      '`submitting` means that the outcome is not known yet, and is looked up in the background.',
    access: scopes('phone:write'),
    params,
    returns: PhoneBundle,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, params }) => submitBundle(ctx, params.phone_bundle_id),
)
bundlesApi.delete(
  '/:phone_bundle_id',
  {
    id: 'deletePhoneBundle',
    summary: 'Delete a regulatory bundle',
    description: `Its end user and documents go with it. ${FOR_GOOD} A bundle that is being created or reviewed cannot be deleted.`,
    access: scopes('phone:write'),
    params,
    returns: Deleted,
    errors: DELETE_ERRORS,
  },
  ({ ctx, params }) => deleteBundle(ctx, params.phone_bundle_id),
)
bundlesApi.get(
  '/:phone_bundle_id',
  {
    id: 'getPhoneBundle',
    summary: 'Get a regulatory bundle with its evaluations',
    description: 'Asks the provider, whose failure is shown in `provider_error` beside the stored bundle.',
    access: scopes('phone:read'),
    params,
    returns: PhoneBundleDetail,
    errors: ['NOT_FOUND', 'CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, params }) => getBundle(ctx, params.phone_bundle_id),
)
resource(bundlesApi, {
  name: 'phone_bundle',
  plural: 'phone-bundles',
  scope: 'phone',
  table: phoneBundles,
  returns: PhoneBundle,
  list: { summary: 'List regulatory bundles' },
  history: true,
})
