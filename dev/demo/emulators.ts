import { Complaint } from '../settings.ts'
import type { Body } from './api.ts'

/** Acts from outside through an emulator of `npm run dev`: as a person at a calendar, or as a provider. */
export async function actAt(base: string, path: string, body?: object): Promise<Body> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(base + path, init).catch(() => {
    throw new Complaint(`No emulator answers at ${base}: start them with "npm run dev".`)
  })
  const answer = (await response.json()) as Body
  if (!response.ok) throw new Complaint(`The emulator refused ${path}: ${answer.message}`)
  return answer
}

/** `cookie` is the one that the page sets. */
export type Shown = { status: number; text: string; location: string | null; cookie?: string | undefined }
/** Opens an address, or sends a form there. Does not follow redirects. */
export type Browse = (url: string, form?: URLSearchParams, cookie?: string) => Promise<Shown>

export const browse: Browse = async (url, form, cookie = '') => {
  const type: Record<string, string> = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  const sent = form && { method: 'POST', body: form.toString() }
  const response = await fetch(url, { redirect: 'manual', headers: { 'accept-language': 'en', cookie, ...type }, ...sent })
  return shownFrom(response)
}

type Served = { status: number; text(): Promise<string>; headers: { get(name: string): string | null } }
export const shownFrom = async (response: Served): Promise<Shown> => ({
  status: response.status,
  text: await response.text(),
  location: response.headers.get('location'),
  cookie: response.headers.get('set-cookie')?.split(';')[0],
})

const CHARACTERS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decoded = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => CHARACTERS[name] as string)

/** What the form of a page sends besides what a person fills in: its hidden fields, and its boxes that are ticked. */
export function formOf({ text }: Shown): URLSearchParams {
  const inputs = [...text.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]+)" value="([^"]*)"/g)]
  return new URLSearchParams(inputs.map(([, name, value]) => [name as string, decoded(value as string)]))
}
