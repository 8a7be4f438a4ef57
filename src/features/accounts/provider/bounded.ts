/** Reads a response as JSON; undefined if it is none. @throws Error when it has more bytes than allowed, or does not arrive. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  const reader = response.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > maxBytes) {
      await reader.cancel().catch(() => {})
      throw new Error(`The response is larger than ${maxBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
  try {
    return JSON.parse(text + decoder.decode())
  } catch {
    return undefined
  }
}
