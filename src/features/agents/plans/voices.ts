import type { Ctx } from '../../../context.ts'
import { afterRead, read } from '../../../data/plan.ts'
import { constant } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { loggable } from '../../../lib/text.ts'
import { voiceOf } from '../../phone/plans/settings.ts'
import type { ProviderVoice, Voice } from '../../phone/provider/port.ts'
import type { VoiceSearch } from '../schemas/agents.ts'

const KEPT_MS = 600_000
const MAX_SHOWN = 200

/** The voices of the deployment's provider, which are the same for every workspace. An isolate keeps them for ten minutes. */
let kept: { until: number; voices: ProviderVoice[] } | undefined

async function allVoices({ provider }: Voice, now: number): Promise<ProviderVoice[]> {
  if (!kept || kept.until < now) kept = { until: now + KEPT_MS, voices: await provider.listVoices() }
  return kept.voices
}

/** @throws CHANNEL_NOT_CONFIGURED, PROVIDER_ERROR */
export function listVoices(ctx: Ctx, search: VoiceSearch) {
  const voice = voiceOf(ctx)
  return afterRead(read(constant(null)), () =>
    allVoices(voice, ctx.now.getTime()).then(
      (all) => {
        const found = all.filter((one) => matches(one, search)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
        return { voices: found.slice(0, MAX_SHOWN), total: found.length }
      },
      (error) => {
        const reason = loggable(error instanceof Error ? error.message : String(error), 300)
        throw new AppError('PROVIDER_ERROR', `The voices cannot be listed: ${reason}`, { provider: 'retell', reason })
      },
    ),
  )
}

const has = (text: string | null, part: string | undefined) => part === undefined || (text ?? '').toLowerCase().includes(part.toLowerCase())

function matches(voice: ProviderVoice, { search, provider, gender, accent }: VoiceSearch): boolean {
  if (provider !== undefined && voice.provider.toLowerCase() !== provider.toLowerCase()) return false
  if (gender !== undefined && voice.gender !== gender) return false
  return has(voice.accent, accent) && (has(voice.name, search) || has(voice.voice_id, search))
}

/** Refuses a voice that the provider does not have. Without a response of the provider, publishing finds out. @throws VALIDATION_ERROR */
export async function assertVoice({ deployment, now }: Ctx, id: string | null | undefined): Promise<void> {
  if (!id || !deployment.voice) return
  const voices = await allVoices(deployment.voice, now.getTime()).catch(() => undefined)
  if (!voices || voices.some(({ voice_id }) => voice_id === id)) return
  throw invalid([{ path: 'voice_id', message: 'must be a voice of the voice provider: GET /voices lists them' }])
}

/**
 * A voice for an agent whose maker chooses none: the first Australian one, or else the first. Without a response, one that the provider
 * always has.
 */
export async function defaultVoice({ deployment, now }: Ctx): Promise<string> {
  const voices = deployment.voice ? await allVoices(deployment.voice, now.getTime()).catch(() => []) : []
  const chosen = voices.find(({ accent }) => accent === 'Australian') ?? voices[0]
  return chosen?.voice_id ?? 'retell-Cimo'
}
