import type { Harness } from '../harness.ts'

type Shown = { status: number; text: string }

/** What a browser shows of a page of this API, or after the form there. */
async function open(app: Harness, path: string, form?: Record<string, string>): Promise<Shown> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await app.fetch(path, form && { method: 'POST', headers: type, body: new URLSearchParams(form).toString() })
  return { status: response.status, text: await response.text() }
}

const pathOf = (address: string) => new URL(address).pathname

/** Opens the address to which a provider sends a browser back. */
export const openCallback = (app: Harness, address: string): Promise<Shown> => open(app, pathOf(address) + new URL(address).search)

/** The token in the form of a page that asks for confirmation. */
export const tokenIn = ({ text }: Shown): string | undefined => /name="token" value="([^"]+)"/.exec(text)?.[1]

export const answerCallback = (app: Harness, address: string, form: Record<string, string>): Promise<Shown> =>
  open(app, pathOf(address), form)

/** A member who comes back from the provider, and confirms the account if asked. */
export async function comeBack(app: Harness, address: string): Promise<Shown> {
  const shown = await openCallback(app, address)
  const token = tokenIn(shown)
  return token ? answerCallback(app, address, { token, answer: 'connect' }) : shown
}
