import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { afterRead, type Plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { PUBLIC_FOLDER } from '../../../domain/file-names.ts'
import { FILE_TYPES, TypeFinder } from '../../../domain/file-types.ts'
import { networkOf } from '../../../domain/outside-addresses.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { rebuildSvg } from '../../../lib/safe-svg.ts'
import { ImageUnreadable } from '../provider/images-port.ts'
import { PUBLIC_IMAGE_TYPES, type PublicImageType, UPLOADS_A_DAY } from '../rules/public-images.ts'
import type { PublicImage } from '../schemas/public-images.ts'
import { assertPicture } from './images.ts'

type Image = { bytes: Uint8Array; type: PublicImageType }

const ACCEPTED = ['png', 'webp', 'jpg', 'svg']
const refused = () => new AppError('UNSUPPORTED_MEDIA_TYPE', 'The image must be a PNG, WebP, JPEG or SVG', { allowed: ACCEPTED })

/**
 * Stores the image of a visitor under the digest of its content. The upload is noted first, under the locks of its sources; if its object
 * cannot be stored, the note is taken back.
 */
export async function uploadPublicImage(ctx: Ctx): Promise<Plan<v.InferOutput<typeof PublicImage>>> {
  ctx.files.expect()
  const { bytes: sent, fields } = await ctx.files.collect()
  const { bytes, type } = await cleanImage(ctx, sent)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const id = newId()
  const noted = { id, sha256, extension: type, size: bytes.length, context: fields.context, sources: sourcesOf(ctx) }
  const name = `${sha256}.${type}`
  const image = {
    id: name,
    url: `${ctx.deployment.apiUrl}/${PUBLIC_FOLDER}${name}`,
    sha256,
    content_type: PUBLIC_IMAGE_TYPES[type],
    size: bytes.length,
  }
  const wait = plainRows<{ wait: number | null }>(call('record_public_image', JSON.stringify(noted), UPLOADS_A_DAY), ['wait'])
  return afterRead(read(mapResult(wait, ([row]) => row?.wait ?? null)), async (seconds) => {
    if (seconds !== null)
      throw new AppError('RATE_LIMITED', `At most ${UPLOADS_A_DAY} images in 24 hours: try again later`, undefined, seconds)
    try {
      await ctx.files.put(PUBLIC_FOLDER + name, bytes)
    } catch (error) {
      await ctx.read(plainRows(sql`select forget_public_image(${id}::uuid) is null`, ['forgotten'])).catch(() => {})
      throw error
    }
    return image
  })
}

/** The digests of the visitor's network and browser: each is counted by itself, so the stricter limit holds. */
function sourcesOf({ received, deployment }: Ctx): string[] {
  const address = received?.headers.get('cf-connecting-ip') ?? 'unknown'
  const fingerprint = received?.headers.get('x-browser-fingerprint')?.trim()
  const named = [`address ${networkOf(address)}`, ...(fingerprint ? [`browser ${fingerprint}`] : [])]
  return named.map(deployment.digestOf)
}

/** The image written anew, so that nothing of it runs and nothing is attached to it. @throws for another type, and for a damaged image */
async function cleanImage(ctx: Ctx, bytes: Uint8Array): Promise<Image> {
  const finder = new TypeFinder()
  finder.add(bytes)
  const source = {
    name: '',
    fields: {},
    sha256: '',
    size: bytes.length,
    read: async ({ offset, length }: { offset: number; length: number }) => bytes.subarray(offset, offset + length),
  }
  const type = await finder.find('', source)
  if (type !== 'png' && type !== 'jpg' && type !== 'webp') return { bytes: cleanSvg(bytes), type: 'svg' }
  await assertPicture(type, source)
  try {
    return { bytes: await ctx.deployment.images.rewrite(bytes, FILE_TYPES[type]), type }
  } catch (error) {
    throw error instanceof ImageUnreadable ? invalid([{ path: 'file', message: 'is damaged: export the picture again' }]) : error
  }
}

function cleanSvg(bytes: Uint8Array): Uint8Array {
  const text = textOf(bytes)
  if (text === undefined || !/<svg[\s>/]/.test(text)) throw refused()
  const svg = rebuildSvg(text)
  if (svg === undefined)
    throw invalid([{ path: 'file', message: 'is no plain SVG: export it without a DOCTYPE, entities and embedded documents' }])
  return new TextEncoder().encode(svg)
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return undefined
  }
}
