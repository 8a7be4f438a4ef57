/** The beginning of `servers` in a served OpenAPI document, as dev/docs/site.ts writes it, without a space. */
export const RELATIVE_SERVERS = '"servers":[{"url":"/v1"'

/** The bytes at the beginning of the document within which `servers` stands. */
const HEAD = 64 * 1024

/**
 * An OpenAPI document whose `servers` is the address that serves it, so that a client that is generated from it needs no other. Only its
 * beginning is held in memory.
 */
export function withOrigin(asset: Response, origin: string): Response {
  const response = new Response(asset.body?.pipeThrough(atBeginning(origin)) ?? null, asset)
  response.headers.delete('Content-Length')
  return response
}

function atBeginning(origin: string): TransformStream<Uint8Array, Uint8Array> {
  // Bytes, because a chunk may end inside a character.
  let held: Buffer | undefined = Buffer.alloc(0)
  const pass = (controller: TransformStreamDefaultController<Uint8Array>, isEnd: boolean) => {
    if (held === undefined) return
    const at = held.indexOf(RELATIVE_SERVERS)
    if (at < 0 && !isEnd && held.length < HEAD) return
    const own = RELATIVE_SERVERS.replace('/v1', () => `${origin}/v1`)
    if (at >= 0) controller.enqueue(Buffer.concat([held.subarray(0, at), Buffer.from(own), held.subarray(at + RELATIVE_SERVERS.length)]))
    else if (held.length > 0) controller.enqueue(held)
    held = undefined
  }
  return new TransformStream({
    transform(chunk, controller) {
      if (held === undefined) return controller.enqueue(chunk)
      held = Buffer.concat([held, chunk])
      pass(controller, false)
    },
    flush: (controller) => pass(controller, true),
  })
}
