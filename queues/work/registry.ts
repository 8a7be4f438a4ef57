import { mediaFetch } from '../kinds/fetch-media.ts'
import { whatsappReact, whatsappRead } from '../kinds/mark-whatsapp.ts'
import type { Kind } from './kind.ts'

/** The kinds of background work. */
export const KINDS = [mediaFetch, whatsappReact, whatsappRead] as Kind<unknown>[]

const byName = new Map(KINDS.map((kind) => [kind.name, kind]))
export const KIND_NAMES = [...byName.keys()]

export function kindOf(name: string): Kind<unknown> {
  const kind = byName.get(name)
  if (!kind) throw new Error(`There is no kind of work named ${name}`)
  return kind
}
