import { publicFile } from '../../../data/public-files.ts'
import { keyOfStored, PUBLIC_FOLDER } from '../../../domain/file-names.ts'
import { IMAGE_WIDTHS } from '../../../domain/files.ts'
import { databaseOf, type Env } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { reached } from '../../../http/upload.ts'
import { isId } from '../../../lib/ids.ts'
import { cloudflareImages } from '../provider/images-cloudflare.ts'
import { PUBLIC_IMAGE_NAME, PUBLIC_IMAGE_TYPES, type PublicImageType } from '../rules/public-images.ts'

/** What every image is sent with: it is shown as a picture only, by any site. */
const headersOf = (type: string, seconds: number) => ({
  'Content-Type': type,
  'Cache-Control': `public, max-age=${seconds}`,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
})
/** An image of a workspace can be deleted, and is then in caches no longer than this. */
const MINUTES = 300
const DAY = 86_400

const missing = () => new AppError('NOT_FOUND', 'There is no such image')

/** Serves an image of a workspace, `/images/<id>` or `/images/<id>/<width>`, as long as it exists. */
export async function serveImage(env: Env, request: Request, later: (work: Promise<unknown>) => void): Promise<Response> {
  const [, , id = '', width] = new URL(request.url).pathname.split('/')
  if (!isId(id)) throw missing()
  const pixels = width === undefined ? undefined : IMAGE_WIDTHS.find((known) => String(known) === width)
  if (width !== undefined && pixels === undefined)
    throw new AppError(
      'NOT_FOUND',
      `Images have these widths: ${IMAGE_WIDTHS.join(', ')}. Use the address without a width for the original`,
    )
  const found = await publicFile(databaseOf(env), id)
  if (!found) throw missing()
  const original = () => originalOf(env, keyOfStored(found.workspace_id, id))
  if (pixels === undefined) return new Response((await original()).body, { headers: headersOf(found.content_type, MINUTES) })
  return scaled(env, { name: `${found.sha256}/${pixels}`, width: pixels, original }, later)
}

type Scaled = { name: string; width: number; original: () => Promise<R2ObjectBody> }

async function originalOf(env: Env, key: string): Promise<R2ObjectBody> {
  const object = await reached(env.FILES.get(key))
  if (!object) throw missing()
  return object
}

/** The scaled picture, from this data centre's cache if it has been scaled here before. */
async function scaled(env: Env, { name, width, original }: Scaled, later: (work: Promise<unknown>) => void): Promise<Response> {
  const key = `https://images.internal/${name}`
  const known = await caches.default.match(key)
  const bytes = known ? await known.arrayBuffer() : await cloudflareImages(env.IMAGES).scale((await original()).body, width)
  if (!known) later(caches.default.put(key, new Response(bytes, { headers: headersOf('image/webp', DAY) })))
  return new Response(bytes, { headers: headersOf('image/webp', MINUTES) })
}

/** Serves an image that a visitor has uploaded, `/public-images/<digest>.<extension>`. */
export async function servePublicImage(env: Env, request: Request): Promise<Response> {
  const name = new URL(request.url).pathname.slice(1 + PUBLIC_FOLDER.length)
  const [, , type] = PUBLIC_IMAGE_NAME.exec(name) ?? []
  if (!type) throw missing()
  const { body } = await originalOf(env, PUBLIC_FOLDER + name)
  return new Response(body, { headers: headersOf(PUBLIC_IMAGE_TYPES[type as PublicImageType], DAY) })
}

/** What lets pages of every site upload an image, and read the response. */
export const OPEN_TO_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Content-Type, X-Browser-Fingerprint',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}
