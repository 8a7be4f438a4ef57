/**
 * What an emulator has answered, and the type that its official package gives it. `required` is a field without which it is no such answer;
 * the types of some packages require none.
 */
export type RecordedAnswer = { type: string; value: unknown; required?: string | undefined }

/** How the answers of a provider are recorded, and the declarations that their types need. */
export type Provider = { declarations: string; types: number; record(): Promise<RecordedAnswer[]> }

export const typed = (type: string, required: string | undefined, values: unknown[]): RecordedAnswer[] =>
  values.map((value) => ({ type, value, required }))

/** Calls through a package, and keeps what it receives: the body, or each event of a stream. An answer without a body is passed over. */
export async function heard(call: (fetch: typeof globalThis.fetch) => Promise<unknown>): Promise<unknown[]> {
  const texts: Promise<string>[] = []
  await call(async (...request) => {
    const response = await fetch(...request)
    texts.push(response.clone().text())
    return response
  })
  const lines = (text: string) => [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, event]) => JSON.parse(event as string))
  const bodies = (await Promise.all(texts)).filter((text) => text !== '')
  return bodies.flatMap((text) => (/^(event|data):/.test(text) ? lines(text) : [JSON.parse(text)]))
}

/** Starts an emulator, and closes it after the work. */
export async function withEmulator<Emulator extends { close(): Promise<void> }, Out>(
  start: () => Promise<Emulator>,
  work: (emulator: Emulator) => Promise<Out>,
): Promise<Out> {
  const emulator = await start()
  return work(emulator).finally(() => emulator.close())
}
