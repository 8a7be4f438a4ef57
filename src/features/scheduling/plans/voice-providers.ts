import { eq, sql } from 'drizzle-orm'
import { voiceProviders } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assert, mapResult, oneOrThrow, plainRows, rows } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { isRetellSigned, isVapiSecret } from '../../../lib/provider-signatures.ts'
import { workspaceOf } from '../../webhooks/plans/webhooks.ts'
import { type VoiceProvider as Provider, VOICE_PROVIDERS } from '../rules/voice/providers.ts'
import type { VoiceProvider } from '../schemas/voice.ts'

const fields = { provider: voiceProviders.provider, updated_at: voiceProviders.updated_at }
const select = () => db.select(fields).from(voiceProviders)
const secretPlace = (workspace_id: string) => ({ workspace_id, table: 'voice_providers', column: 'sealed_secret' })

/** There are two providers, so the list needs no pages. */
export const listProviders = (): Plan<VoiceProvider[]> => read(rows(select().orderBy(voiceProviders.provider)))

/** Stores the secret by which the requests of a provider are recognised. */
export async function setProvider(ctx: Ctx, provider: Provider, secret: string): Promise<Plan<VoiceProvider>> {
  const sealed_secret = await ctx.deployment.secrets.seal(secretPlace(await workspaceOf(ctx)), secret)
  const upsert = db
    .insert(voiceProviders)
    .values({ provider, sealed_secret })
    .onConflictDoUpdate({
      target: [voiceProviders.workspace_id, voiceProviders.provider],
      set: { sealed_secret, updated_at: sql`now()` },
    })
  return plan([upsert], oneOrThrow(select().where(eq(voiceProviders.provider, provider)), 'voice provider'))
}

export function deleteProvider(provider: Provider) {
  const gone = plainRows<{ provider: Provider }>(sql`select ${provider}::text`, ['provider'])
  return plan(
    [
      assert(sql`exists (select from voice_providers where provider = ${provider})`, 'NOT_FOUND', 'No secret of this provider is stored'),
      db.delete(voiceProviders).where(eq(voiceProviders.provider, provider)),
    ],
    mapResult(gone, () => ({ provider, deleted: true as const })),
  )
}

const HEADERS: Record<Provider, string> = { retell: 'x-retell-signature', vapi: 'x-vapi-secret' }

/**
 * Whether a provider has signed the request, so that the number of who is on the line is what the provider says. False without a signature,
 * and for one of a provider without a secret. The secrets are read in a round trip of their own, and only for a request with a signature.
 * @throws INVALID_SIGNATURE for a signature that is not that of the stored secret.
 */
export async function isFromProvider({ read: readNow, received, deployment, now }: Ctx): Promise<boolean> {
  if (!received || !VOICE_PROVIDERS.some((provider) => received.headers.has(HEADERS[provider]))) return false
  const known = await readNow(
    plainRows<{ workspace: string; provider: Provider; sealed: string }>(
      sql`select current_workspace(), provider, sealed_secret from voice_providers`,
      ['workspace', 'provider', 'sealed'],
    ),
  )
  let isSigned = false
  for (const { workspace, provider, sealed } of known) {
    const header = received.headers.get(HEADERS[provider])
    if (header === null) continue
    const secret = await deployment.secrets.unseal(secretPlace(workspace), sealed)
    isSigned =
      provider === 'vapi' ? await isVapiSecret(secret, header) : await isRetellSigned(secret, received.bytes, header, now.getTime())
    if (!isSigned)
      throw new AppError('INVALID_SIGNATURE', `${HEADERS[provider]} does not match the stored secret of ${provider}, or is too old`)
  }
  return isSigned
}
