import { AppError } from '../../../errors.ts'
import { type Images, ImageUnreadable } from './images-port.ts'

/** The parts of the binding that are used here. */
type Binding = {
  input(stream: ReadableStream<Uint8Array>): Pipeline
}
type Pipeline = {
  transform(options: { width: number; fit: 'scale-down' }): Pipeline
  output(options: { format: 'image/png' | 'image/jpeg' | 'image/webp'; quality?: number }): Promise<{ response(): Response }>
}

/** Codes of the service that say nothing about the picture: it is busy, or the account has no access to it. */
const OF_THE_SERVICE = new Set([9422, 9423, 9529])
const QUALITY = 85

/** Cloudflare Images, as its Worker binding. */
export function cloudflareImages(binding: Binding): Images {
  async function encode(pipeline: Pipeline, format: 'image/png' | 'image/jpeg' | 'image/webp'): Promise<Uint8Array> {
    try {
      const output = await pipeline.output({ format, ...(format !== 'image/png' && { quality: QUALITY }) })
      return new Uint8Array(await output.response().arrayBuffer())
    } catch (error) {
      throw faultOf(error)
    }
  }
  return {
    rewrite: (bytes, type) => encode(binding.input(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()), type),
    scale: (bytes, width) => encode(binding.input(bytes).transform({ width, fit: 'scale-down' }), 'image/webp'),
  }
}

function faultOf(error: unknown): Error {
  const { code, message } = error as { code?: number; message?: string }
  console.error(JSON.stringify({ level: 'error', message: 'images', code, error: String(error) }))
  if ((code !== undefined && OF_THE_SERVICE.has(code)) || message?.includes('not available'))
    return new AppError('UNAVAILABLE', 'Pictures cannot be processed at the moment: try again later', undefined, 30)
  return new ImageUnreadable(String(message))
}
