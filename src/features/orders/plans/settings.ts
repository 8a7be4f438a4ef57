import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { paymentSettings } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { assertField, constant, mapResult, plainRows } from '../../../data/query.ts'
import { updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { toHex } from '../../../lib/keys.ts'
import { workspaceOf } from '../../webhooks/plans/webhooks.ts'
import { STRIPE_EVENTS } from '../rules/types.ts'
import type { PaymentSettings, PaymentSettingsPatch } from '../schemas/order-forms.ts'

export const sealedPlace = (workspace_id: string, column: 'secret_key' | 'webhook_secret') => ({
  workspace_id,
  table: 'payment_settings',
  column,
})

type Settings = v.InferOutput<typeof PaymentSettings>
const NAMES = ['id', 'is_connected', 'is_live', 'secret_key_hint', 'has_webhook_secret', 'webhook_url', 'webhook_events', 'version']

/** The account as it is returned, also of a workspace without one. */
const record = ({ deployment }: Ctx) =>
  mapResult(
    plainRows<Settings>(
      sql`select s.id, s.id is not null, position('_live_' in s.secret_key_hint) > 0, s.secret_key_hint, s.webhook_secret is not null,
        ${`${deployment.apiUrl}/payment-events/stripe/`}::text || s.webhook_token, ${JSON.stringify(STRIPE_EVENTS)}::jsonb,
          coalesce(s.version, 0)
        from (values (true)) one left join payment_settings s on true`,
      NAMES,
    ),
    ([settings]) => settings as Settings,
  )

export const getPaymentSettings = (ctx: Ctx) => read(record(ctx))

/** `sk_test_51Ab…wxyz`: enough to recognise a key. */
const hintOf = (key: string) => `${key.slice(0, 12)}…${key.slice(-4)}`

/** A workspace without an account has the version 0. */
const lock = ({ ifMatch }: Ctx): Statement | undefined =>
  ifMatch === undefined
    ? undefined
    : sql`select assert_version(coalesce((select version from payment_settings for update), 0), ${ifMatch}::int, 'account')`

/** Stores what is sent, sealed. The address of the webhook stays the same until the account is removed. */
export async function updatePaymentSettings(ctx: Ctx, { secret_key, webhook_secret }: PaymentSettingsPatch) {
  const workspace = await workspaceOf(ctx)
  const seal = (column: 'secret_key' | 'webhook_secret', secret: string) =>
    ctx.deployment.secrets.seal(sealedPlace(workspace, column), secret)
  const patch = {
    ...(secret_key !== undefined && { secret_key: await seal('secret_key', secret_key), secret_key_hint: hintOf(secret_key) }),
    ...(webhook_secret !== undefined && { webhook_secret: webhook_secret && (await seal('webhook_secret', webhook_secret)) }),
  }
  const { secret_key: sealed, secret_key_hint: hint, ...rest } = patch
  const webhook_token = toHex(crypto.getRandomValues(new Uint8Array(24)))
  const first =
    sealed && hint
      ? db
          .insert(paymentSettings)
          .values({ id: newId(), webhook_token, secret_key: sealed, secret_key_hint: hint, ...rest })
          .onConflictDoNothing()
      : assertField(sql`exists (select from payment_settings)`, 'secret_key', 'Required, because there is no account yet')
  return plan([lock(ctx), first, updateRows(paymentSettings, patch, sql`true`)], record(ctx))
}

export const deletePaymentSettings = (ctx: Ctx) =>
  plan(
    [
      lock(ctx),
      sql`select assert_condition(exists (select from payment_settings), 'NOT_FOUND', 'There is no account to remove')`,
      db.delete(paymentSettings),
    ],
    constant({ removed: true as const }),
  )
