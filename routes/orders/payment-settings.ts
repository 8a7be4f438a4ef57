import * as v from 'valibot'
import { deletePaymentSettings, getPaymentSettings, updatePaymentSettings } from '../../src/features/orders/plans/settings.ts'
import { PaymentSettings, PaymentSettingsPatch } from '../../src/features/orders/schemas/order-forms.ts'
import { scopes } from '../../src/http/modes.ts'
import { settingsApi } from '../settings/settings.ts'

/** Secrets are sent, so these calls never wait for approval. */
const access = { ...scopes('company:write'), direct: true, admin: true }
const ABOUT =
  'The account is the workspace’s own at Stripe. Its secrets are stored encrypted and never returned. ' +
  'Make a webhook at Stripe for `webhook_url` with the events of `webhook_events`, and send its signing secret as `webhook_secret`.'

settingsApi.get(
  '/payment-settings',
  {
    id: 'getPaymentSettings',
    summary: 'Get the account that order forms are paid to',
    description: ABOUT,
    access: { ...scopes('company:read'), admin: true },
    returns: PaymentSettings,
  },
  ({ ctx }) => getPaymentSettings(ctx),
)
settingsApi.patch(
  '/payment-settings',
  {
    id: 'updatePaymentSettings',
    summary: 'Set the account that order forms are paid to',
    description: ABOUT,
    access,
    body: PaymentSettingsPatch,
    returns: PaymentSettings,
    errors: ['PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => updatePaymentSettings(ctx, body),
)
settingsApi.delete(
  '/payment-settings',
  {
    id: 'deletePaymentSettings',
    summary: 'Remove the account that order forms are paid to',
    description: 'The secrets and the address of the webhook are erased. Reports about earlier payments are no longer noticed.',
    access,
    returns: v.object({ removed: v.pipe(v.literal(true), v.description('The account is removed.'), v.examples([true])) }),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx }) => deletePaymentSettings(ctx),
)
