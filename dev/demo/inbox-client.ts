import { Complaint } from '../settings.ts'
import type { Body } from './api.ts'

/** Reads the local inbox, and acts as the people and the providers on the other side. */
export function inboxClient(base: string) {
  const call = async (path: string, body?: object): Promise<Body> => {
    const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await fetch(`${base}/api/${path}`, init).catch(() => {
      throw new Complaint(`No inbox answers at ${base}: start it with "npm run dev", or name its address with --inbox.`)
    })
    const answer = (await response.json()) as Body
    if (!response.ok) throw new Complaint(`The inbox refused ${path}: ${answer.message}`)
    return answer
  }
  return {
    read: (path: string) => call(path),
    act: (path: string, body: object = {}) => call(path, body),
    /** Every email whose address or subject has these words, those of a campaign one by one. */
    async emails(search: string): Promise<Body[]> {
      const [first] = (await call(`emails?${new URLSearchParams({ search })}`)).emails
      const campaign = first?.more ? first.campaign : ''
      const all: Body[] = []
      for (let after: string | null = ''; after !== null; ) {
        const page: Body = await call(`emails?${new URLSearchParams({ search, campaign, after })}`)
        all.push(...page.emails)
        after = page.next
      }
      return all
    },
  }
}
export type InboxClient = ReturnType<typeof inboxClient>
