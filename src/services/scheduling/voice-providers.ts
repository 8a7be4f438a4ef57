import { eq, sql } from 'drizzle-orm'
import { voiceProviders } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { type Plan, plan, read } from '../../data/plan.ts'
import { assert, mapResult, oneOrThrow, plainRows, rows } from '../../data/query.ts'
import type { Envelope } from '../../domain/scheduling/voice/envelope.ts'
import type { VoiceProvider as Provider } from '../../domain/scheduling/voice/providers.ts'
import { isRetellSigned, isVapiSecret } from '../../lib/provider-signatures.ts'
import type { VoiceProvider } from '../../schemas/voice.ts'
import { workspaceOf } from '../webhooks/webhooks.ts'

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

/**
 * Whether the provider has signed the request, so that the number of who is on the line is what the provider says. The secret is read in a round trip
 * of its own, and only for a request with a signature.
 */
export async function isFromProvider(ctx: Ctx, { format }: Pick<Envelope, 'format'>): Promise<boolean> {
  const { received } = ctx
  const header = received?.headers.get(format === 'vapi' ? 'x-vapi-secret' : 'x-retell-signature')
  if (!received || !header || format === 'flat') return false
  const [known] = await ctx.read(
    plainRows<{ workspace: string; sealed: string }>(
      sql`select current_workspace(), sealed_secret from voice_providers where provider = ${format}`,
      ['workspace', 'sealed'],
    ),
  )
  if (!known) return false
  const secret = await ctx.deployment.secrets.unseal(secretPlace(known.workspace), known.sealed)
  return format === 'vapi' ? isVapiSecret(secret, header) : isRetellSigned(secret, received.bytes, header, ctx.now.getTime())
}
