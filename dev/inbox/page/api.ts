import { el } from './dom.ts'

export async function read<Data>(path: string): Promise<Data> {
  const response = await fetch(`/api/${path}`)
  const body = await response.json()
  if (!response.ok) throw new Error(body.message)
  return body
}

let timer: ReturnType<typeof setTimeout> | undefined
const SHOWN_MS = 6_000

/** Says in a corner, and to screen readers, what has happened. */
export function notify(text: string, isFailure = false): void {
  const notice = document.getElementById('notice')
  notice?.replaceChildren(el('p', { class: isFailure ? 'failure' : '' }, text))
  clearTimeout(timer)
  timer = setTimeout(() => notice?.replaceChildren(), SHOWN_MS)
}

/** Does something on the other side, and says so; resolves to whether it was done. */
export async function act(path: string, body: object, done: string): Promise<boolean> {
  try {
    const response = await fetch(`/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error((await response.json()).message)
    notify(done)
    return true
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), true)
    return false
  }
}
