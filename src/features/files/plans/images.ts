import { createHash } from 'node:crypto'
import { imageSize } from 'image-size'
import type { Ctx } from '../../../context.ts'
import { FILE_TYPES, type FileType } from '../../../domain/file-types.ts'
import { IMAGE_TYPES, MAX_IMAGE_BYTES, MAX_PIXELS, MAX_SIDE } from '../../../domain/files.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Readable, Received } from '../../../providers/files/port.ts'
import { ImageUnreadable } from '../provider/images-port.ts'

/** Where the size of a picture stands, also after the notes of a camera. */
const HEADER = 1024 * 1024

const isImageType = (type: FileType): type is (typeof IMAGE_TYPES)[number] => IMAGE_TYPES.some((known) => known === type)
const DAMAGED = 'is damaged: export the picture again'

/** Reads the size of a picture from its header, before anything decodes it. @throws for one that is too large or damaged */
export async function assertPicture(type: FileType, file: Readable): Promise<{ width: number; height: number }> {
  if (!isImageType(type))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `An image is a ${IMAGE_TYPES.join(', ')}: send other files with the type secure`, {
      allowed: IMAGE_TYPES,
    })
  if (file.size > MAX_IMAGE_BYTES)
    throw new AppError('PAYLOAD_TOO_LARGE', `An image can have ${MAX_IMAGE_BYTES / 1024 ** 2} MB: make it smaller`)
  const { width, height } = sizeOf(await file.read({ offset: 0, length: Math.min(HEADER, file.size) }))
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE)
    throw invalid([
      {
        path: 'file',
        message: `has ${width} × ${height} pixels: make it smaller than ${MAX_PIXELS / 1e6} megapixels and ${MAX_SIDE} pixels on each side`,
      },
    ])
  return { width, height }
}

/** @throws VALIDATION_ERROR */
function sizeOf(header: Uint8Array): { width: number; height: number } {
  const found = parsed(header)
  if (!found || found.width < 1 || found.height < 1) throw invalid([{ path: 'file', message: DAMAGED }])
  // The orientations from 5 on are turned by 90 degrees.
  const isTurned = (found.orientation ?? 1) >= 5
  return isTurned ? { width: found.height, height: found.width } : found
}

function parsed(header: Uint8Array) {
  try {
    return imageSize(header)
  } catch {
    return undefined
  }
}

/** Replaces a stored picture by one that says nothing about where and by whom it was taken, and that has nothing attached. */
export async function rewritePicture(ctx: Ctx, key: string, { size }: Received, type: FileType): Promise<{ size: number; sha256: string }> {
  try {
    const bytes = await ctx.files.read(key, { offset: 0, length: size })
    const written = await ctx.deployment.images.rewrite(bytes, FILE_TYPES[type as (typeof IMAGE_TYPES)[number]])
    await ctx.files.put(key, written)
    return { size: written.length, sha256: createHash('sha256').update(written).digest('hex') }
  } catch (error) {
    await ctx.files.remove(key).catch(() => {})
    throw error instanceof ImageUnreadable ? invalid([{ path: 'file', message: DAMAGED }]) : error
  }
}
