import { loggable } from '../../../lib/text.ts'
import { type ProviderKnowledge, type VoiceKnowledge, VoiceRefusal } from '../../phone/provider/port.ts'
import { copyName } from '../rules/entries.ts'

/** A copy that a worker has claimed (read_knowledge_copies). */
export type CopyWork = {
  id: string
  name: string
  provider_kb_id: string | null
  is_wanted: boolean
  imported_urls: string[]
  /** What the copy should contain, by name, and the imported pages that are still entries. */
  keys: string[]
  urls: string[]
  /** Some of what the provider does not have yet. */
  missing: { key: string; title: string; text: string }[]
}
export type CopyOutcome = {
  facts?: { provider_kb_id?: string; provider_keys?: string[] }
  gone?: boolean
  error?: string
  wait: number | null
  failed: boolean
}

/** The seconds after which a failed attempt is repeated. */
const WAITS = [30, 120, 600, 3_600, 21_600]
const KEY = /\[([0-9a-f]{32}-[0-9a-f]{12})\]$/
const MAX_TITLE = 80
const MOST_DELETED = 50

/**
 * Makes a copy at the voice provider what it should be: what is there is read first, so that an attempt whose response was lost is not
 * repeated. Only sources that have our names are changed, and pages that were imported. Never throws for a failure of the provider.
 */
export async function copyBase(provider: VoiceKnowledge, work: CopyWork, attempts: number): Promise<CopyOutcome> {
  const facts: CopyOutcome['facts'] = {}
  try {
    const found = await foundBase(provider, work)
    if (!work.is_wanted) {
      if (found) await provider.remove(found.id)
      return { gone: true, wait: null, failed: false }
    }
    const base = found ?? (await provider.create(copyName(work.id)))
    facts.provider_kb_id = base.id
    const left = await removeStale(provider, base, work)
    const added = await addMissing(provider, base, work)
    facts.provider_keys = [...new Set([...left.keys, ...added])]
    const present = new Set(facts.provider_keys)
    const isWhole = left.isWhole && work.keys.every((key) => present.has(key))
    return { facts, wait: isWhole ? null : 0, failed: false }
  } catch (error) {
    const reason = loggable(error instanceof Error ? error.message : String(error), 300)
    const wait = error instanceof VoiceRefusal ? undefined : WAITS[Math.min(attempts, WAITS.length) - 1]
    return { facts, error: reason, wait: wait ?? null, failed: true }
  }
}

/** The base at the provider. One that an attempt without a response has made is found by its name. */
async function foundBase(provider: VoiceKnowledge, work: CopyWork): Promise<ProviderKnowledge | undefined> {
  return work.provider_kb_id === null ? provider.findByName(copyName(work.id)) : provider.find(work.provider_kb_id)
}

/** Deletes sources of entries that are gone or have another text. `keys`: of those that are left. */
async function removeStale(provider: VoiceKnowledge, { id, sources }: ProviderKnowledge, { keys, urls, imported_urls }: CopyWork) {
  const [wanted, imported, kept] = [new Set(keys), new Set(imported_urls), new Set(urls)]
  const seen = new Set<string>()
  let deleted = 0
  for (const source of sources) {
    const key = KEY.exec(source.title ?? '')?.[1]
    const isStale =
      key === undefined ? source.url !== null && imported.has(source.url) && !kept.has(source.url) : !wanted.has(key) || seen.has(key)
    if (key !== undefined) seen.add(key)
    if (!isStale) continue
    if (deleted++ >= MOST_DELETED) return { keys: [...seen].filter((one) => wanted.has(one)), isWhole: false }
    await provider.removeSource(id, source.id)
  }
  return { keys: [...seen].filter((one) => wanted.has(one)), isWhole: true }
}

async function addMissing(provider: VoiceKnowledge, { id, sources }: ProviderKnowledge, { missing }: CopyWork): Promise<string[]> {
  const present = new Set(sources.map(({ title }) => KEY.exec(title ?? '')?.[1]))
  const texts = missing.filter(({ key }) => !present.has(key))
  if (texts.length === 0) return []
  await provider.addTexts(
    id,
    texts.map(({ key, title, text }) => ({ title: `${title.slice(0, MAX_TITLE).toWellFormed()} [${key}]`, text })),
  )
  return texts.map(({ key }) => key)
}
