import { TooLarge } from './port.ts'

/** The body of a response, of at most `max` bytes. @throws TooLarge */
export async function bytesOf(response: Response, max: number): Promise<Uint8Array> {
  const refusal = () => new TooLarge(`The file is larger than ${max} bytes`)
  if (Number(response.headers.get('content-length') ?? 0) > max) {
    await response.body?.cancel()
    throw refusal()
  }
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > max) {
      await reader.cancel()
      throw refusal()
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
